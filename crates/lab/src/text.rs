//! Numbers and lists as people read them.

/// Thin space between groups of three digits, which does not break.
const GROUP: char = '\u{202f}';

/// 1234567 as `1 234 567`.
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::new();
    if value <= -0.5 {
        out.push('-');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i != 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(GROUP);
        }
        out.push(digit);
    }
    out
}

/// Three significant digits, more where the number is longer than that.
pub fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    // 99.95 and more is 100 when it is rounded to three digits.
    let magnitude = value.abs();
    let decimals = [(99.95, 0), (9.995, 1), (0.9995, 2), (0.09995, 3)];
    match decimals.iter().find(|(from, _)| magnitude >= *from) {
        Some((_, 0)) => grouped(value),
        Some((_, decimals)) => format!("{value:.decimals$}"),
        None => format!("{value:.4}"),
    }
}

/// Milliseconds in the unit that suits them: `3.91 ms`, `25.4 s`, `10.2 min`, `3.1 h`.
pub fn duration(ms: f64) -> String {
    let (value, unit) = match ms {
        _ if ms < 0.9995 => (ms * 1000.0, "µs"),
        _ if ms < 999.5 => (ms, "ms"),
        _ if ms < 119_950.0 => (ms / 1000.0, "s"),
        _ if ms < 7_197_000.0 => (ms / 60_000.0, "min"),
        _ => (ms / 3_600_000.0, "h"),
    };
    format!("{}\u{a0}{unit}", significant(value))
}

/// Bytes: `3 292 B`, from 10 KiB on `52.1 KiB`.
pub fn bytes(value: f64) -> String {
    if value < 10_240.0 {
        format!("{}\u{a0}B", grouped(value))
    } else if value < 1_048_576.0 {
        format!("{}\u{a0}KiB", trimmed(significant(value / 1024.0)))
    } else {
        format!("{}\u{a0}MiB", trimmed(significant(value / 1_048_576.0)))
    }
}

/// `64.0` as `64`.
fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// The same words with plain spaces, for terminals and programs.
pub fn ascii_spaces(text: &str) -> String {
    text.replace(['\u{a0}', GROUP], " ")
}

/// A quantity's value with its unit.
pub fn value(quantity: crate::results::Quantity, value: f64) -> String {
    match quantity.unit() {
        "ms" => duration(value),
        "bytes" => bytes(value),
        "" if value.fract() != 0.0 && value < 1000.0 => significant(value),
        "" => grouped(value),
        unit => format!("{}\u{a0}{unit}", significant(value)),
    }
}

/// For programs and terminals: at most six decimals, nothing between digits.
pub fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    trimmed(text)
}

/// `a, b and c`.
pub fn list<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match items.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(grouped(1_234_567.0), "1\u{202f}234\u{202f}567");
        assert_eq!(grouped(-999.6), "-1\u{202f}000");
        assert_eq!(grouped(-0.2), "0");
        let cases = [(0.0, "0"), (0.012_34, "0.0123"), (1.109, "1.11"), (5.939, "5.94"), (99.94, "99.9")];
        for (value, text) in cases.into_iter().chain([(99.96, "100"), (9.999, "10.0"), (0.9996, "1.00")]) {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn units() {
        for (ms, text) in [
            (0.0123, "12.3\u{a0}µs"),
            (0.9999, "1.00\u{a0}ms"),
            (999.9, "1.00\u{a0}s"),
            (600_000.0, "10.0\u{a0}min"),
            (7_200_000.0, "2.00\u{a0}h"),
        ] {
            assert_eq!(duration(ms), text);
        }
        assert_eq!(bytes(131_072.0), "128\u{a0}KiB");
        assert_eq!(bytes(53_350.0), "52.1\u{a0}KiB");
        assert_eq!(bytes(3292.0), "3\u{202f}292\u{a0}B");
        assert_eq!(ascii_spaces(&bytes(3292.0)), "3 292 B");
        assert_eq!(list(["a", "b", "c"]), "a, b and c");
        assert_eq!(list([1]), "1");
        assert_eq!(list::<u8>([]), "");
    }
}
