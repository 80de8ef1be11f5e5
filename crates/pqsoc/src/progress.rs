//! A bar on the terminal for what takes more than a second.
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// A bar that shows itself after a second, on standard error, when that is a terminal.
pub struct Progress {
    started: Instant,
    what: String,
    total: Option<u64>,
    template: &'static str,
    bar: Option<ProgressBar>,
}

/// Work that is done sooner is not worth a bar.
const PATIENCE: Duration = Duration::from_secs(1);

impl Progress {
    /// For so many bytes, or for a number of bytes that is not known.
    pub fn bytes(what: &str, total: Option<u64>) -> Self {
        let template = match total {
            Some(_) => "{msg} [{bar:30}] {bytes} of {total_bytes}, {eta} left",
            None => "{msg} {spinner} {bytes}",
        };
        Self::new(what, total, template)
    }

    /// For steps of work, whose number may become known later.
    pub fn steps(what: &str) -> Self {
        Self::new(what, None, "{msg} [{bar:30}] {percent} %, {eta} left")
    }

    fn new(what: &str, total: Option<u64>, template: &'static str) -> Self {
        Self { started: Instant::now(), what: what.to_string(), total, template, bar: None }
    }

    /// What is being done, of many things.
    pub fn name(&mut self, what: &str) {
        if self.what != what {
            self.what = what.to_string();
            if let Some(bar) = &self.bar {
                bar.set_message(self.what.clone());
            }
        }
    }

    /// So much is done of so much.
    pub fn set_of(&mut self, done: u64, total: u64) {
        self.total = Some(total);
        self.set(done);
    }

    /// So much is done.
    pub fn set(&mut self, done: u64) {
        if self.bar.is_none() {
            if self.started.elapsed() < PATIENCE {
                return;
            }
            // indicatif draws nothing when standard error is no terminal. The bar has no colours to turn off.
            let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template(self.template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_message(self.what.clone());
            self.bar = Some(bar);
        }
        if let Some(bar) = &self.bar {
            if let Some(total) = self.total {
                bar.set_length(total);
            }
            bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
