//! The one cookie: the name of a session.
//!
//! Scripts cannot read it (`HttpOnly`), no other site's page sends it (`SameSite=Strict`), and it ends with the browser. Where the way here
//! is encrypted it travels in no other way (`Secure`), and no other host or path can set it (`__Host-`).

use axum::http::HeaderMap;
use axum::http::header::{self, HeaderValue};

const PLAIN: &str = "pointillist";
const SECURE: &str = "__Host-pointillist";

/// The session's name that a browser sends: the one cookie of ours. Of two, nobody knows which is ours.
pub(crate) fn session(headers: &HeaderMap, is_secure: bool) -> Option<&str> {
    let wanted = if is_secure { SECURE } else { PLAIN };
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut ours = cookies
        .flat_map(|value| value.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .filter(|(name, _)| *name == wanted);
    let (first, None) = (ours.next()?, ours.next()) else { return None };
    Some(first.1)
}

/// The header that gives a browser this session.
pub(crate) fn given(id: &str, is_secure: bool) -> Option<HeaderValue> {
    header(id, "", is_secure)
}

/// The header that takes it away.
pub(crate) fn taken(is_secure: bool) -> Option<HeaderValue> {
    header("", "; Max-Age=0", is_secure)
}

fn header(value: &str, more: &str, is_secure: bool) -> Option<HeaderValue> {
    let (name, secure) = if is_secure { (SECURE, "; Secure") } else { (PLAIN, "") };
    HeaderValue::from_str(&format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict{secure}{more}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(cookies: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for cookie in cookies {
            headers.append(header::COOKIE, cookie.parse().unwrap());
        }
        headers
    }

    #[test]
    fn one_cookie_is_ours() {
        assert_eq!(session(&sent(&["a=b; pointillist=x1; c=d"]), false), Some("x1"));
        assert_eq!(session(&sent(&["pointillist=x1"]), true), None, "another name where it is encrypted");
        assert_eq!(session(&sent(&["__Host-pointillist=x1"]), true), Some("x1"));
        assert_eq!(session(&sent(&["__Host-pointillist=x1"]), false), None);
        for two in [
            &["pointillist=a; pointillist=b"][..],
            &["pointillist=a", "pointillist=a"],
            &["xpointillist=a"],
            &[],
        ] {
            assert_eq!(session(&sent(two), false), None, "{two:?}");
        }
    }

    #[test]
    fn flags_are_as_strict_as_the_way_allows() {
        assert_eq!(given("i", false).unwrap(), "pointillist=i; Path=/; HttpOnly; SameSite=Strict");
        assert_eq!(
            given("i", true).unwrap(),
            "__Host-pointillist=i; Path=/; HttpOnly; SameSite=Strict; Secure"
        );
        assert!(taken(true).unwrap().to_str().unwrap().ends_with("; Secure; Max-Age=0"));
    }
}
