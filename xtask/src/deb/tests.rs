//! The recipe as it is in the repository, and the parts of a package that need no tools.

use super::*;

const CONTROL: &str = include_str!("../../../packaging/debian/control");
const COPYRIGHT: &str = include_str!("../../../packaging/debian/copyright");
const UNIT: &str = include_str!("../../../packaging/debian/pointillist@.service");
const SYSUSERS: &str = include_str!("../../../packaging/debian/sysusers.conf");

fn control() -> String {
    let values = [
        ("VERSION", "1.2.3"),
        ("ARCHITECTURE", "amd64"),
        ("MAINTAINER", "Ana <ana@example.org>"),
        ("INSTALLED_SIZE", "7"),
        ("DEPENDS", "libc6 (>= 2.34)"),
    ];
    filled(CONTROL, &values).unwrap()
}

#[test]
fn the_control_file_has_every_field_and_nothing_is_left_open() {
    let control = control();
    for line in [
        "Package: pointillist",
        "Version: 1.2.3",
        "Architecture: amd64",
        "Installed-Size: 7",
        "Depends: libc6 (>= 2.34)",
    ] {
        assert!(control.lines().any(|it| it == line), "{line}");
    }
    assert!(
        !control.contains('@') || control.matches('@').count() == 2,
        "the address, and the unit's name: {control}"
    );
    let summary = control.lines().find_map(|line| line.strip_prefix("Description: ")).expect("a summary");
    assert!(summary.len() < 80 && !summary.ends_with('.'), "{summary}");
    let long = control.lines().skip_while(|line| !line.starts_with("Description: ")).skip(1);
    assert!(
        long.clone().count() > 3 && long.into_iter().all(|line| line.starts_with(' ') && line.len() <= 81)
    );
}

#[test]
fn a_place_that_nobody_fills_and_a_value_without_a_place_are_refused() {
    assert!(
        filled("Version: @VERSION@\nDepends: @DEPENDS@\n", &[("VERSION", "1")])
            .unwrap_err()
            .contains("@DEPENDS@")
    );
    assert!(filled("Version: 1\n", &[("VERSION", "1")]).unwrap_err().contains("@VERSION@"));
    assert_eq!(filled("mail ana@example.org @X@", &[("X", "1")]).unwrap(), "mail ana@example.org 1");
}

#[test]
fn the_copyright_file_has_our_terms_in_full_and_names_the_files_about_others() {
    let mit = indented(licence_body(include_str!("../../../LICENSE-MIT")));
    assert!(
        mit.starts_with(" Permission is hereby granted") && mit.contains("\n .\n") && !mit.contains("\n\n"),
        "{mit}"
    );
    let copyright = filled(COPYRIGHT, &[("MIT", &mit)]).unwrap();
    for part in [
        "WITHOUT WARRANTY OF ANY KIND",
        "common-licenses/Apache-2.0",
        "pointillist.cdx.json.gz",
        "licences-of-dependencies.txt.gz",
    ] {
        assert!(copyright.contains(part), "{part}");
    }
    // Every paragraph is fields and their continuations: a line begins with a blank or with a name and a colon.
    let is_field = |line: &str| line.split_once(':').is_some_and(|(name, _)| !name.contains(' '));
    assert!(
        copyright.lines().all(|line| line.is_empty() || line.starts_with(' ') || is_field(line)),
        "{copyright}"
    );
}

/// Specification: whoever breaks into the server gains no privileges, reads no home, writes to the ledger's and the anchor's
/// folder alone, and leaves no core.
#[test]
fn the_unit_is_locked_down_and_runs_as_the_user_that_the_package_declares() {
    let settings: Vec<&str> = UNIT.lines().filter(|line| !line.starts_with('#')).collect();
    for setting in [
        "User=pointillist",
        "ExecStart=/usr/bin/pointillist serve",
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=",
        "ProtectSystem=strict",
        "ProtectHome=yes",
        "PrivateTmp=yes",
        "PrivateDevices=yes",
        "MemoryDenyWriteExecute=yes",
        "SystemCallFilter=@system-service",
        "LimitCORE=0",
        "UMask=0077",
        "ReadWritePaths=/var/lib/pointillist/%i/.pointillist /var/lib/pointillist-anchor/%i",
    ] {
        assert!(settings.contains(&setting), "{setting}");
    }
    let user: Vec<&str> = SYSUSERS.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(user.len() == 1 && user[0].starts_with("u pointillist "), "{user:?}");
}

#[test]
fn the_changelog_has_the_form_that_tools_read() {
    let text = changelog("1.2.3", "Ana <ana@example.org>", "Wed, 18 Nov 2026 12:00:00 +0000");
    assert!(text.starts_with("pointillist (1.2.3) unstable; urgency=medium\n\n  * "), "{text}");
    assert!(text.ends_with("\n\n -- Ana <ana@example.org>  Wed, 18 Nov 2026 12:00:00 +0000\n"), "{text}");
}

#[test]
fn without_a_name_and_an_address_the_address_is_one_that_cannot_exist() {
    let (nobody, is_named) = maintainer(|_| None);
    assert!(nobody.ends_with(".invalid>") && !is_named, "{nobody}");
    let (somebody, is_named) = maintainer(|name| Some(name.to_lowercase()));
    assert_eq!((somebody.as_str(), is_named), ("debfullname <debemail>", true));
}
