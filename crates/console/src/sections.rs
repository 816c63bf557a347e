//! The sections of the console, where they are, and who sees which.

use pointillist_access::{Role, Verb};

/// A section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Asking.
    Ask,
    /// What waits for the owner, or for whoever approves.
    Desk,
    /// What is declared.
    Catalog,
    /// What is spent and left.
    Budget,
    /// Graphs.
    Graphs,
    /// What is published.
    Releases,
    /// Made-up people, for everybody.
    Playground,
}

impl Section {
    /// All of them, in the order of the navigation.
    pub const ALL: [Self; 7] =
        [Self::Ask, Self::Desk, Self::Catalog, Self::Budget, Self::Graphs, Self::Releases, Self::Playground];

    /// Where it is.
    pub fn path(self) -> &'static str {
        match self {
            Self::Ask => "/ask",
            Self::Desk => "/desk",
            Self::Catalog => "/catalog",
            Self::Budget => "/budget",
            Self::Graphs => "/graphs",
            Self::Releases => "/releases",
            Self::Playground => "/playground",
        }
    }

    /// The section at exactly this path: what a sign-in may lead to.
    pub fn of_path(path: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.path() == path)
    }

    /// Its word in the navigation.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ask => "Ask",
            Self::Desk => "Desk",
            Self::Catalog => "Catalog",
            Self::Budget => "Budget",
            Self::Graphs => "Graphs",
            Self::Releases => "Releases",
            Self::Playground => "Playground",
        }
    }

    /// What somebody must be allowed, at least one of it, to see the section; nothing where everybody sees it.
    pub fn verbs(self) -> &'static [Verb] {
        match self {
            Self::Ask => &[Verb::Ask],
            Self::Desk => &[Verb::Reload, Verb::Approve],
            Self::Catalog | Self::Graphs => &[Verb::Catalog],
            Self::Budget => &[Verb::OwnBooks, Verb::AllBooks],
            Self::Releases => &[Verb::Releases],
            Self::Playground => &[],
        }
    }

    /// Whether somebody of this role sees it.
    pub fn is_for(self, role: Role) -> bool {
        self.verbs().is_empty() || self.verbs().iter().any(|verb| role.may(*verb))
    }

    /// Where somebody of this role begins.
    pub fn first(role: Role) -> Self {
        let first = Self::ALL.into_iter().find(|section| section.is_for(role));
        first.unwrap_or(Self::Catalog)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: who sees which section, written a second time and in another form.
    #[test]
    fn each_role_sees_its_sections() {
        let seen = |role: Role| -> Vec<&str> {
            let sections = Section::ALL.into_iter().filter(|section| section.is_for(role));
            sections.map(Section::word).collect()
        };
        assert_eq!(seen(Role::Analyst).join(" "), "Ask Catalog Budget Graphs Releases Playground");
        assert_eq!(seen(Role::Owner).join(" "), "Desk Catalog Budget Graphs Releases Playground");
        assert_eq!(seen(Role::Curator).join(" "), "Desk Catalog Graphs Releases Playground");
        assert_eq!(seen(Role::Auditor).join(" "), "Catalog Budget Graphs Releases Playground");
        assert_eq!(Section::first(Role::Analyst), Section::Ask);
        assert_eq!(Section::first(Role::Owner), Section::Desk);
    }

    /// Specification: a sign-in leads to a section and nowhere else.
    #[test]
    fn only_our_own_paths_are_sections() {
        assert_eq!(Section::of_path("/budget"), Some(Section::Budget));
        for other in
            ["", "/", "//evil.example", "/\\evil.example", "https://evil.example/ask", "/ask?x=1", "ask"]
        {
            assert_eq!(Section::of_path(other), None, "{other}");
        }
    }
}
