//! Arguments that a library reads: what is wrong with one is told with the library's hint.

use std::str::FromStr;

use pointillist_errors::Explained;

/// What an argument says, for `value_parser`.
pub fn parsed<T: FromStr<Err: Explained>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.explanation().text())
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::Epsilon;

    use super::*;

    #[test]
    fn what_is_wrong_comes_with_its_hint() {
        assert_eq!(parsed::<Epsilon>("0.5").unwrap().to_string(), "0.5");
        let told = parsed::<Epsilon>("-1").unwrap_err();
        assert_eq!(told, "epsilon = -1 is negative\nhint: write a number without a sign, such as 0.5");
    }
}
