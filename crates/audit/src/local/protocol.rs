//! Any randomizer as its users run it: an answer goes in, a line comes out.
//!
//! **Neighbours.** Any two answers of one respondent. The pairs tried are the ends of the range, adjacent answers,
//! answers that a method might confuse, and answers that it clamps or cuts.
//! **Seen.** The line, taken apart: numbers, bits, the hash function and its cell. Rows of more than [`BITS_SHOWN`] bits
//! are seen at the places of the two answers only. Beside them stands how far the report *leans*: how often it speaks for
//! the first answer less how often for the second. That is a function of the line, so it adds nothing that is not seen;
//! but hash functions and long rows say it in a way that no search over single numbers would find.

use pointillist_local::{Domain, MeanOracle, Oracle, PrefixTree, Protocol, Report};
use pointillist_noise::SecureBits;
use pointillist_numbers::Rational;

use crate::{AuditError, Observation, Profile, Side, Subject, no_pair};

/// Longer rows are seen in part.
const BITS_SHOWN: usize = 64;

/// One respondent's randomizer.
pub struct ProtocolSubject {
    profile: Profile,
    protocol: Protocol,
    labels: Option<Domain>,
    pairs: Vec<Answers>,
    line: String,
}

/// Two answers that one respondent may give, as they are written and, where values are numbered, by number.
#[derive(Clone, Debug)]
pub(super) struct Answers {
    pub(super) said: [String; 2],
    values: [u64; 2],
}

/// Audits a method of any kind, with the labels of its values if it has any.
pub fn protocol_subject(protocol: Protocol, labels: Option<Domain>) -> Result<ProtocolSubject, AuditError> {
    let pairs = pairs_of(&protocol, labels.as_ref())?;
    let profile = Profile::new(protocol.to_string(), protocol.loss())
        .with_neighbours(pairs.iter().map(|pair| format!("{:?} or {:?}", pair.said[0], pair.said[1])));
    Ok(ProtocolSubject { profile, protocol, labels, pairs, line: String::new() })
}

impl Subject for ProtocolSubject {
    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn release(
        &mut self,
        pair: usize,
        side: Side,
        bits: &mut dyn SecureBits,
    ) -> Result<Observation, AuditError> {
        let answers = self.pairs.get(pair).ok_or_else(|| no_pair(pair))?;
        self.line.clear();
        let answer = &answers.said[side.index()];
        self.protocol.randomize_line(self.labels.as_ref(), answer, bits, &mut self.line)?;
        seen(&self.protocol, answers, &self.line)
    }
}

/// How far a line leans to the first of two answers, away from the second. What is large speaks for the first.
pub(super) fn leaning(protocol: &Protocol, answers: &Answers, line: &str) -> Result<i128, AuditError> {
    let less = |[first, second]: [u64; 2]| i128::from(first) - i128::from(second);
    Ok(match protocol {
        Protocol::Frequency(oracle) => {
            let report = oracle.parse_report(line)?;
            less(answers.values.map(|value| oracle.support(&report, value)))
        }
        Protocol::Mean(oracle) => {
            let Report::Value(report) = oracle.parse_report(line)? else { return Ok(0) };
            // The higher a report, the higher the answer.
            if answers.values[0] > answers.values[1] { i128::from(report) } else { -i128::from(report) }
        }
        Protocol::Strings(tree) => {
            let report = tree.parse_report(line)?;
            let [first, second] = &answers.said;
            less([tree.supports(&report, first)?.into(), tree.supports(&report, second)?.into()])
        }
    })
}

fn seen(protocol: &Protocol, answers: &Answers, line: &str) -> Result<Observation, AuditError> {
    let observation = match protocol {
        Protocol::Frequency(oracle) => taken_apart(&oracle.parse_report(line)?, answers),
        Protocol::Mean(oracle) => return Ok(taken_apart(&oracle.parse_report(line)?, answers)),
        Protocol::Strings(tree) => {
            let report = tree.parse_report(line)?;
            Observation::new()
                .with("level", report.level)
                .with("multiplier", report.hash.multiplier)
                .with("shift", report.hash.shift)
                .with("cell", report.cell)
        }
    };
    Ok(observation.with("leans", leaning(protocol, answers, line)?))
}

