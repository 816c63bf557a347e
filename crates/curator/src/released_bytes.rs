//! Released numbers as bytes, for the ledger: what a repeated question gets back.
//!
//! **Guarantee.** [`decode`] of [`encode`] is the same [`Recorded`]; any other bytes give `None`, never a panic.
//! Stored are released numbers, their keys, and the terms on which they were released: what each key and measure is, and
//! at which price. So another order, another alias, other arithmetic, a part of the numbers or a smaller price are
//! answered from the record and cost nothing. The first version had no terms; graphs still have none. Releases that were
//! bought together stand one behind the other, each as it would stand alone.
//! In front of what took longer than one quantum of the clock stands how long it took: whoever is the second to ask for it must
//! not get it sooner, for that would tell that somebody had asked (`ask.rs`).

use std::time::Duration;

use pointillist_catalog::Value;
use pointillist_numbers::{IBig, Rational, UBig};
use pointillist_plan::{MeasureTerms, Terms};
use pointillist_privacy::{Currency, Delta, Epsilon, Price, Rho, Spend};

use crate::release::Released;
use crate::reuse::Recorded;

/// Without terms, and with them.
const VERSIONS: [u8; 2] = [1, 2];
/// Several releases.
const SEVERAL: u8 = 3;
/// Behind it how many milliseconds what follows took.
const SLOW: u8 = 4;

/// More measures than a statement can have: so many take no byte where there is no group.
const MEASURES_MAX: usize = 4096;

/// These bytes, with how long it took to make what is in them; nothing is written where that is no time.
pub(crate) fn with_time(released: Vec<u8>, taken: Duration) -> Vec<u8> {
    let milliseconds = u64::try_from(taken.as_millis()).unwrap_or(u64::MAX);
    if milliseconds == 0 {
        return released;
    }
    [&[SLOW], milliseconds.to_be_bytes().as_slice(), &released].concat()
}

/// How long it took to make what is in these bytes, where that was written down.
pub(crate) fn time_of(bytes: &[u8]) -> Duration {
    split_time(bytes).0
}

fn split_time(bytes: &[u8]) -> (Duration, &[u8]) {
    let timed = bytes.strip_prefix(&[SLOW]).and_then(|rest| rest.split_first_chunk::<8>());
    match timed {
        Some((milliseconds, rest)) => (Duration::from_millis(u64::from_be_bytes(*milliseconds)), rest),
        None => (Duration::ZERO, bytes),
    }
}

/// The bytes of what was released for one payment.
pub(crate) fn encode(releases: &[Recorded]) -> Vec<u8> {
    if let [only] = releases {
        return encode_one(only);
    }
    let mut out = vec![SEVERAL];
    number(&mut out, releases.len());
    releases.iter().for_each(|recorded| bytes(&mut out, &encode_one(recorded)));
    out
}

fn encode_one(recorded: &Recorded) -> Vec<u8> {
    let Recorded { terms, released } = recorded;
    let mut out = vec![VERSIONS[usize::from(terms.is_some())]];
    if let Some(terms) = terms {
        encode_terms(&mut out, terms);
    }
    number(&mut out, released.keys.len());
    number(&mut out, released.keys.first().map_or(0, Vec::len));
    number(&mut out, released.measures.len());
    for key in &released.keys {
        out.extend(key_bytes(key));
    }
    for noisy in released.measures.iter().flatten() {
        out.extend(noisy.to_be_bytes());
    }
    out
}

/// The bytes of a group's key: equal for equal keys only.
pub(crate) fn key_bytes(key: &[Option<Value>]) -> Vec<u8> {
    let mut out = Vec::new();
    for value in key {
        match value {
            None => out.push(0),
            Some(Value::Boolean(value)) => out.extend([1, u8::from(*value)]),
            Some(Value::Integer(value)) => tagged(&mut out, 2, &value.to_be_bytes()),
            Some(Value::Number(value)) => tagged(&mut out, 3, &value.to_bits().to_be_bytes()),
            Some(Value::Text(value)) => {
                out.push(4);
                number(&mut out, value.len());
                out.extend(value.as_bytes());
            }
            Some(Value::Date(value)) => tagged(&mut out, 5, &value.to_be_bytes()),
            Some(Value::Timestamp(value)) => tagged(&mut out, 6, &value.to_be_bytes()),
        }
    }
    out
}

