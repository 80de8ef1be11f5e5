//! Sample statistics.

/// Times of one operation, in microseconds.
#[derive(Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    /// Adds a time.
    pub fn push(&mut self, v: f64) {
        self.0.push(v);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Mean, median, minimum and 95th percentile, tab separated.
    pub fn line(&self) -> String {
        let mut v = self.0.clone();
        v.sort_by(f64::total_cmp);
        let mean = v.iter().sum::<f64>() / v.len() as f64;
        format!("{:.2}\t{:.2}\t{:.2}\t{:.2}", mean, v[v.len() / 2], v[0], v[(v.len() * 95) / 100])
    }
}
