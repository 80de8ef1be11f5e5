//! Four kinds of plots, drawn as SVG: rows of dots, scatter, curves, stacked bars.
//!
//! A plot is drawn twice, for a wide and for a narrow screen. Colours are names that the page's style sheet defines, so
//! that a plot follows it from light to dark: plotters knows numbers only, so it draws with numbers that stand for names.
use super::Drawing;
use crate::results::Status;
use maud::html;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

type Root<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// What a colour means; the style sheet says how it looks.
#[derive(Clone, Copy)]
pub enum Ink {
    /// Text and axes.
    Text,
    /// Text that matters less.
    Muted,
    /// Lines of the grid.
    Grid,
    /// The page behind.
    Paper,
    /// A series of data, from 0; there are [`SERIES`] colours.
    Series(usize),
}

/// Colours of series in the style sheet: `--s0` to `--s7`.
pub const SERIES: usize = 8;

impl Ink {
    /// The number that stands for it while plotters draws.
    fn color(self) -> RGBColor {
        match self {
            Self::Text => RGBColor(1, 0, 0),
            Self::Muted => RGBColor(1, 0, 1),
            Self::Grid => RGBColor(1, 0, 2),
            Self::Paper => RGBColor(1, 0, 3),
            Self::Series(i) => RGBColor(2, 0, (i % SERIES) as u8),
        }
    }

    /// The name that takes its place.
    fn name(self) -> String {
        match self {
            Self::Text => "var(--ink)".into(),
            Self::Muted => "var(--muted)".into(),
            Self::Grid => "var(--grid)".into(),
            Self::Paper => "var(--paper)".into(),
            Self::Series(i) => format!("var(--s{})", i % SERIES),
        }
    }
}

/// A scale.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps are equal differences.
    Linear,
    /// Equal steps are equal factors; round numbers are those of the decimal system.
    Log,
    /// The same for bytes, whose round numbers are powers of two.
    LogBytes,
}

impl Scale {
    fn is_log(self) -> bool {
        self != Self::Linear
    }
}

/// An axis: scale, words, and how its numbers are written.
#[derive(Clone)]
pub struct Axis {
    /// Linear or logarithmic.
    pub scale: Scale,
    /// What it shows.
    pub title: String,
    /// A number as text.
    pub format: fn(f64) -> String,
}

/// A value in a row or a scatter plot.
#[derive(Clone)]
pub struct Point {
    /// Horizontal.
    pub x: f64,
    /// Vertical; not used in rows.
    pub y: f64,
    /// Which colour.
    pub series: usize,
    /// Which shape.
    pub status: Status,
    /// Words beside it; empty for none.
    pub label: String,
}

/// Rows with a name and points in each.
pub struct Rows {
    /// The horizontal axis.
    pub x: Axis,
    /// Names and points, from the top.
    pub rows: Vec<(String, Vec<Point>)>,
    /// Vertical lines that mean something, with their words.
    pub marks: Vec<(f64, String)>,
}

/// Points in a plane, and lines between some.
pub struct Scatter {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The points.
    pub points: Vec<Point>,
    /// Lines: colour and corners.
    pub lines: Vec<(usize, Vec<(f64, f64)>)>,
    /// Horizontal lines that mean something, with their words.
    pub marks: Vec<(f64, String)>,
}

/// Curves from left to right.
pub struct Curves {
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis, from 0 to 1.
    pub y: Axis,
    /// Colour, words at the end, corners.
    pub curves: Vec<(usize, Vec<(f64, f64)>)>,
}

/// A bar's words, and its parts: colour, share, words.
pub type Bar = (String, Vec<(usize, f64, String)>);

const FONT: i32 = 15;
const WIDE: u32 = 760;
const NARROW: u32 = 370;

/// Draws for a wide and a narrow screen.
fn twice(draw: impl Fn(bool) -> Outcome<String>) -> Outcome<Drawing> {
    Ok(Drawing { wide: draw(false)?, narrow: draw(true)? })
}

