//! What every page loads: one style sheet and one script, in the binary. Nothing comes from elsewhere.

/// The style sheet.
pub const STYLE: &str = include_str!("console.css");
/// The script. Pages are read and questions are asked without it.
pub const SCRIPT: &str = include_str!("console.js");

/// The path of the style sheet.
pub const STYLE_PATH: &str = "/console.css";
/// The path of the script.
pub const SCRIPT_PATH: &str = "/console.js";

/// Names of these very bytes, so that browsers may keep them for ever and ask again when they change.
const STYLE_VERSION: u64 = fnv(STYLE.as_bytes());
const SCRIPT_VERSION: u64 = fnv(SCRIPT.as_bytes());

/// Where this style sheet is.
pub(crate) fn style_address() -> String {
    format!("{STYLE_PATH}?v={STYLE_VERSION:016x}")
}

/// Where this script is.
pub(crate) fn script_address() -> String {
    format!("{SCRIPT_PATH}?v={SCRIPT_VERSION:016x}")
}

/// Fowler, Noll and Vo's hash: tells our own versions apart, and defends against nobody.
const fn fnv(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut place = 0;
    while place < bytes.len() {
        hash = (hash ^ bytes[place] as u64).wrapping_mul(0x0100_0000_01b3);
        place += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: the policy of the pages forbids what is inline, and what comes from elsewhere.
    #[test]
    fn assets_load_nothing_and_are_small() {
        for text in [STYLE, SCRIPT] {
            for foreign in ["http:", "https:", "@import", "url(", "//cdn", "eval(", "Function("] {
                assert!(!text.contains(foreign), "{foreign}");
            }
        }
        assert!(STYLE.len() + SCRIPT.len() < 60_000, "{}", STYLE.len() + SCRIPT.len());
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
