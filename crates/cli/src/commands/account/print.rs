//! Answers of calculators on stdout, and refusals with the flags that help.

use std::io::{self, BufWriter, Write};

use pointillist_errors::{Explained, Explanation, Kind};
use pointillist_privacy::calculator::CalculatorError;
use pointillist_render::calculator::{CalculatorAnswer, RowRounding};

use crate::failure::Failure;
use crate::terminal::Json;

/// Writes an answer to stdout.
pub fn print(answer: &CalculatorAnswer, json: bool) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    if json {
        writeln!(out, "{}", Json(&answer.json))?;
    } else {
        let more = if answer.rounding == RowRounding::Noise { "may have more" } else { "has 17" };
        for line in answer.lines(&format!("--json {more}")) {
            writeln!(out, "{line}")?;
        }
    }
    Ok(out.flush()?)
}

/// What the library says, with the flags of this command in its hint.
pub fn with_flags(error: &CalculatorError) -> Failure {
    let flags = match error {
        CalculatorError::RhoAlone => "add --delta to ask for ε, or --epsilon to ask for δ",
        CalculatorError::DeltaAlone => "add what is known: --epsilon, --rho, --mu or --eta",
        CalculatorError::NothingToConvert => {
            "give what is known, such as --rho 0.1 --delta 1e-6; --help lists what converts into what"
        }
        CalculatorError::NothingToCompute => "leave out --epsilon to ask for ε, or --delta to ask for δ",
        CalculatorError::RangeWithEpsilon => "give --eta alone for ρ, or with --delta for ε",
        CalculatorError::SeveralGuarantees => {
            "give exactly one of --rho, --mu and --eta, or --epsilon without them"
        }
        CalculatorError::RhoOfPureBudget => {
            "give a small positive δ such as 1e-9, or leave out --delta to convert pure ε"
        }
        CalculatorError::NothingAmplifies => {
            "give --sampling-rate, such as 0.01, or --shuffle with the number of reports"
        }
        CalculatorError::ShuffledAtZeroDelta => "give the δ at which ε is asked for, such as --delta 1e-6",
        CalculatorError::InverseOfShuffling => {
            "leave --inverse out, and try values of --epsilon with --shuffle; or give --sampling-rate"
        }
        CalculatorError::NothingToEnlarge | CalculatorError::NoPrice => {
            "give --epsilon, with --delta where there is one, or --rho"
        }
        CalculatorError::DeltaWithRho => {
            "leave --delta out, and convert the ρ of the group with `pointillist account convert`"
        }
        CalculatorError::NoBudget => {
            "give --budget-epsilon, with --budget-delta where there is one, or --budget-rho"
        }
        CalculatorError::NoFilter => {
            "give the budget a δ, such as --budget-delta 1e-9, or price the question with --epsilon"
        }
        _ => return hinted(error, error.hint()),
    };
    hinted(error, Some(flags.to_owned()))
}

/// A request that cannot be answered, and what to ask instead.
pub fn hinted(error: &impl Explained, hint: Option<String>) -> Failure {
    let said = Explanation::new(Kind::Request, error.to_string());
    Failure::explained(match hint {
        Some(hint) => said.with_hint(hint),
        None => said,
    })
}