fn svg(width: u32, height: u32, draw: impl FnOnce(&Root<'_>) -> Outcome) -> Outcome<String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (width, height)).into_drawing_area();
        draw(&root)?;
        root.present()?;
    }
    Ok(themed(text))
}

/// Puts names in the place of numbers, and leaves the size to the page.
fn themed(mut text: String) -> String {
    let all = [Ink::Text, Ink::Muted, Ink::Grid, Ink::Paper].into_iter().chain((0..SERIES).map(Ink::Series));
    for ink in all {
        let RGBColor(r, g, b) = ink.color();
        text = text.replace(&format!("#{r:02X}{g:02X}{b:02X}"), &ink.name());
    }
    text = text.replace("font-family=\"sans-serif\"", "font-family=\"inherit\"");
    // The page sets the width; the view box keeps the proportions.
    match text.find("viewBox") {
        Some(at) => format!("<svg aria-hidden=\"true\" focusable=\"false\" {}", &text[at..]),
        None => text,
    }
}

/// A drawing as a document: with the colours' definitions, and its legend below.
pub fn alone(drawing: &str, colours: &str, legend: &[(usize, String)]) -> String {
    /// Height of a line of the legend.
    const LINE: u32 = 24;
    let (start, rest) = drawing.split_once('>').unwrap_or_default();
    let size = start.split_once("viewBox=\"0 0 ").and_then(|(_, rest)| rest.split_once('"'));
    let size = size.and_then(|(size, _)| size.split_once(' '));
    let number = |text: &str| text.parse::<u32>().ok();
    let (width, height) = size.and_then(|(w, h)| Some((number(w)?, number(h)?))).unwrap_or((WIDE, 0));
    let whole = height + LINE * legend.len() as u32;
    let below = html! {
        @for (i, (series, name)) in legend.iter().enumerate() {
            @let y = height + LINE * i as u32;
            rect x="8" y=(y + 2) width="12" height="12" fill=(Ink::Series(*series).name()) {}
            text x="28" y=(y + 13) font-size=(FONT) fill=(Ink::Text.name()) { (name) }
        }
    };
    let body = rest.trim_end().trim_end_matches("</svg>");
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {whole}\" font-family=\"sans-serif\">\n\
         <style>{colours}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n{}{}</svg>\n",
        Ink::Paper.name(),
        body.replace("font-family=\"inherit\"", ""),
        below.into_string()
    )
}

fn font(size: i32, ink: Ink, h: HPos, v: VPos) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&ink.color()).pos(Pos::new(h, v))
}

fn words(root: &Root<'_>, text: &str, at: (i32, i32), style: &TextStyle<'_>) -> Outcome {
    Ok(root.draw(&Text::new(text.to_string(), at, style.clone()))?)
}

/// `10.0 ms` as `10 ms`: a tick is a round number, not a measured one.
fn short(label: &str) -> String {
    let (number, unit) = label.split_once('\u{a0}').unwrap_or((label, ""));
    let number =
        if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    if unit.is_empty() { number.into() } else { format!("{number}\u{a0}{unit}") }
}

/// About as wide as a line of text becomes: fonts are the reader's.
fn width_of(text: &str, size: i32) -> i32 {
    text.chars().count() as i32 * size * 11 / 20
}

/// A point's shape says its status: square exact, disc modelled, triangle derived, ring estimated, diamond published.
fn marker(root: &Root<'_>, (x, y): (i32, i32), series: usize, status: Status) -> Outcome {
    let color = Ink::Series(series).color();
    let paper = Ink::Paper.color();
    match status {
        Status::Exact => root.draw(&Rectangle::new([(x - 5, y - 5), (x + 5, y + 5)], color.filled()))?,
        Status::Modelled => root.draw(&Circle::new((x, y), 5, color.filled()))?,
        Status::Derived => {
            root.draw(&Polygon::new(vec![(x, y - 6), (x + 6, y + 5), (x - 6, y + 5)], color.filled()))?;
        }
        Status::Estimated => {
            root.draw(&Circle::new((x, y), 5, paper.filled()))?;
            root.draw(&Circle::new((x, y), 5, color.stroke_width(2)))?;
        }
        Status::Published => {
            let corners = vec![(x, y - 6), (x + 6, y), (x, y + 6), (x - 6, y), (x, y - 6)];
            root.draw(&Polygon::new(corners.clone(), paper.filled()))?;
            root.draw(&PathElement::new(corners, color.stroke_width(2)))?;
        }
    }
    Ok(())
}

