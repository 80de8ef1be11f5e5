//! The one form in which experiments leave their results: versioned JSON.
//!
//! Every table, plot and file of the report is a view of a [`Results`]. Published figures have the same form.
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Version of the form. It changes when members change their meaning or go.
pub const SCHEMA: &str = "pqsoc-results/1";

/// How far a figure can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Counted: the firmware or the RTL really ran.
    Exact,
    /// By a model that is checked against silicon.
    Modelled,
    /// Calculated from exact counts and measured costs, instead of a run to the end.
    Derived,
    /// By a coarser model, or from a mean count, that has not been checked.
    Estimated,
    /// Taken from somebody else's publication or file.
    Published,
}

impl Status {
    /// All of them, the surest first.
    pub const ALL: [Self; 5] = [Self::Exact, Self::Modelled, Self::Derived, Self::Estimated, Self::Published];

    /// The word for it in JSON and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Modelled => "modelled",
            Self::Derived => "derived",
            Self::Estimated => "estimated",
            Self::Published => "published",
        }
    }

    /// What it means, as a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Exact => "Counted: the firmware, or the RTL, really ran.",
            Self::Modelled => "From a pipeline model that is checked against published silicon figures.",
            Self::Derived => {
                "Calculated from exact counts of hash calls and the measured cost of each, instead of a run to the end."
            }
            Self::Estimated => {
                "From a coarser model, or a mean count, that has not been checked against silicon."
            }
            Self::Published => "Somebody else's figure, taken from the source named.",
        }
    }
}

/// A quantity: over all runs of a measurement, what its values were.
///
/// Published figures have a mean and perhaps a range; measured ones have everything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// How far it can be trusted.
    pub status: Status,
    /// Number of values; at least 1.
    pub runs: u64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Half of the values are not above it (nearest rank, as all quantiles here).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// 95 of 100 values are not above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p95: Option<f64>,
    /// 99 of 100 values are not above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<f64>,
    /// Largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// Lower end of the band that the model leaves for the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of that band.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The values in the order of the runs, where their distribution matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<Vec<f64>>,
    /// How a figure came about that is neither counted nor read off the model: a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derivation: Option<String>,
}

impl Figure {
    /// A figure that has one value however often it is measured.
    pub fn constant(status: Status, value: f64) -> Self {
        Self {
            status,
            runs: 1,
            mean: value,
            min: None,
            median: None,
            p95: None,
            p99: None,
            max: None,
            low: None,
            high: None,
            samples: None,
            derivation: None,
        }
    }

    /// The statistics of `values`; `None` without values. Samples are not kept.
    pub fn of(status: Status, values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (&min, &max) = (sorted.first()?, sorted.last()?);
        Some(Self {
            runs: values.len() as u64,
            min: Some(min),
            median: Some(quantile(&sorted, 50)),
            p95: Some(quantile(&sorted, 95)),
            p99: Some(quantile(&sorted, 99)),
            max: Some(max),
            ..Self::constant(status, values.iter().sum::<f64>() / values.len() as f64)
        })
    }

    /// The same values, kept.
    pub fn with_samples(mut self, values: &[f64]) -> Self {
        self.samples = Some(values.to_vec());
        self
    }

    /// Sets the band to `mean * (1 - below) ..= mean * (1 + above)`.
    pub fn with_band(mut self, below: f64, above: f64) -> Self {
        self.low = Some(self.mean * (1.0 - below));
        self.high = Some(self.mean * (1.0 + above));
        self
    }

    /// A function of every value, with another status. Samples stay behind: they can be calculated again.
    pub fn map(&self, status: Status, function: impl Fn(f64) -> f64) -> Self {
        Self {
            status,
            runs: self.runs,
            mean: function(self.mean),
            min: self.min.map(&function),
            median: self.median.map(&function),
            p95: self.p95.map(&function),
            p99: self.p99.map(&function),
            max: self.max.map(&function),
            low: self.low.map(&function),
            high: self.high.map(&function),
            samples: None,
            derivation: self.derivation.clone(),
        }
    }

