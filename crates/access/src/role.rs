//! Roles and what each may do: the one matrix for every door.
//!
//! | | owner | curator | analyst | auditor |
//! | --- | --- | --- | --- | --- |
//! | ask | | | yes | |
//! | explain | yes | yes | yes | |
//! | rehearse | | | yes | |
//! | catalog | yes | yes | yes | yes |
//! | own books | | | yes | |
//! | all books | yes | | | yes |
//! | releases | yes | yes | yes | yes |
//! | approve | | yes | | |
//! | reload | yes | | | |
//!
//! **Guarantee.** Nobody is both owner and analyst: who declares bounds and budgets pays for no answer through a door.

/// What somebody is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Declares data, populations and budgets; asks nothing over the network.
    Owner,
    /// Approves releases.
    Curator,
    /// Asks, and sees their own share and past.
    Analyst,
    /// Sees the ledger: who spent what, never an answer.
    Auditor,
}

/// An action that roles allow or do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// Pay for an answer.
    Ask,
    /// See what an answer would cost.
    Explain,
    /// Ask made-up rows.
    Rehearse,
    /// See what is declared.
    Catalog,
    /// See one's own share and past.
    OwnBooks,
    /// See everybody's spending.
    AllBooks,
    /// See what is published.
    Releases,
    /// Approve a release.
    Approve,
    /// Make the service read its catalog again.
    Reload,
}

impl Role {
    /// Every role, for tables and tests.
    pub const ALL: [Self; 4] = [Self::Owner, Self::Curator, Self::Analyst, Self::Auditor];

    /// Whether somebody of this role may do this.
    pub fn may(self, verb: Verb) -> bool {
        match verb {
            Verb::Ask | Verb::Rehearse | Verb::OwnBooks => self == Self::Analyst,
            Verb::Explain => matches!(self, Self::Owner | Self::Curator | Self::Analyst),
            Verb::Catalog | Verb::Releases => true,
            Verb::AllBooks => matches!(self, Self::Owner | Self::Auditor),
            Verb::Approve => self == Self::Curator,
            Verb::Reload => self == Self::Owner,
        }
    }

    /// The word in files and commands.
    pub fn word(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Curator => "curator",
            Self::Analyst => "analyst",
            Self::Auditor => "auditor",
        }
    }

    /// The role of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

impl Verb {
    /// Every verb, for tables and tests.
    pub const ALL: [Self; 9] = [
        Self::Ask,
        Self::Explain,
        Self::Rehearse,
        Self::Catalog,
        Self::OwnBooks,
        Self::AllBooks,
        Self::Releases,
        Self::Approve,
        Self::Reload,
    ];

    /// The word in files and commands.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::Explain => "explain",
            Self::Rehearse => "rehearse",
            Self::Catalog => "catalog",
            Self::OwnBooks => "own_books",
            Self::AllBooks => "all_books",
            Self::Releases => "releases",
            Self::Approve => "approve",
            Self::Reload => "reload",
        }
    }

    /// The verb of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Specification: the matrix, cell by cell, written a second time and in another form.
    #[test]
    fn each_role_may_do_what_the_matrix_says_and_nothing_else() {
        let matrix = [
            ("ask", "..a."),
            ("explain", "oca."),
            ("rehearse", "..a."),
            ("catalog", "ocau"),
            ("own_books", "..a."),
            ("all_books", "o..u"),
            ("releases", "ocau"),
            ("approve", ".c.."),
            ("reload", "o..."),
        ];
        assert_eq!(matrix.len(), Verb::ALL.len());
        for (word, cells) in matrix {
            let verb = Verb::from_word(word).unwrap();
            for (role, cell) in Role::ALL.into_iter().zip(cells.chars()) {
                assert_eq!(role.may(verb), cell != '.', "{role:?} {verb:?}");
            }
        }
    }

    #[test]
    fn words_name_one_role_and_one_verb_each() {
        for role in Role::ALL {
            assert_eq!(Role::from_word(role.word()), Some(role));
        }
        for verb in Verb::ALL {
            assert_eq!(Verb::from_word(verb.word()), Some(verb));
        }
        assert_eq!(Role::from_word("Owner"), None);
        assert_eq!(Verb::from_word(""), None);
    }
}