/// The range of an axis with room at both ends.
fn range(values: impl Iterator<Item = f64>, scale: Scale) -> Range<f64> {
    let (low, high) = values
        .filter(|value| value.is_finite() && (!scale.is_log() || *value > 0.0))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return 0.1..1.0;
    }
    match scale {
        Scale::Log | Scale::LogBytes => {
            let room = (high / low).powf(0.06).max(1.25);
            low / room..high * room
        }
        Scale::Linear => {
            let room = ((high - low) * 0.06).max(high.abs() * 0.02).max(1e-9);
            let start = if low >= 0.0 && low - room < high * 0.2 { 0.0 } else { low - room };
            start..high + room
        }
    }
}

/// Values for labels of an axis: round ones, few enough to read.
fn ticks(range: &Range<f64>, scale: Scale, most: usize) -> Vec<f64> {
    let (low, high) = (range.start, range.end);
    match scale {
        Scale::Log => {
            let decades = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
            // Fine steps where there are few decades, and whole decades, or every other, where there are many.
            for steps in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
                let all: Vec<f64> = decades
                    .clone()
                    .flat_map(|d| steps.iter().map(move |s| s * 10f64.powi(d)))
                    .filter(|v| (low..=high).contains(v))
                    .collect();
                if all.len() <= most {
                    return all;
                }
            }
            (1..)
                .map(|every| decades.clone().step_by(every).map(|d| 10f64.powi(d)).collect::<Vec<_>>())
                .map(|all| all.into_iter().filter(|v| (low..=high).contains(v)).collect::<Vec<_>>())
                .find(|all| all.len() <= most)
                .unwrap_or_default()
        }
        Scale::LogBytes => {
            let powers = low.log2().ceil() as i32..=high.log2().floor() as i32;
            let all = |every| powers.clone().step_by(every).map(|p| 2f64.powi(p)).collect::<Vec<_>>();
            (1..).map(all).find(|all| all.len() <= most).unwrap_or_default()
        }
        Scale::Linear => {
            let step = |exponent: i32| [1.0, 2.0, 5.0].map(|s| s * 10f64.powi(exponent));
            let span = high - low;
            let start = span.log10().floor() as i32 - 2;
            let size = (start..start + 6).flat_map(step).find(|s| span / s <= most as f64).unwrap_or(span);
            let first = (low / size).ceil() as i64;
            (first..).map(|i| i as f64 * size).take_while(|v| *v <= high).collect()
        }
    }
}

/// Where values lie in pixels.
struct Frame {
    x: (Range<f64>, Scale),
    y: (Range<f64>, Scale),
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
}

impl Frame {
    fn share(value: f64, (range, scale): &(Range<f64>, Scale)) -> f64 {
        match scale {
            Scale::Linear => (value - range.start) / (range.end - range.start),
            Scale::Log | Scale::LogBytes => (value / range.start).ln() / (range.end / range.start).ln(),
        }
    }

    fn x(&self, value: f64) -> i32 {
        self.left + (Self::share(value, &self.x) * f64::from(self.right - self.left)).round() as i32
    }

    fn y(&self, value: f64) -> i32 {
        self.bottom - (Self::share(value, &self.y) * f64::from(self.bottom - self.top)).round() as i32
    }

    /// Vertical lines with labels below, and the axis' title under them.
    fn x_axis(&self, root: &Root<'_>, axis: &Axis) -> Outcome {
        let labels = font(FONT, Ink::Muted, HPos::Center, VPos::Top);
        let mut end = i32::MIN;
        for value in ticks(&self.x.0, self.x.1, ((self.right - self.left) / 62).max(3) as usize) {
            let x = self.x(value);
            root.draw(&PathElement::new([(x, self.top), (x, self.bottom)], Ink::Grid.color()))?;
            let text = short(&(axis.format)(value));
            let half = width_of(&text, FONT) / 2;
            if x - half > end {
                words(root, &text, (x, self.bottom + 6), &labels)?;
                end = x + half + 6;
            }
        }
        root.draw(&PathElement::new(
            [(self.left, self.bottom), (self.right, self.bottom)],
            Ink::Muted.color(),
        ))?;
        let title = font(FONT, Ink::Text, HPos::Right, VPos::Top);
        words(root, &axis.title, (self.right, self.bottom + 24), &title)
    }