    /// The largest value known: the maximum, else the mean.
    pub fn worst(&self) -> f64 {
        self.max.unwrap_or(self.mean)
    }

    /// What is wrong with it, if something is.
    fn fault(&self) -> Option<String> {
        let ordered = [self.min, self.median, self.p95, self.p99, self.max];
        let known: Vec<f64> = ordered.into_iter().flatten().collect();
        let all = known.iter().copied().chain([Some(self.mean), self.low, self.high].into_iter().flatten());
        if all.clone().any(|value| !value.is_finite() || value < 0.0) {
            return Some("has a value that is negative or not finite".into());
        }
        if self.runs == 0 {
            return Some("has no runs".into());
        }
        if !known.is_sorted() {
            return Some("is not in order: min, median, p95, p99, max must not fall".into());
        }
        // A mean is rounded where it is printed.
        let slack = 1e-9 * self.mean;
        if self.min.is_some_and(|min| min > self.mean + slack)
            || self.max.is_some_and(|max| max < self.mean - slack)
        {
            return Some("has a mean outside of min to max".into());
        }
        if self.low.is_some_and(|low| low > self.mean + slack)
            || self.high.is_some_and(|high| high < self.mean - slack)
        {
            return Some("has a mean outside of low to high".into());
        }
        let samples = self.samples.as_ref()?;
        if samples.len() as u64 != self.runs {
            return Some(format!("has {} samples for {} runs", samples.len(), self.runs));
        }
        let again = Self::of(self.status, samples)?;
        let same = again.min == self.min
            && again.median == self.median
            && again.p95 == self.p95
            && again.p99 == self.p99
            && again.max == self.max
            && (again.mean - self.mean).abs() <= slack;
        (!same).then(|| "has statistics that are not those of its samples".into())
    }
}

/// The smallest of the sorted values that at least `percent` of them do not exceed (nearest rank). Not empty.
fn quantile(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted[rank.saturating_sub(1)]
}

/// What is done with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Key generation.
    Keygen,
    /// Signing.
    Sign,
    /// Verification.
    Verify,
    /// Nothing of these, but a function on its own, which `algorithm` names: for comparisons with silicon.
    Kernel,
}

impl Operation {
    /// What is done with keys, in the order of tables.
    pub const ALL: [Self; 3] = [Self::Keygen, Self::Sign, Self::Verify];

    /// The word for it in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Keygen => "keygen",
            Self::Sign => "sign",
            Self::Verify => "verify",
            Self::Kernel => "kernel",
        }
    }

    /// The word for it in sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Keygen => "key generation",
            Self::Sign => "signing",
            Self::Verify => "verification",
            Self::Kernel => "a function",
        }
    }
}

/// Whether a board is made of silicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Platform {
    /// A virtual board.
    Virtual,
    /// The board itself.
    Silicon,
}

/// What ran, and where. Two measurements with equal subjects are the same experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Subject {
    /// Whose code: `pqsoc`, `pqm4 m4f`, `ed25519-dalek`.
    pub implementation: String,
    /// Parameter set by its standard's name: `ML-DSA-44`.
    pub algorithm: String,
    /// What it did.
    pub operation: Operation,
    /// Where the arithmetic happened: `software`, `study` or `resident`.
    pub engine: String,
    /// Memory profile: `reference`, `fast` or `small`; `-` where there is one only.
    pub profile: String,
    /// How it was compiled: `optimised`, `size`, `unoptimised`.
    pub build: String,
    /// Which board: `stm32f407`, `zedboard`, `nucleo-l4r5zi`.
    pub board: String,
    /// Virtual or silicon.
    pub platform: Platform,
    /// Clock of the core in MHz.
    pub core_mhz: f64,
    /// Wait states of the flash, where it has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_states: Option<u8>,
    /// Clock of the fabric in MHz, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pl_mhz: Option<f64>,
}

