//! What a browser sends when somebody presses a button: `application/x-www-form-urlencoded`, strictly.
//!
//! **Guarantee.** A field that is given twice, an escape that is none, a text that is no UTF-8 and more fields than any form of ours
//! has are refused: a body means one thing.

use std::collections::BTreeMap;

/// More fields than any form has.
const FIELDS_MAX: usize = 64;

/// The fields of a form, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form(BTreeMap<String, String>);

impl Form {
    /// The fields of a body, or of what stands behind `?`. Nothing where it is not understood.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let mut fields = BTreeMap::new();
        for field in body.split(|byte| *byte == b'&').filter(|field| !field.is_empty()) {
            let end = field.iter().position(|byte| *byte == b'=')?;
            let (name, value) = (decoded(&field[..end])?, decoded(&field[end + 1..])?);
            if fields.len() >= FIELDS_MAX || fields.insert(name, value).is_some() {
                return None;
            }
        }
        Some(Self(fields))
    }

    /// What a field says; nothing where it is not there.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The same without blanks around it; empty where it is not there.
    pub fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default().trim()
    }
}

fn decoded(bytes: &[u8]) -> Option<String> {
    let mut text = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        text.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                u8::try_from(16 * high + low).ok()?
            }
            other => *other,
        });
    }
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_browsers_write_them() {
        let form = Form::parse("sql=SELECT+1%2B1%0D%0A&name=%C3%A9&empty=".as_bytes()).unwrap();
        assert_eq!(form.get("sql"), Some("SELECT 1+1\r\n"));
        assert_eq!((form.text("name"), form.get("empty"), form.get("none")), ("é", Some(""), None));
        assert_eq!(Form::parse(b""), Some(Form::default()));
    }

    #[test]
    fn a_body_that_means_two_things_is_refused() {
        let many: Vec<u8> = (0..=FIELDS_MAX).flat_map(|field| format!("f{field}=1&").into_bytes()).collect();
        for body in [&b"a=1&a=2"[..], b"a", b"a=%", b"a=%4", b"a=%zz", b"a=%ff", b"%ff=a", &many] {
            assert_eq!(Form::parse(body), None, "{body:?}");
        }
    }
}
