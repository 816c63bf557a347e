//! Released numbers as bytes, for the ledger: what a repeated question gets back.
//!
//! **Guarantee.** [`decode`] of [`encode`] is the same [`Released`]; any other bytes give `None`, never a panic.
//! Only released numbers and keys are stored, so that another order, another alias or other arithmetic on the
//! same numbers is the same question and costs nothing.

use pointillist_catalog::Value;

use crate::release::Released;

const VERSION: u8 = 1;

/// The bytes of released numbers.
pub(crate) fn encode(released: &Released) -> Vec<u8> {
    let mut out = vec![VERSION];
    number(&mut out, released.keys.len());
    number(&mut out, released.keys.first().map_or(0, Vec::len));
    number(&mut out, released.measures.len());
    for key in released.keys.iter().flatten() {
        match key {
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
    for noisy in released.measures.iter().flatten() {
        out.extend(noisy.to_be_bytes());
    }
    out
}

/// The released numbers of these bytes.
pub(crate) fn decode(bytes: &[u8]) -> Option<Released> {
    let mut rest = Reader(bytes);
    if rest.take::<1>()? != [VERSION] {
        return None;
    }
    let [groups, arity, measures] = [rest.number()?, rest.number()?, rest.number()?];
    // Every key and every measure of a group takes at least a byte: no length may ask for more than there is.
    if groups.checked_mul(arity.checked_add(measures)?.max(1))? > bytes.len() || measures > bytes.len() {
        return None;
    }
    let mut keys = Vec::new();
    for _ in 0..groups {
        keys.push((0..arity).map(|_| rest.key()).collect::<Option<Vec<_>>>()?);
    }
    let column = |rest: &mut Reader| (0..groups).map(|_| rest.take().map(i128::from_be_bytes)).collect();
    let measures = (0..measures).map(|_| column(&mut rest)).collect::<Option<Vec<_>>>()?;
    rest.0.is_empty().then_some(Released { keys, measures })
}

fn tagged(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    out.extend(bytes);
}

fn number(out: &mut Vec<u8>, value: usize) {
    out.extend((value as u64).to_be_bytes());
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
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
            4 => {
                let length = self.number()?;
                let (text, tail) = self.0.split_at_checked(length)?;
                self.0 = tail;
                Value::Text(std::str::from_utf8(text).ok()?.to_owned())
            }
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

    #[test]
    fn released_numbers_come_back_as_they_were() {
        let empty = Released { keys: vec![], measures: vec![vec![], vec![]] };
        let ungrouped = Released { keys: vec![vec![]], measures: vec![vec![70]] };
        for released in [released(), empty, ungrouped] {
            assert_eq!(decode(&encode(&released)), Some(released));
        }
    }

    /// Every prefix is refused, and no flipped byte makes the decoder panic or take memory it was not given.
    #[test]
    fn damaged_bytes_are_refused_or_decoded_without_a_panic() {
        let bytes = encode(&released());
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length}");
        }
        for position in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[position] ^= flip;
                let _ = decode(&damaged);
            }
        }
        let huge = [&[VERSION][..], &u64::MAX.to_be_bytes(), &[0; 8], &[0; 8]].concat();
        assert_eq!(decode(&huge).map(|released| released.keys.len()), None);
    }
}