impl Subject {
    /// Where it ran, in a few words: `stm32f407 24 MHz`, `zedboard, PL 100 MHz`.
    pub fn place(&self) -> String {
        let silicon = if self.platform == Platform::Silicon { " (silicon)" } else { "" };
        let pl = self.pl_mhz.map_or(String::new(), |mhz| format!(", PL {mhz:.0} MHz"));
        format!("{} {:.0} MHz{pl}{silicon}", self.board, self.core_mhz)
    }

    /// Implementation and profile in a few words: `pqsoc fast`, `pqsoc reference, unoptimised`, `pqm4 m4f`.
    pub fn code(&self) -> String {
        let mut text = self.implementation.clone();
        if self.profile != "-" {
            text = format!("{text} {}", self.profile);
        }
        if self.engine != "software" {
            text = format!("{text}, {} engine", self.engine);
        }
        if self.build != "optimised" {
            text = format!("{text}, {}", self.build);
        }
        text
    }

    /// All that tells one subject from another, in the order of tables.
    pub fn key(&self) -> String {
        let wait_states = self.wait_states.map_or(String::new(), |n| n.to_string());
        let pl = self.pl_mhz.map_or(String::new(), |mhz| mhz.to_string());
        [
            self.algorithm.as_str(),
            self.operation.name(),
            &self.implementation,
            &self.engine,
            &self.profile,
            &self.build,
            &self.board,
            if self.platform == Platform::Virtual { "virtual" } else { "silicon" },
            &self.core_mhz.to_string(),
            &wait_states,
            &pl,
        ]
        .join("/")
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}, {}, {}", self.algorithm, self.operation.name(), self.code(), self.place())
    }
}

/// Why an experiment gave less than it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// The stack ran out of its memory.
    StackOverflow,
    /// The firmware faulted, locked up or went on for ever.
    Fault,
    /// The operation reported an error, or its output was wrong.
    Failed,
    /// It does not fit the memory or the flash.
    DoesNotFit,
    /// A tool is missing or broken.
    Tool,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// In a word.
    pub kind: ProblemKind,
    /// In a sentence.
    pub sentence: String,
}

/// A share of the mean time of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// What the time goes to: `Keccak`, `NTT`, `cache maintenance`.
    pub name: String,
    /// 0 to 1.
    pub share: f64,
    /// How far the share can be trusted.
    pub status: Status,
}

/// Names, units and members of all quantities, in one place.
macro_rules! quantities {
    ($($(#[$doc:meta])* $variant:ident $member:ident $title:literal $unit:literal;)*) => {
        /// A quantity that a measurement may have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Quantity { $($(#[$doc])* $variant,)* }

        impl Quantity {
            /// All of them, in the order of the members in JSON.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The member's name in JSON.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($member),)* }
            }

            /// The words for it.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// The unit; empty for counts.
            pub const fn unit(self) -> &'static str {
                match self { $(Self::$variant => $unit,)* }
            }
        }

        /// An experiment and its figures.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct Measurement {
            /// What ran.
            #[serde(flatten)]
            pub subject: Subject,
            /// Key in [`Results::provenance`].
            pub provenance: String,
            /// What went wrong; the figures that there are hold nevertheless.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub problem: Option<Problem>,
            /// What the time is made of.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub breakdown: Vec<Part>,
            $($(#[$doc])*
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub $member: Option<Figure>,)*
        }

        impl Measurement {
            /// Without figures.
            pub fn new(subject: Subject, provenance: impl Into<String>) -> Self {
                Self {
                    subject,
                    provenance: provenance.into(),
                    problem: None,
                    breakdown: Vec::new(),
                    $($member: None,)*
                }
            }

            /// The figure of a quantity.
            pub const fn get(&self, quantity: Quantity) -> Option<&Figure> {
                match quantity { $(Quantity::$variant => self.$member.as_ref(),)* }
            }

            /// The place of the figure of a quantity.
            pub const fn get_mut(&mut self, quantity: Quantity) -> &mut Option<Figure> {
                match quantity { $(Quantity::$variant => &mut self.$member,)* }
            }
        }
    };
}