fn encode_terms(out: &mut Vec<u8>, terms: &Terms) {
    let Terms { keys, measures, selection, price } = terms;
    number(out, keys.len());
    keys.iter().for_each(|label| bytes(out, label));
    number(out, measures.len());
    for MeasureTerms { label, spend } in measures {
        bytes(out, label);
        let (tag, value) = match spend {
            Spend::Pure(epsilon) => (0, epsilon.value()),
            Spend::Concentrated(rho) => (1, rho.value()),
        };
        out.push(tag);
        rational(out, value);
    }
    out.push(u8::from(selection.is_some()));
    if let Some((rho, delta)) = selection {
        rational(out, rho.value());
        rational(out, delta.value());
    }
    match price.currency() {
        Currency::Pure => {
            out.push(0);
            rational(out, &price.amount().loss());
        }
        Currency::Zcdp => {
            out.push(1);
            rational(out, &price.amount().loss());
            rational(out, &price.amount().delta());
        }
    }
}

/// What was released for one payment, from these bytes.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<Recorded>> {
    let (_, bytes) = split_time(bytes);
    let Some(several) = bytes.strip_prefix(&[SEVERAL]) else { return Some(vec![decode_one(bytes)?]) };
    let mut rest = Reader(several);
    let releases = (0..rest.length()?).map(|_| decode_one(rest.bytes()?)).collect::<Option<Vec<_>>>()?;
    // One alone is written as such: there is one way to write a record.
    (rest.0.is_empty() && releases.len() > 1).then_some(releases)
}

fn decode_one(bytes: &[u8]) -> Option<Recorded> {
    let mut rest = Reader(bytes);
    let terms = match rest.take::<1>()? {
        [version] if version == VERSIONS[0] => None,
        [version] if version == VERSIONS[1] => Some(rest.terms()?),
        _ => return None,
    };
    let released = rest.released()?;
    rest.0.is_empty().then_some(Recorded { terms, released })
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    number(out, bytes.len());
    out.extend(bytes);
}

/// A number that is not negative.
fn rational(out: &mut Vec<u8>, value: &Rational) {
    bytes(out, &value.abs().numerator().to_be_bytes());
    bytes(out, &value.denominator().to_be_bytes());
}
fn tagged(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    out.extend(bytes);
}