    /// Horizontal lines with labels at the left, and the axis' title above them.
    fn y_axis(&self, root: &Root<'_>, axis: &Axis) -> Outcome {
        let labels = font(FONT, Ink::Muted, HPos::Right, VPos::Center);
        for value in ticks(&self.y.0, self.y.1, ((self.bottom - self.top) / 36).max(3) as usize) {
            let y = self.y(value);
            root.draw(&PathElement::new([(self.left, y), (self.right, y)], Ink::Grid.color()))?;
            words(root, &short(&(axis.format)(value)), (self.left - 8, y), &labels)?;
        }
        let title = font(FONT, Ink::Text, HPos::Left, VPos::Top);
        words(root, &axis.title, (4, 2), &title)
    }
}

/// Rows of dots: names at the left, or above the dots on a narrow screen.
pub fn rows(plot: &Rows) -> Outcome<Drawing> {
    let gutter = plot.rows.iter().map(|(name, _)| width_of(name, FONT)).max().unwrap_or(0) + 16;
    let values = || plot.rows.iter().flat_map(|(_, points)| points.iter().map(|p| p.x));
    let x = range(values().chain(plot.marks.iter().map(|m| m.0)), plot.x.scale);
    twice(|narrow| {
        let (width, step, left) = if narrow { (NARROW, 38, 12) } else { (WIDE, 24, gutter) };
        let top = if plot.marks.is_empty() { 6 } else { 24 };
        let bottom = top + step * plot.rows.len() as i32;
        svg(width, (bottom + 46) as u32, |root| {
            let frame = Frame {
                x: (x.clone(), plot.x.scale),
                y: (0.0..1.0, Scale::Linear),
                left,
                right: width as i32 - 14,
                top,
                bottom,
            };
            frame.x_axis(root, &plot.x)?;
            for (value, text) in &plot.marks {
                let x = frame.x(*value);
                root.draw(&PathElement::new([(x, top), (x, bottom)], Ink::Text.color()))?;
                let far = x > (frame.left + frame.right) / 2;
                let (side, shift) = if far { (HPos::Right, 4) } else { (HPos::Left, -4) };
                words(root, text, (x + shift, 4), &font(FONT, Ink::Text, side, VPos::Top))?;
            }
            for (i, (name, points)) in plot.rows.iter().enumerate() {
                let middle = top + step * i as i32 + if narrow { 26 } else { step / 2 };
                let (at, anchor) = if narrow {
                    ((left, middle - 16), HPos::Left)
                } else {
                    ((left - 10, middle), HPos::Right)
                };
                root.draw(&PathElement::new([(left, middle), (frame.right, middle)], Ink::Grid.color()))?;
                words(root, name, at, &font(FONT, Ink::Text, anchor, VPos::Center))?;
                for point in points {
                    marker(root, (frame.x(point.x), middle), point.series, point.status)?;
                }
            }
            Ok(())
        })
    })
}