quantities! {
    /// Clock cycles of the core.
    Cycles cycles "core cycles" "";
    /// Time at the clocks of the subject.
    TimeMs time_ms "time" "ms";
    /// Instructions executed.
    Instructions instructions "instructions" "";
    /// Depth of the stack below the caller.
    StackBytes stack_bytes "stack" "bytes";
    /// Heap in use at once.
    HeapBytes heap_bytes "heap" "bytes";
    /// Code and constants in flash.
    CodeBytes code_bytes "code and constants" "bytes";
    /// Variables outside of the stack.
    DataBytes data_bytes "variables" "bytes";
    /// Attempts until a signature came out.
    Attempts attempts "attempts" "";
    /// Calls of the hash's compression function or permutation.
    HashBlocks hash_blocks "hash blocks" "";
    /// Clock cycles of the fabric in which a command was under way.
    FabricCycles fabric_cycles "fabric cycles" "";
    /// Of these, cycles in which it waited for a stream.
    FabricWaitingCycles fabric_waiting_cycles "fabric cycles waiting" "";
    /// Clock cycles of the fabric in which a DMA transfer was under way.
    DmaCycles dma_cycles "DMA cycles" "";
    /// Bytes moved between processor and fabric.
    BytesMoved bytes_moved "bytes moved" "bytes";
    /// Energy of one operation.
    EnergyMj energy_mj "energy" "mJ";
    /// Look-up tables of the fabric.
    Luts luts "LUTs" "";
    /// Flip-flops of the fabric.
    FlipFlops flip_flops "flip-flops" "";
    /// Block RAMs of 36 Kbit.
    BlockRams block_rams "block RAMs" "";
    /// Multiplier blocks.
    DspBlocks dsp_blocks "DSP blocks" "";
}

/// Where figures come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// This project's tools measured it.
    Measured,
    /// A publication.
    Published,
    /// A file that a user brought.
    Imported,
}

/// All that is needed to get a figure again, or to find it where it was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// Measured, published or imported.
    pub origin: Origin,
    /// What this is, in a sentence: a program and how it was run, or a publication.
    pub title: String,
    /// Where it was published, or the command that gives it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// Commit of the repository that it was built from, or that published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Name and version of the compiler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// Its flags.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<String>,
    /// SHA3-256 of the program that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elf_sha3_256: Option<String>,
    /// SHA3-256 of the sources of the fabric.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtl_sha3_256: Option<String>,
    /// What the program was told to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// Versions of the tools that took part.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// What else should be known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Provenance {
    /// With no more than what it is.
    pub fn new(origin: Origin, title: impl Into<String>) -> Self {
        Self {
            origin,
            title: title.into(),
            reference: None,
            commit: None,
            compiler: None,
            flags: None,
            elf_sha3_256: None,
            rtl_sha3_256: None,
            options: None,
            tools: BTreeMap::new(),
            notes: Vec::new(),
        }
    }
}

/// A set of results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Results {
    /// [`SCHEMA`].
    pub schema: String,
    /// When it was written (RFC 3339, UTC): the only member that differs between two equal runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// Where the figures come from, by a short name.
    pub provenance: BTreeMap<String, Provenance>,
    /// The experiments.
    pub measurements: Vec<Measurement>,
}