fn number(out: &mut Vec<u8>, value: usize) {
    out.extend((value as u64).to_be_bytes());
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn released(&mut self) -> Option<Released> {
        let [groups, arity, measures] = [self.number()?, self.number()?, self.number()?];
        // Every key and every measure of a group takes at least a byte: no length may ask for more than there is.
        let left = self.0.len();
        if groups.checked_mul(arity.checked_add(measures)?.max(1))? > left.max(1)
            || measures > left.max(MEASURES_MAX)
        {
            return None;
        }
        let mut keys = Vec::new();
        for _ in 0..groups {
            keys.push((0..arity).map(|_| self.key()).collect::<Option<Vec<_>>>()?);
        }
        let column = |rest: &mut Self| (0..groups).map(|_| rest.take().map(i128::from_be_bytes)).collect();
        let measures = (0..measures).map(|_| column(self)).collect::<Option<Vec<_>>>()?;
        Some(Released { keys, measures })
    }

    fn terms(&mut self) -> Option<Terms> {
        let keys = (0..self.length()?).map(|_| self.bytes().map(<[u8]>::to_vec)).collect::<Option<_>>()?;
        let measures = (0..self.length()?).map(|_| self.measure()).collect::<Option<_>>()?;
        let selection = match self.take::<1>()? {
            [0] => None,
            [1] => Some((Rho::new(self.rational()?).ok()?, Delta::new(self.rational()?).ok()?)),
            _ => return None,
        };
        // Records from before prices were rounded hold the exact loss: it rounds to the price that was paid.
        let price = match self.take::<1>()? {
            [0] => Price::pure(&Epsilon::new(self.rational()?).ok()?),
            [1] => Price::zcdp(&Rho::new(self.rational()?).ok()?, &Delta::new(self.rational()?).ok()?),
            _ => return None,
        };
        Some(Terms { keys, measures, selection, price })
    }

    fn measure(&mut self) -> Option<MeasureTerms> {
        let label = self.bytes()?.to_vec();
        let spend = match self.take::<1>()? {
            [0] => Spend::Pure(Epsilon::new(self.rational()?).ok()?),
            [1] => Spend::Concentrated(Rho::new(self.rational()?).ok()?),
            _ => return None,
        };
        Some(MeasureTerms { label, spend })
    }

    /// How many follow: no more than there are bytes.
    fn length(&mut self) -> Option<usize> {
        self.number().filter(|length| *length <= self.0.len())
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        let (bytes, tail) = self.0.split_at_checked(length)?;
        self.0 = tail;
        Some(bytes)
    }

    fn rational(&mut self) -> Option<Rational> {
        let [numerator, denominator] = [self.bytes()?, self.bytes()?].map(UBig::from_be_bytes);
        Rational::new(IBig::from(numerator), denominator)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk::<N>()?;
        self.0 = tail;
        Some(*head)
    }

    fn number(&mut self) -> Option<usize> {
        usize::try_from(u64::from_be_bytes(self.take()?)).ok()
    }

    fn key(&mut self) -> Option<Option<Value>> {
        let value = match self.take::<1>()?[0] {
            0 => return Some(None),
            1 => match self.take::<1>()?[0] {
                flag @ (0 | 1) => Value::Boolean(flag == 1),
                _ => return None,
            },
            2 => Value::Integer(i64::from_be_bytes(self.take()?)),
            3 => Value::number(f64::from_bits(u64::from_be_bytes(self.take()?)))?,
            4 => Value::Text(std::str::from_utf8(self.bytes()?).ok()?.to_owned()),
            5 => Value::Date(i32::from_be_bytes(self.take()?)),
            6 => Value::Timestamp(i64::from_be_bytes(self.take()?)),
            _ => return None,
        };
        Some(Some(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn released() -> Released {
        let texts = ["", "north", "\u{0}'; DROP", "日本"].map(|text| Some(Value::Text(text.to_owned())));
        let others =
            [None, Some(Value::Integer(i64::MIN)), Some(Value::Date(-1)), Some(Value::Timestamp(i64::MAX))];
        let keys =
            texts.into_iter().zip(others).map(|(text, other)| vec![text, other, Some(Value::Boolean(true))]);
        Released { keys: keys.collect(), measures: vec![vec![i128::MIN, -1, 0, i128::MAX], vec![1, 2, 3, 4]] }
    }

    fn terms() -> Terms {
        let rho = |text: &str| Rho::parse(text).unwrap();
        let third = Spend::Concentrated(rho("1/3"));
        let pure = Spend::Pure(Epsilon::parse("0.1").unwrap());
        let delta = Delta::parse("1e-9").unwrap();
        Terms {
            keys: vec![vec![], vec![7; 300]],
            measures: vec![
                MeasureTerms { label: vec![1, 2], spend: third },
                MeasureTerms { label: vec![3], spend: pure },
            ],
            selection: Some((rho("0.25"), delta.clone())),
            price: Price::zcdp(&rho("7/12"), &delta),
        }
    }

    #[test]
    fn released_numbers_come_back_as_they_were() {
        let empty = Released { keys: vec![], measures: vec![vec![], vec![]] };
        let ungrouped = Released { keys: vec![vec![]], measures: vec![vec![70]] };
        let pure = Price::pure(&Epsilon::parse("2").unwrap());
        let other = Terms { keys: vec![], measures: vec![], selection: None, price: pure };
        for released in [released(), empty, ungrouped] {
            for terms in [None, Some(terms()), Some(other.clone())] {
                let recorded = Recorded { terms, released: released.clone() };
                let one = vec![recorded.clone()];
                let several = vec![recorded.clone(), one[0].clone(), Recorded { terms: None, ..recorded }];
                for releases in [one, several] {
                    assert_eq!(decode(&encode(&releases)), Some(releases));
                }
            }
        }
    }

    /// Specification: a record that holds the exact loss, as records once did, is read as the price that the ledger took
    /// for it; so what it answers is what it answered then.
    #[test]
    fn the_exact_loss_of_an_older_record_is_read_as_the_price_that_was_paid() {
        let terms = terms();
        let [mut rounded, mut exact] = [Vec::new(), Vec::new()];
        rational(&mut rounded, &terms.price.amount().loss());
        rational(&mut exact, &Rational::ratio(7, 12));
        let recorded = vec![Recorded { terms: Some(terms), released: released() }];
        let bytes = encode(&recorded);
        let places = bytes.windows(rounded.len()).enumerate().filter(|(_, window)| *window == rounded);
        let [place] = places.map(|(place, _)| place).collect::<Vec<_>>()[..] else { panic!("one price") };
        let older = [&bytes[..place], &exact, &bytes[place + rounded.len()..]].concat();
        assert_ne!(older, bytes);
        assert_eq!(decode(&older), Some(recorded));
    }

    /// Every prefix is refused, and no flipped byte makes the decoder panic or take memory it was not given.
    #[test]
    fn damaged_bytes_are_refused_or_decoded_without_a_panic() {
        let one = || Recorded { terms: Some(terms()), released: released() };
        for bytes in [encode(&[one()]), encode(&[one(), one()])] {
            damage(&bytes);
        }
    }

    fn damage(bytes: &[u8]) {
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length}");
        }
        for position in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = bytes.to_vec();
                damaged[position] ^= flip;
                let _ = decode(&damaged);
            }
        }
        for version in [VERSIONS[0], VERSIONS[1], SEVERAL] {
            let huge = [&[version][..], &u64::MAX.to_be_bytes(), &[0; 8], &[0; 8]].concat();
            assert_eq!(decode(&huge), None);
        }
    }
}
