//! A browser of a few lines: one cookie, the token of its forms, and no script.

use crate::fixture::{HttpReply, PASSWORD, Site};

/// Somebody with a browser.
pub struct Browser<'s> {
    site: &'s Site,
    pub cookie: Option<String>,
    pub form_token: String,
}

/// Fields as browsers write them.
pub fn encoded(fields: &[(&str, &str)]) -> String {
    let text = |text: &str| -> String {
        text.bytes()
            .map(|byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
                b' ' => "+".to_owned(),
                other => format!("%{other:02X}"),
            })
            .collect()
    };
    fields.iter().map(|(name, value)| format!("{}={}", text(name), text(value))).collect::<Vec<_>>().join("&")
}

/// What stands between two texts.
pub fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = &text[text.find(before)? + before.len()..];
    Some(&rest[..rest.find(after)?])
}

impl<'s> Browser<'s> {
    /// Nobody yet.
    pub fn new(site: &'s Site) -> Self {
        Self { site, cookie: None, form_token: String::new() }
    }

    /// Somebody who has come in.
    pub fn signed_in(site: &'s Site, name: &str) -> Self {
        let mut browser = Self::new(site);
        let reply = browser.sign_in(name, PASSWORD, &[]);
        assert_eq!(reply.status, 303, "{name}: {}", reply.text());
        let page = browser.get(&reply.headers["location"]);
        browser.form_token =
            between(&page.text(), "name=\"form_token\" value=\"", "\"").unwrap_or_default().to_owned();
        assert_eq!(browser.form_token.len(), 64, "{}", page.text());
        browser
    }

    pub fn sign_in(&mut self, name: &str, password: &str, more: &[(&str, &str)]) -> HttpReply {
        let fields = [&[("name", name), ("password", password)], more].concat();
        let reply = self.send("/sign-in", &fields, &[("sec-fetch-site", "same-origin")]);
        if let Some(cookie) = reply.headers.get("set-cookie") {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        reply
    }

    pub fn get(&self, path: &str) -> HttpReply {
        let cookie = self.cookie.clone().unwrap_or_default();
        self.site.call("GET", path, &[("cookie", &cookie), ("sec-fetch-site", "same-origin")], "")
    }

    /// A form of ours.
    pub fn post(&self, path: &str, fields: &[(&str, &str)]) -> HttpReply {
        let token = [("form_token", self.form_token.as_str())];
        self.send(path, &[&token[..], fields].concat(), &[("sec-fetch-site", "same-origin")])
    }

    /// The price that the button says, where there is one.
    pub fn offered(&self, fields: &[(&str, &str)]) -> String {
        let page = self.post("/ask/quote", fields).text();
        between(&page, "name=\"offered\" value=\"", "\"").unwrap_or_default().to_owned()
    }

    /// A question as somebody asks it who presses the button of its quote.
    pub fn ask(&self, fields: &[(&str, &str)]) -> HttpReply {
        let offered = self.offered(fields);
        self.post("/ask/answer", &[fields, &[("offered", offered.as_str())]].concat())
    }

    /// A form from wherever these headers say.
    pub fn send(&self, path: &str, fields: &[(&str, &str)], headers: &[(&str, &str)]) -> HttpReply {
        let cookie = self.cookie.clone().unwrap_or_default();
        let own = [("cookie", cookie.as_str()), ("content-type", "application/x-www-form-urlencoded")];
        self.site.call("POST", path, &[&own[..], headers].concat(), &encoded(fields))
    }
}