/// A document that is not a set of results.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is not JSON, or a member is missing, unknown or of another type.
    #[error("line {line}, column {column}{}: {what}", place(path))]
    Json {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// Where in the document: `measurements[3].cycles.mean`; empty at the top.
        path: String,
        /// What is wrong.
        what: String,
    },
    /// The document is of another kind or version.
    #[error("schema is \"{0}\", this program reads \"{SCHEMA}\"")]
    Schema(String),
    /// A value contradicts another one.
    #[error("{path} {what}")]
    Value {
        /// Where in the document.
        path: String,
        /// What is wrong, as the rest of a sentence.
        what: String,
    },
}

/// `(measurements[3])` after a space, or nothing.
fn place(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!(" ({path})") }
}

impl Results {
    /// Without measurements.
    pub fn new() -> Self {
        Self { schema: SCHEMA.into(), created: None, provenance: BTreeMap::new(), measurements: Vec::new() }
    }

    /// Reads a document and checks that its values agree with each other.
    ///
    /// # Errors
    /// With the place of what is wrong.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        // A document of another version may have any members: its version is the thing to say about it.
        #[derive(Deserialize)]
        struct Versioned {
            schema: String,
        }
        if let Ok(Versioned { schema }) = serde_json::from_str::<Versioned>(text)
            && schema != SCHEMA
        {
            return Err(ReadError::Schema(schema));
        }
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let results: Self = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let path = error.path().to_string();
            json_error(error.inner(), if path == "." || path == "?" { String::new() } else { path })
        })?;
        deserializer.end().map_err(|error| json_error(&error, String::new()))?;
        results.check()?;
        Ok(results)
    }

    /// Checks what the types cannot say.
    fn check(&self) -> Result<(), ReadError> {
        let mut seen = BTreeSet::new();
        for (i, measurement) in self.measurements.iter().enumerate() {
            let wrong = |member: &str, what: String| {
                let path = format!("measurements[{i}]{member}");
                Err(ReadError::Value { path, what })
            };
            if !self.provenance.contains_key(&measurement.provenance) {
                return wrong(
                    ".provenance",
                    format!("names \"{}\", which is not in provenance", measurement.provenance),
                );
            }
            if !(measurement.subject.core_mhz.is_finite() && measurement.subject.core_mhz > 0.0) {
                return wrong(".core_mhz", "is not a clock".into());
            }
            for &quantity in Quantity::ALL {
                if let Some(what) = measurement.get(quantity).and_then(Figure::fault) {
                    return wrong(&format!(".{}", quantity.name()), what);
                }
            }
            let total: f64 = measurement.breakdown.iter().map(|part| part.share).sum();
            let sound = measurement.breakdown.iter().all(|part| (0.0..=1.0).contains(&part.share));
            let whole = sound && (total - 1.0).abs() < 0.01;
            if !measurement.breakdown.is_empty() && !whole {
                return wrong(".breakdown", format!("has shares that add up to {total:.3} and not to 1"));
            }
            if !seen.insert(measurement.subject.key()) {
                return wrong("", format!("is there twice: {}", measurement.subject));
            }
        }
        Ok(())
    }

    /// The document as text: one line for each measurement, whole numbers without a point.
    pub fn to_json(&self) -> String {
        // Numbers and strings in maps with string keys: this cannot fail.
        let line =
            |value: serde_json::Result<serde_json::Value>| whole(value.unwrap_or_default()).to_string();
        let mut text = format!("{{\n\"schema\": {},\n", line(serde_json::to_value(&self.schema)));
        if let Some(created) = &self.created {
            text += &format!("\"created\": {},\n", line(serde_json::to_value(created)));
        }
        let entries = |items: Vec<String>| {
            if items.is_empty() { String::new() } else { format!("\n{}\n", items.join(",\n")) }
        };
        let provenance = self.provenance.iter().map(|(name, value)| {
            format!("{}: {}", line(serde_json::to_value(name)), line(serde_json::to_value(value)))
        });
        text += &format!("\"provenance\": {{{}}},\n", entries(provenance.collect()));
        let measurements = self.measurements.iter().map(|value| line(serde_json::to_value(value)));
        text += &format!("\"measurements\": [{}]\n}}\n", entries(measurements.collect()));
        text
    }

    /// Puts other results beside these. A subject that is in both keeps its place and takes the new figures.
    pub fn merge(&mut self, other: Self) {
        let mut names = BTreeMap::new();
        for (name, provenance) in other.provenance {
            let mut new = name.clone();
            let mut n = 1;
            while self.provenance.get(&new).is_some_and(|known| *known != provenance) {
                n += 1;
                new = format!("{name}-{n}");
            }
            self.provenance.insert(new.clone(), provenance);
            names.insert(name, new);
        }
        let mut places: BTreeMap<String, usize> =
            self.measurements.iter().enumerate().map(|(i, m)| (m.subject.key(), i)).collect();
        for mut measurement in other.measurements {
            if let Some(name) = names.get(&measurement.provenance) {
                measurement.provenance.clone_from(name);
            }
            match places.get(&measurement.subject.key()) {
                Some(&i) => self.measurements[i] = measurement,
                None => {
                    places.insert(measurement.subject.key(), self.measurements.len());
                    self.measurements.push(measurement);
                }
            }
        }
    }

    /// The first measurement that fits.
    pub fn find(&self, fits: impl Fn(&Subject) -> bool) -> Option<&Measurement> {
        self.measurements.iter().find(|m| fits(&m.subject))
    }
}

