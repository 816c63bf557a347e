//! Passwords: made, and prepared as SASL wants them.

use std::borrow::Cow;
use std::fmt;

use crate::AccessError;

/// Letters and digits that are not mistaken for each other (Crockford's base 32, in small letters).
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Bytes of randomness in a password that is made: 160 bits.
const RANDOM_BYTES: usize = 20;

/// The longest password that is taken, in bytes.
const LENGTH_MAX: usize = 1_024;

/// A password, which shows itself to nobody who does not ask for it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// A password that somebody chose.
    ///
    /// # Errors
    /// When it is empty, longer than 1024 bytes or has a zero byte, which no client can send.
    pub fn new(text: impl Into<String>) -> Result<Self, AccessError> {
        let text = text.into();
        let usable = !text.is_empty() && text.len() <= LENGTH_MAX && !text.contains('\0');
        usable.then_some(Self(text)).ok_or(AccessError::Password)
    }

    /// A password of 160 random bits, in groups of four letters that can be read aloud.
    ///
    /// # Errors
    /// When the operating system gives no random bytes.
    pub fn made() -> Result<Self, AccessError> {
        let mut bytes = [0; RANDOM_BYTES];
        getrandom::fill(&mut bytes).map_err(|_| AccessError::NoRandomness)?;
        Ok(Self(grouped(&letters(&bytes))))
    }

    /// The password itself, to be shown once.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// What both ends hash: the password after SASLprep (RFC 4013), or as it is where that refuses it, as PostgreSQL does.
    pub(crate) fn prepared(&self) -> Cow<'_, str> {
        stringprep::saslprep(&self.0).unwrap_or(Cow::Borrowed(&self.0))
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Password(…)")
    }
}

/// Bytes as letters, five bits each. Whole groups of five bytes only lose nothing.
pub(crate) fn letters(bytes: &[u8]) -> String {
    let mut text = String::new();
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in bytes {
        held = (held << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            text.push(char::from(LETTERS[((held >> bits) & 31) as usize]));
        }
        held &= (1 << bits) - 1;
    }
    if bits > 0 {
        text.push(char::from(LETTERS[((held << (5 - bits)) & 31) as usize]));
    }
    text
}

fn grouped(letters: &str) -> String {
    let mut text = String::with_capacity(letters.len() * 5 / 4);
    for (place, letter) in letters.chars().enumerate() {
        if place > 0 && place % 4 == 0 {
            text.push('-');
        }
        text.push(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_made_password_has_160_bits_that_differ_each_time() {
        let (one, other) = (Password::made().unwrap(), Password::made().unwrap());
        assert_eq!(one.text().len(), 39);
        assert_ne!(one, other);
        assert!(one.text().split('-').all(|group| group.len() == 4), "{}", one.text());
        assert_eq!(one.prepared(), one.text());
    }

    #[test]
    fn letters_keep_every_bit() {
        assert_eq!(letters(&[0, 0, 0, 0, 0]), "00000000");
        assert_eq!(letters(&[255; 5]), "zzzzzzzz");
        assert_eq!(letters(&[0, 0, 0, 0, 1]), "00000001");
        assert_eq!(letters(&[0x80, 0]), "g000");
    }

    /// Specification: as PostgreSQL's `pg_saslprep`: mapped where valid, raw where not.
    #[test]
    fn passwords_are_prepared_as_clients_prepare_them() {
        let prepared = |text: &str| Password::new(text).unwrap().prepared().into_owned();
        assert_eq!(prepared("I\u{ad}X"), "IX");
        assert_eq!(prepared("\u{aa}"), "a");
        assert_eq!(prepared("e\u{301}"), "é");
        assert_eq!(prepared("a\u{7}"), "a\u{7}", "prohibited: raw");
        assert_eq!(prepared("\u{627}1"), "\u{627}1", "mixed directions: raw");
    }

    #[test]
    fn a_password_is_never_printed() {
        let text = format!("{:?}", Password::new("hunter2").unwrap());
        assert!(!text.contains("hunter2"));
        assert!(Password::new("").is_err());
        assert!(Password::new("a\0b").is_err());
        assert!(Password::new("a".repeat(1_025)).is_err());
    }
}