/// Points with labels where there is room for them.
pub fn scatter(plot: &Scatter) -> Outcome<Drawing> {
    let corners = || plot.lines.iter().flat_map(|(_, corners)| corners.iter().copied());
    let x = range(plot.points.iter().map(|p| p.x).chain(corners().map(|c| c.0)), plot.x.scale);
    let marks = plot.marks.iter().map(|m| m.0);
    let y = range(plot.points.iter().map(|p| p.y).chain(corners().map(|c| c.1)).chain(marks), plot.y.scale);
    twice(|narrow| {
        let (width, height) = if narrow { (NARROW, 400) } else { (WIDE, 440) };
        svg(width, height, |root| {
            let frame = Frame {
                x: (x.clone(), plot.x.scale),
                y: (y.clone(), plot.y.scale),
                left: 70,
                right: width as i32 - 14,
                top: 28,
                bottom: height as i32 - 46,
            };
            frame.x_axis(root, &plot.x)?;
            frame.y_axis(root, &plot.y)?;
            let mut taken: Vec<[i32; 4]> = Vec::new();
            for (value, text) in &plot.marks {
                let y = frame.y(*value);
                root.draw(&PathElement::new([(frame.left, y), (frame.right, y)], Ink::Text.color()))?;
                let style = font(FONT, Ink::Text, HPos::Right, VPos::Bottom);
                words(root, text, (frame.right - 4, y - 3), &style)?;
                taken.push([frame.right - 4 - width_of(text, FONT), y - 18, frame.right, y]);
            }
            for (series, corners) in &plot.lines {
                let path: Vec<_> = corners.iter().map(|(x, y)| (frame.x(*x), frame.y(*y))).collect();
                root.draw(&PathElement::new(path, Ink::Series(*series).color().stroke_width(2)))?;
            }
            let at = |point: &Point| (frame.x(point.x), frame.y(point.y));
            for point in &plot.points {
                let (x, y) = at(point);
                marker(root, (x, y), point.series, point.status)?;
                taken.push([x - 6, y - 6, x + 6, y + 6]);
            }
            for point in plot.points.iter().filter(|point| !point.label.is_empty()) {
                let (x, y) = at(point);
                label(root, &frame, &mut taken, (x, y), &point.label)?;
            }
            Ok(())
        })
    })
}

/// Writes words beside a point, at the first side where nothing else is; nowhere if there is none.
fn label(
    root: &Root<'_>,
    frame: &Frame,
    taken: &mut Vec<[i32; 4]>,
    (x, y): (i32, i32),
    text: &str,
) -> Outcome {
    const SIZE: i32 = 14;
    let width = width_of(text, SIZE);
    let sides = [(9, 0), (-9 - width, 0), (-width / 2, -14), (-width / 2, 14), (8, -12), (8, 12)];
    for (dx, dy) in sides {
        let place = [x + dx, y + dy - 7, x + dx + width, y + dy + 7];
        let inside = place[0] >= frame.left
            && place[2] <= frame.right
            && place[1] >= frame.top
            && place[3] <= frame.bottom;
        let free = taken
            .iter()
            .all(|t| place[2] <= t[0] || place[0] >= t[2] || place[3] <= t[1] || place[1] >= t[3]);
        if inside && free {
            taken.push(place);
            return words(root, text, (x + dx, y + dy), &font(SIZE, Ink::Text, HPos::Left, VPos::Center));
        }
    }
    Ok(())
}

/// Curves that rise from 0 to 1.
pub fn curves(plot: &Curves) -> Outcome<Drawing> {
    let x = range(plot.curves.iter().flat_map(|(_, corners)| corners.iter().map(|c| c.0)), plot.x.scale);
    twice(|narrow| {
        let (width, height) = if narrow { (NARROW, 340) } else { (WIDE, 380) };
        svg(width, height, |root| {
            let frame = Frame {
                x: (x.clone(), plot.x.scale),
                y: (0.0..1.0, Scale::Linear),
                left: 56,
                right: width as i32 - 14,
                top: 28,
                bottom: height as i32 - 46,
            };
            frame.x_axis(root, &plot.x)?;
            frame.y_axis(root, &plot.y)?;
            for (series, corners) in &plot.curves {
                let path: Vec<_> = corners.iter().map(|(x, y)| (frame.x(*x), frame.y(*y))).collect();
                root.draw(&PathElement::new(path, Ink::Series(*series).color().stroke_width(2)))?;
            }
            Ok(())
        })
    })
}