impl Default for Results {
    fn default() -> Self {
        Self::new()
    }
}

fn json_error(error: &serde_json::Error, path: String) -> ReadError {
    let text = error.to_string();
    // The place is said once.
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what).to_string();
    ReadError::Json { line: error.line(), column: error.column(), path, what }
}

/// The same value with whole numbers as integers.
fn whole(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    /// Above it not every integer is a double.
    const LIMIT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(n) => match n.as_f64() {
            Some(f) if f.fract() == 0.0 && f.abs() < LIMIT => Value::from(f as i64),
            _ => Value::Number(n),
        },
        Value::Array(items) => items.into_iter().map(whole).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, whole(value))).collect(),
        other => other,
    }
}

/// One measurement with its provenance in it, as `pqsoc bench` prints it.
pub fn measurement_json(measurement: &Measurement, provenance: &Provenance) -> String {
    let mut members = serde_json::Map::new();
    members.insert("schema".into(), "pqsoc-bench/1".into());
    if let Ok(serde_json::Value::Object(figures)) = serde_json::to_value(measurement) {
        members.extend(figures);
    }
    members.insert("provenance".into(), serde_json::to_value(provenance).unwrap_or_default());
    // Numbers and strings in maps with string keys: this cannot fail.
    serde_json::to_string_pretty(&whole(members.into())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn error(text: &str) -> String {
        Results::from_json(text).unwrap_err().to_string()
    }

    #[test]
    fn statistics_are_by_nearest_rank() {
        let values: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        let figure = Figure::of(Status::Exact, &values).unwrap();
        assert_eq!(figure.runs, 200);
        assert_eq!(figure.mean, 100.5);
        let all = [figure.min, figure.median, figure.p95, figure.p99, figure.max];
        assert_eq!(all, [1.0, 100.0, 190.0, 198.0, 200.0].map(Some));
        assert!(Figure::of(Status::Exact, &[]).is_none());
        let one = Figure::of(Status::Exact, &[7.0]).unwrap();
        assert_eq!((one.min, one.p99, one.max), (Some(7.0), Some(7.0), Some(7.0)));
    }

    #[test]
    fn documents_read_back() {
        let results = sample::results();
        let text = results.to_json();
        assert_eq!(Results::from_json(&text).unwrap(), results);
        assert_eq!(Results::from_json(&text).unwrap().to_json(), text);
        // One line for each measurement, whole numbers as such.
        assert_eq!(
            text.lines().filter(|line| line.contains("\"operation\"")).count(),
            results.measurements.len()
        );
        assert!(text.contains("\"core_mhz\":24,") && !text.contains(".0,"));
        let empty = Results::new();
        assert_eq!(Results::from_json(&empty.to_json()).unwrap(), empty);
    }

    #[test]
    fn errors_say_where() {
        let good = sample::results().to_json();
        let change = |from: &str, to: &str| {
            assert!(good.contains(from), "{from}");
            error(&good.replacen(from, to, 1))
        };
        assert_eq!(error("{"), "line 1, column 1: EOF while parsing an object");
        assert_eq!(
            error("[]x"),
            "line 1, column 2: invalid length 0, expected struct Results with 4 elements"
        );
        assert_eq!(
            change(SCHEMA, "pqsoc-results/2"),
            "schema is \"pqsoc-results/2\", this program reads \"pqsoc-results/1\""
        );
        let unknown = change("\"cycles\":", "\"cylces\":");
        assert!(
            unknown.contains("(measurements[0])") && unknown.contains("unknown field `cylces`"),
            "{unknown}"
        );
        let text = change("\"status\":\"modelled\",\"runs\":10,", "\"status\":\"modelled\",\"runs\":\"x\",");
        assert!(
            text.starts_with("line ")
                && text.contains("measurements[0]")
                && text.contains("invalid type: string"),
            "{text}"
        );
        let missing = change("\"algorithm\":\"ML-DSA-44\",", "");
        assert!(missing.contains("missing field `algorithm`"), "{missing}");
        assert!(
            change("\"provenance\":\"invented\"", "\"provenance\":\"other\"")
                .starts_with("measurements[0].provenance names \"other\"")
        );
        assert_eq!(
            change("\"operation\":\"sign\"", "\"operation\":\"keygen\""),
            "measurements[1] is there twice: ML-DSA-44 keygen, pqsoc fast, stm32f407 24 MHz"
        );
        assert!(error(&format!("{good} x")).contains("trailing characters"));
    }

    #[test]
    fn values_must_agree() {
        let results = sample::results();
        let with = |change: &dyn Fn(&mut Measurement)| {
            let mut results = results.clone();
            let sign =
                results.measurements.iter_mut().find(|m| m.subject.operation == Operation::Sign).unwrap();
            change(sign);
            error(&results.to_json())
        };
        fn cycles(m: &mut Measurement) -> &mut Figure {
            m.cycles.as_mut().unwrap()
        }
        assert!(with(&|m| cycles(m).runs = 0).contains("measurements[1].cycles has no runs"));
        assert!(with(&|m| cycles(m).max = Some(1.0)).contains("is not in order"));
        assert!(with(&|m| cycles(m).min = Some(-1.0)).contains("negative"));
        assert!(
            with(&|m| cycles(m).samples.as_mut().unwrap()[0] += 1.0).contains("not those of its samples")
        );
        assert!(
            with(&|m| cycles(m).samples.as_mut().unwrap().truncate(59)).contains("59 samples for 60 runs")
        );
        assert!(with(&|m| m.time_ms.as_mut().unwrap().high = Some(0.001)).contains("outside of low to high"));
        assert!(with(&|m| m.breakdown[0].share = 0.9).contains("add up to 1.300"));
        assert!(with(&|m| m.subject.core_mhz = 0.0).contains("is not a clock"));
    }

    #[test]
    fn merging_keeps_sources_apart() {
        let mut all = sample::results();
        let mut other = sample::results();
        other.provenance.get_mut("invented").unwrap().title = "Another.".into();
        other.measurements.truncate(2);
        other.measurements[1].subject.algorithm = "new".into();
        all.merge(other);
        assert_eq!(all.measurements.len(), sample::results().measurements.len() + 1);
        assert_eq!(all.measurements[0].provenance, "invented-2");
        assert_eq!(all.measurements[1].provenance, "invented");
        assert_eq!(Results::from_json(&all.to_json()).unwrap(), all);
    }
}
