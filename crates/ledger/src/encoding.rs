//! One way to write each value: fixed widths, big-endian, lengths before contents.
//!
//! **Guarantee.** Different values have different bytes, and different bytes that read at all read as different
//! values, so that a hash of the bytes is a hash of the value.

use pointillist_privacy::Amount;

use crate::Digest;

#[derive(Default)]
pub(crate) struct Encoder(Vec<u8>);

impl Encoder {
    pub fn finish(self) -> Vec<u8> {
        self.0
    }

    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn number(&mut self, value: u64) {
        self.0.extend(value.to_be_bytes());
    }

    pub fn fixed(&mut self, value: &[u8]) {
        self.0.extend(value);
    }

    pub fn bytes(&mut self, value: &[u8]) {
        self.number(value.len() as u64);
        self.fixed(value);
    }

    pub fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }

    pub fn optional<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.byte(value.is_some().into());
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub fn amount(&mut self, value: Amount) {
        self.fixed(&value.loss_units.to_be_bytes());
        self.fixed(&value.delta_units.to_be_bytes());
    }
}

/// Reads what [`Encoder`] wrote; `None` for anything else.
pub(crate) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// `None` when something is left: a record ends where it says.
    pub fn finish(self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.fixed::<1>().map(|[value]| value)
    }

    pub fn number(&mut self) -> Option<u64> {
        self.fixed().map(u64::from_be_bytes)
    }

    pub fn fixed<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (value, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*value)
    }

    pub fn bytes(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.number()?).ok()?;
        let (value, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(value.to_vec())
    }

    pub fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }

    pub fn optional<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.byte()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }

    pub fn amount(&mut self) -> Option<Amount> {
        let [loss_units, delta_units] = [self.fixed()?, self.fixed()?].map(u128::from_be_bytes);
        Some(Amount { loss_units, delta_units })
    }

    pub fn digest(&mut self) -> Option<Digest> {
        self.fixed().map(Digest)
    }
}
