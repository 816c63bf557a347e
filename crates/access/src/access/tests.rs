use std::time::Duration;

use super::*;

fn everybody() -> Access {
    let mut access = Access::new().unwrap();
    access.add("ana", Role::Analyst, Some(&Password::new("pencil").unwrap())).unwrap();
    access.add("owner", Role::Owner, None).unwrap();
    access
}

fn noon() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

#[test]
fn names_are_taken_once_whatever_their_case() {
    let mut access = everybody();
    assert!(
        matches!(access.add("Ana", Role::Auditor, None), Err(AccessError::NameTaken { name }) if name == "ana")
    );
    assert!(matches!(access.add("a b", Role::Analyst, None), Err(AccessError::Name { .. })));
    assert!(matches!(access.set_role("owner", Role::Analyst), Err(AccessError::Name { .. })));
    assert_eq!(access.person("owner").unwrap().role, Role::Owner);
    assert_eq!(access.person("Ana"), None);
}

#[test]
fn whoever_is_removed_takes_their_tokens_along() {
    let mut access = everybody();
    let token = access.create_token("ana", TokenTerms::default(), noon()).unwrap();
    assert_eq!(access.person_of_token(&token.text, noon()).unwrap().person.name, "ana");
    access.remove("ana").unwrap();
    assert_eq!(access.person_of_token(&token.text, noon()), Err(TokenRefusal::Unknown));
    access.add("ana", Role::Analyst, None).unwrap();
    assert_eq!(access.person_of_token(&token.text, noon()), Err(TokenRefusal::Unknown));
    assert!(matches!(access.remove("bob"), Err(AccessError::NobodyOfThatName { .. })));
}

#[test]
fn a_token_is_good_until_it_expires_or_is_revoked() {
    let mut access = everybody();
    let hour = Duration::from_secs(3_600);
    let terms = TokenTerms { expires: Some(noon() + hour), verbs: None };
    let token = access.create_token("ana", terms, noon()).unwrap();
    assert!(access.person_of_token(&token.text, noon() + hour - Duration::from_secs(1)).is_ok());
    assert_eq!(access.person_of_token(&token.text, noon() + hour), Err(TokenRefusal::Expired));
    access.revoke_token(&token.id).unwrap();
    assert_eq!(access.person_of_token(&token.text, noon()), Err(TokenRefusal::Revoked));
    assert!(access.tokens().next().unwrap().revoked);
    assert!(matches!(access.revoke_token("0000000000"), Err(AccessError::NoSuchToken { .. })));
}

/// Specification: without the whole secret a revoked, an expired and an unknown token are told the same.
#[test]
fn a_wrong_secret_learns_nothing_about_the_token() {
    let mut access = everybody();
    let token = access.create_token("ana", TokenTerms::default(), noon()).unwrap();
    let other = access.create_token("ana", TokenTerms::default(), noon()).unwrap();
    access.revoke_token(&token.id).unwrap();
    let secret = other.text.rsplit('_').next().unwrap();
    for id in [token.id.as_str(), "0000000000"] {
        let mixed = format!("ptl_{id}_{secret}");
        assert_eq!(access.person_of_token(&mixed, noon()), Err(TokenRefusal::Unknown));
    }
}

/// Specification: a token narrows what a role may do and widens nothing, whatever the role becomes.
#[test]
fn a_token_for_some_verbs_is_for_those_of_the_role_alone() {
    let mut access = everybody();
    let terms = |verbs: &[Verb]| TokenTerms { expires: None, verbs: Some(verbs.to_vec()) };
    let refused = access.create_token("ana", terms(&[Verb::Ask, Verb::Reload]), noon());
    assert_eq!(refused.unwrap_err().to_string(), "`ana` is an analyst, who may not reload");
    let token = access.create_token("ana", terms(&[Verb::Ask, Verb::Catalog]), noon()).unwrap();
    let may = |access: &Access| {
        let bearer = access.person_of_token(&token.text, noon()).unwrap();
        Verb::ALL.into_iter().filter(|verb| bearer.may(*verb)).collect::<Vec<_>>()
    };
    assert_eq!(may(&access), [Verb::Ask, Verb::Catalog]);
    access.set_role("ana", Role::Auditor).unwrap();
    assert_eq!(may(&access), [Verb::Catalog]);
}

#[test]
fn somebody_unknown_has_a_verifier_that_stays_the_same() {
    let access = everybody();
    assert_eq!(access.verifier_of("nobody"), access.verifier_of("nobody"));
    assert!(access.verifier_of("nobody").mock);
    assert!(access.verifier_of("owner").mock, "no password: as if unknown");
    assert!(!access.verifier_of("ana").mock);
}

#[test]
fn what_is_printed_of_access_is_how_many() {
    assert_eq!(format!("{:?}", everybody()), "Access { people: 2, tokens: 0, .. }");
}