fn taken_apart(report: &Report, answers: &Answers) -> Observation {
    let bits = |mut seen: Observation, bits: &pointillist_local::Bits| {
        let all = 0..bits.len();
        let some = answers.values.map(|value| value as usize);
        let shown: Vec<usize> = if bits.len() <= BITS_SHOWN { all.collect() } else { some.to_vec() };
        for place in shown {
            seen = seen.with(format!("bit {place}"), bits.get(place));
        }
        seen
    };
    match report {
        Report::Value(value) => Observation::new().with("report", *value),
        Report::Subset(values) => {
            let members = values.iter().take(BITS_SHOWN).zip(0..);
            members
                .fold(Observation::new(), |seen, (value, place)| seen.with(format!("member {place}"), *value))
        }
        Report::Bits(row) => bits(Observation::new(), row),
        Report::Hashed { hash, cell } => Observation::new()
            .with("multiplier", hash.multiplier)
            .with("shift", hash.shift)
            .with("cell", *cell),
        Report::HashedBits { hashes, bits: row } => {
            let seen = hashes.iter().enumerate().fold(Observation::new(), |seen, (block, hash)| {
                let named = |what: &str| format!("{what} {block}");
                seen.with(named("multiplier"), hash.multiplier).with(named("shift"), hash.shift)
            });
            // Rows of hashed values have no place of their own for a value.
            if row.len() <= BITS_SHOWN { bits(seen, row) } else { seen }
        }
    }
}

/// The pairs of answers worth trying.
pub(super) fn pairs_of(protocol: &Protocol, labels: Option<&Domain>) -> Result<Vec<Answers>, AuditError> {
    match protocol {
        Protocol::Frequency(oracle) => values(oracle, labels),
        Protocol::Mean(oracle) => Ok(numbers(oracle)),
        Protocol::Strings(tree) => Ok(strings(tree)),
    }
}

fn values(oracle: &Oracle, labels: Option<&Domain>) -> Result<Vec<Answers>, AuditError> {
    let count = oracle.values();
    if labels.is_some_and(|labels| labels.values() != count) {
        return Err(AuditError::new(
            format!("the method has {count} values, and the list of labels has another number"),
            "give one label a value, in their order",
        ));
    }
    let mut pairs = vec![[0, count - 1], [0, 1], [count / 2 - 1, count / 2], [1, 2]];
    // Values that a function with so few cells would send to the same one if it were not drawn at random.
    if let Oracle::Hashing(hashing) = oracle {
        pairs.push([0, hashing.hash_cells()]);
    }
    let mut distinct = Vec::new();
    for pair in pairs {
        if pair[1] < count && !distinct.contains(&pair) {
            distinct.push(pair);
        }
    }
    let said =
        |value: u64| labels.and_then(|labels| labels.label(value)).unwrap_or_else(|| value.to_string());
    Ok(distinct.into_iter().map(|values| Answers { said: values.map(said), values }).collect())
}

fn numbers(oracle: &MeanOracle) -> Vec<Answers> {
    let range = oracle.range();
    let (lower, upper) = (range.lower(), range.upper());
    let step = (upper - lower) / Rational::from(range.steps());
    let at = |steps: u64| lower + &(&step * &Rational::from(steps));
    let middle = range.steps() / 2;
    // Numbers outside the range are moved to its ends before anything is drawn.
    let [below, above] = [lower - &(upper - lower), upper + &(upper - lower)];
    let answers = |said: [Rational; 2]| {
        let values = [range.step_of(&said[0]), range.step_of(&said[1])];
        Answers { said: said.map(|number| number.to_string()), values }
    };
    [
        [lower.clone(), upper.clone()],
        [at(middle), at(middle + 1)],
        [lower.clone(), at(middle)],
        [lower.clone(), above.clone()],
        [below, above],
    ]
    .map(answers)
    .to_vec()
}

fn strings(tree: &PrefixTree) -> Vec<Answers> {
    let symbols: Vec<char> = tree.alphabet().chars().collect();
    let (first, last) = (symbols[0].to_string(), symbols[symbols.len() - 1].to_string());
    let length = tree.length() as usize;
    let [low, high] = [first.repeat(length), last.repeat(length)];
    let but_last = first.repeat(length - 1);
    let mut pairs = vec![[String::new(), high.clone()], [low.clone(), but_last.clone()]];
    if low != high {
        pairs.push([low.clone(), high.clone()]);
        pairs.push([low, format!("{but_last}{last}")]);
        // What is longer than the tree is cut.
        pairs.push([format!("{high}{first}"), first]);
    }
    pairs.into_iter().map(|said| Answers { said, values: [0, 1] }).collect()
}
