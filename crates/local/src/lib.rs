//! The local model of differential privacy: no trusted curator.
//!
//! Everyone randomizes their own answer before it leaves them, and sends a report. Whoever collects the
//! reports, reads them on the way or steals them later learns little about anybody; many reports together
//! still show how often each answer is held. The price is accuracy: errors fall as `1/(ε√n)`, not as `1/(εn)`
//! (see [`forecast`]).
//!
//! **Neighbours.** Everywhere: one person's answer is replaced by any other. That a person took part is not
//! hidden, and neither is how long drawing a report took.
//!
//! | you want | use |
//! | --- | --- |
//! | how often each of k values is held | [`auto`](mod@auto) for an [`Oracle`], then a [`Collector`] |
//! | yes or no | [`binary_response`] |
//! | few values | [`kary_response`], [`subset_selection`] |
//! | many values | [`unary_encoding`], [`local_hashing`], [`hadamard_response`] |
//! | the same answer again and again | [`rappor`] |
//! | the mean of a bounded number | [`sign_mean`], [`window_mean`], by [`mean`] |
//! | frequent strings nobody listed | [`prefix_tree`] |
//! | what a shuffler adds | [`shuffle`] |
//! | what to expect before asking anybody | [`Forecast`] |
//! | a survey by its line, lines of answers in, lines of reports out | [`Survey`] |
//! | a report from what was remembered | [`MemoryFile`] |
//! | shares, a mean or words from a file of reports | [`ReportsFile`] |
//!
//! ```
//! use pointillist_local::{Collector, Domain, Oracle, auto};
//! use pointillist_noise::with_system_bits;
//! use pointillist_privacy::Epsilon;
//!
//! let colours = Domain::labels(["red", "green", "blue"].map(String::from).to_vec())?;
//! let oracle = auto(colours.values(), &Epsilon::parse("1")?, 1000)?.oracle;
//!
//! // Each respondent, on their own machine, knowing the line that `oracle.to_string()` gives:
//! let report = with_system_bits(|bits| oracle.randomize(colours.value("green")?, bits))??.to_string();
//!
//! // The collector, knowing the same line:
//! let mut collector = Collector::new(oracle.to_string().parse::<Oracle>()?);
//! collector.absorb_line(&report)?;
//! assert_eq!(collector.estimates().len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod auto;
pub mod binary_response;
pub mod forecast;
pub mod hadamard_response;
pub mod kary_response;
pub mod local_hashing;
pub mod mean;
pub mod prefix_tree;
pub mod rappor;
pub mod shuffle;
pub mod sign_mean;
pub mod subset_selection;
pub mod unary_encoding;
pub mod window_mean;

mod any_collector;
mod coins;
mod collector;
mod domain;
mod error;
mod estimate;
mod frequency_oracle;
mod hash_family;
mod lines;
mod memory_file;
mod oracle;
mod protocol;
mod question;
mod range;
mod rates;
mod report;
mod report_stream;
mod reports_file;
mod settings;
mod survey;
mod survey_estimates;

pub use any_collector::AnyCollector;
pub use auto::{Candidate, Choice, auto};
pub use collector::Collector;
pub use domain::Domain;
pub use error::{LocalError, MemoryFileError, StreamError};
pub use estimate::{Estimate, Interval, MISS, normalised};
pub use forecast::Forecast;
pub use frequency_oracle::{FrequencyOracle, VALUES_MAX};
pub use lines::Lines;
pub use mean::{MeanCollector, MeanEstimate, MeanMethod, MeanOracle};
pub use memory_file::MemoryFile;
pub use oracle::{Method, Oracle};
pub use prefix_tree::{Found, FoundString, PrefixTree, TreeCollector, TreeReport};
pub use protocol::Protocol;
pub use question::{AUTO, Question, SurveyDesign};
pub use range::{Range, STEPS_MAX};
pub use rates::Rates;
pub use report::{Bits, Hash, Report};
pub use report_stream::ReportFrame;
pub use reports_file::ReportsFile;
pub use survey::{Cost, Survey};
pub use survey_estimates::{
    AnswerEstimate, EstimatedFigures, EstimatedMean, EstimatedShare, MISS_OF_A_WORD, SurveyEstimates,
    WordEstimate,
};
