use std::time::{Duration, SystemTime};

use super::*;
use crate::{Password, TokenTerms};

fn everybody() -> Access {
    let mut access = Access::new().unwrap();
    access.add("ana.b@example.org", Role::Analyst, Some(&Password::new("pencil").unwrap())).unwrap();
    access.add("owner", Role::Owner, None).unwrap();
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(1_800_000_000_500);
    let terms = TokenTerms { expires: Some(now), verbs: Some(vec![Verb::Ask]) };
    let token = access.create_token("ana.b@example.org", terms, now).unwrap();
    access.create_token("owner", TokenTerms::default(), now).unwrap();
    access.revoke_token(&token.id).unwrap();
    access
}

#[test]
fn what_is_saved_is_what_is_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("access.toml");
    let access = everybody();
    access.save(&path).unwrap();
    assert_eq!(Access::load(&path).unwrap(), access);
    access.save(&path).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

/// Specification: neither a password nor a token can be read off the file.
#[test]
fn the_file_holds_no_secret_of_a_person() {
    let mut access = Access::new().unwrap();
    access.add("ana", Role::Analyst, Some(&Password::new("correct horse").unwrap())).unwrap();
    let token = access.create_token("ana", TokenTerms::default(), SystemTime::now()).unwrap();
    let text = to_text(&access);
    assert!(text.contains(&token.id));
    assert!(!text.contains(token.text.rsplit('_').next().unwrap()));
    assert!(!text.contains("horse"));
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_or_a_link_is_neither_read_nor_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("access.toml"), folder.path().join("link.toml"));
    let access = everybody();
    access.save(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(matches!(Access::load(&link), Err(AccessError::NotAFile { .. })));
    assert!(matches!(access.save(&link), Err(AccessError::NotAFile { .. })));
    for mode in [0o640, 0o604, 0o620, 0o601] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        assert!(matches!(Access::load(&path), Err(AccessError::Readable { .. })), "{mode:o}");
        assert!(matches!(access.save(&path), Err(AccessError::Readable { .. })), "{mode:o}");
    }
    assert!(matches!(Access::load(folder.path()), Err(AccessError::NotAFile { .. })));
}

#[test]
fn files_that_are_not_understood_are_refused_without_saying_what_they_hold() {
    let good = to_text(&everybody());
    assert!(from_text(&good).is_ok());
    for (from, to, complaint) in [
        ("version = 1", "version = 2", "`version` is not 1"),
        ("secret = \"", "secret = \"AA", "`secret` is not 32 bytes"),
        ("secret = ", "sesame = ", "the file has an unknown key `sesame`"),
        ("role = \"analyst\"", "role = \"king\"", "`role` of `ana.b@example.org`"),
        ("role = \"owner\"", "role = \"analyst\"", "the name `owner` is for owners"),
        ("SCRAM-SHA-256", "MD5", "`verifier` of `ana.b@example.org`"),
        ("role = \"owner\"", "role = \"owner\"\npassword = \"x\"", "`an unknown key` of `owner`"),
        ("people.owner", "people.\"ANA.B@example.org\"", "two people are called"),
        ("person = \"owner\"", "person = \"bob\"", "is nobody's"),
        ("[\"ask\"]", "[\"fly\"]", "`verbs` of token"),
        ("revoked = true", "revoked = 1", "`revoked` of token"),
        ("created = 1", "created = -1", "`created` of token"),
        ("[people", "[people\n", "it is not TOML"),
    ] {
        assert!(good.contains(from), "{from}");
        let said = from_text(&good.replacen(from, to, 1)).unwrap_err();
        assert!(said.contains(complaint), "{said} for {to}");
    }
}

/// Specification: of changes at the same time none is lost.
#[test]
fn edits_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("access.toml");
    std::thread::scope(|scope| {
        for person in 0..8 {
            scope.spawn(move || {
                Access::edit(path, |access| access.add(&format!("p{person}"), Role::Analyst, None))
            });
        }
    });
    assert_eq!(Access::load(path).unwrap().people().count(), 8);
    let failed: Result<(), _> =
        Access::edit(path, |access| access.remove("p0").and(Err(AccessError::Password)));
    assert!(failed.is_err());
    assert_eq!(Access::load(path).unwrap().people().count(), 8);
}

/// Specification: a lock that somebody put a link in place of is not followed, whether the link leads somewhere or not.
#[cfg(unix)]
#[test]
fn a_lock_that_is_a_link_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, elsewhere) = (folder.path().join("access.toml"), folder.path().join("elsewhere"));
    std::os::unix::fs::symlink(&elsewhere, folder.path().join("access.toml.lock")).unwrap();
    assert!(matches!(Access::edit(&path, |_| Ok(())), Err(AccessError::Io { .. })));
    assert!(!elsewhere.exists() && !path.exists());
    fs::write(&elsewhere, "theirs").unwrap();
    assert!(Access::edit(&path, |_| Ok(())).is_err());
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "theirs");
}