/// Bars of parts that add up to 1.
pub fn stacked(bars: &[Bar]) -> Outcome<Drawing> {
    let gutter = bars.iter().map(|(name, _)| width_of(name, FONT)).max().unwrap_or(0) + 16;
    twice(|narrow| {
        let (width, step, left) = if narrow { (NARROW, 44, 12) } else { (WIDE, 30, gutter) };
        let bottom = 6 + step * bars.len() as i32;
        svg(width, (bottom + 46) as u32, |root| {
            let frame = Frame {
                x: (0.0..1.0, Scale::Linear),
                y: (0.0..1.0, Scale::Linear),
                left,
                right: width as i32 - 14,
                top: 6,
                bottom,
            };
            let percent =
                Axis { scale: Scale::Linear, title: "share of the mean time".into(), format: percent };
            frame.x_axis(root, &percent)?;
            for (i, (name, parts)) in bars.iter().enumerate() {
                let middle = 6 + step * i as i32 + if narrow { 30 } else { step / 2 };
                let (at, anchor) = if narrow {
                    ((left, middle - 20), HPos::Left)
                } else {
                    ((left - 10, middle), HPos::Right)
                };
                words(root, name, at, &font(FONT, Ink::Text, anchor, VPos::Center))?;
                let mut start = 0.0;
                for (series, share, text) in parts {
                    let (from, to) = (frame.x(start), frame.x(start + share));
                    start += share;
                    let color = Ink::Series(*series).color();
                    root.draw(&Rectangle::new([(from, middle - 9), (to, middle + 9)], color.filled()))?;
                    // A seam tells neighbours apart without their colours.
                    root.draw(&PathElement::new(
                        [(to, middle - 9), (to, middle + 9)],
                        Ink::Paper.color().stroke_width(2),
                    ))?;
                    if to - from > width_of(text, FONT) + 8 {
                        let style = font(FONT, Ink::Paper, HPos::Center, VPos::Center);
                        words(root, text, ((from + to) / 2, middle), &style)?;
                    }
                }
            }
            Ok(())
        })
    })
}

/// 0.25 as `25 %`.
pub fn percent(value: f64) -> String {
    format!("{:.0}\u{a0}%", 100.0 * value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(&(0.0..10.5), Scale::Linear, 6), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        assert_eq!(ticks(&(-0.06..0.03), Scale::Linear, 5).len(), 5);
        assert_eq!(ticks(&(3.0..70.0), Scale::Log, 6), [5.0, 10.0, 20.0, 50.0]);
        assert_eq!(ticks(&(0.5..2000.0), Scale::Log, 8), [1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0]);
        assert_eq!(ticks(&(0.5..2e9), Scale::Log, 5).len(), 5);
        assert_eq!(ticks(&(1000.0..9000.0), Scale::LogBytes, 9), [1024.0, 2048.0, 4096.0, 8192.0]);
        assert_eq!(["10.0\u{a0}ms", "100\u{a0}%", "0.050"].map(short), ["10\u{a0}ms", "100\u{a0}%", "0.05"]);
        for scale in [Scale::Linear, Scale::Log, Scale::LogBytes] {
            for high in [1e-3, 0.7, 3.0, 1e7] {
                for most in 3..9 {
                    let range = range([high / 9.0, high].into_iter(), scale);
                    let ticks = ticks(&range, scale, most);
                    assert!(
                        ticks.len() <= most + 1
                            && ticks.iter().all(|t| (range.start..=range.end).contains(t))
                    );
                }
            }
        }
    }

    #[test]
    fn colours_are_left_to_the_page() {
        let axis = Axis { scale: Scale::Log, title: "time".into(), format: crate::text::duration };
        let points =
            Status::ALL.map(|status| Point { x: 3.0, y: 0.0, series: 1, status, label: String::new() });
        let plot = Rows {
            x: axis,
            rows: vec![("a < b".into(), points.to_vec())],
            marks: vec![(2.0, "mark".into())],
        };
        let drawing = rows(&plot).unwrap();
        for text in [&drawing.wide, &drawing.narrow] {
            assert!(text.starts_with("<svg aria-hidden") && text.trim_end().ends_with("</svg>"));
            assert!(text.contains("var(--s1)") && text.contains("var(--ink)") && text.contains("a &lt; b"));
            assert!(!text.contains("\"#"), "a colour that the page cannot change: {text}");
        }
    }
}
