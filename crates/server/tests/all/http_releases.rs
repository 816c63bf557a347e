//! Releases over HTTP: files as they were signed, and approvals by those who may.

use std::fs;

use pointillist_curator::{Clock, Home};
use pointillist_publication::{PlanFile, PublishOptions, prepare_as, release, with_releases};
use pointillist_server::{Limits, LogTarget};
use serde_json::json;

use crate::fixture::{CATALOG, Site};

const PLAN: &str = "\
name = \"visits_2026\"
title = \"Visits\"
budget = { rho = 0.1, delta = 1e-10 }
[[table]]
name = \"regions\"
sql = \"SELECT region, count(*) AS n FROM visits GROUP BY region\"
";

fn home(site: &Site) -> Home {
    with_releases(Home::open(&site.catalog()).expect("a catalog")).0
}

fn published(site: &Site) {
    let options = PublishOptions { released_on: "2026-11-16".to_owned(), not_before: None };
    let plan = PlanFile::parse(PLAN).expect("a plan");
    let folder = site.folder.path().join("releases/visits_2026");
    release(&home(site), &plan, &folder, &options).unwrap_or_else(|error| panic!("{error}"));
}

/// Specification: everybody who may come in gets the files that were signed, byte for byte, and nothing beside them.
#[test]
fn files_of_releases_are_handed_out_as_they_were_signed() {
    let mut site = Site::start();
    drop(site.running.take());
    published(&site);
    site.open(Limits::default(), LogTarget::Nowhere);
    let listed = site.get("ana", "/v1/releases").json();
    assert_eq!(listed["releases"][0]["name"], "visits_2026", "{listed}");
    let files = listed["releases"][0]["files"].as_array().expect("files").clone();
    assert!(files.iter().any(|file| file["name"] == "regions.csv"), "{listed}");
    let folder = site.folder.path().join("releases/visits_2026");
    for file in &files {
        let name = file["name"].as_str().expect("a name");
        let reply = site.get("otto", &format!("/v1/releases/visits_2026/{name}"));
        assert_eq!(
            (reply.status, &reply.body),
            (200, &fs::read(folder.join(name)).expect("a file")),
            "{name}"
        );
        assert_eq!(reply.headers["content-disposition"], "attachment");
    }
    assert_eq!(site.call("GET", "/v1/releases/visits_2026/regions.csv", &[], "").status, 401);
    for path in [
        "visits_2026/nothing.csv",
        "visits_2026/..%2f..%2fvisits.csv",
        "..%2f/visits.csv",
        "visits_2026/%2e%2e%2f%2e%2e%2fpointillist.toml",
        "nothing/regions.csv",
    ] {
        assert_eq!(site.get("ana", &format!("/v1/releases/{path}")).status, 404, "{path}");
    }
    let mut bytes = fs::read(folder.join("regions.csv")).expect("a file");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::write(folder.join("regions.csv"), bytes).expect("written");
    assert_eq!(site.get("ana", "/v1/releases/visits_2026/regions.csv").status, 404, "it was changed");
}

/// Specification: a curator whom the catalog names approves, under the name of the token, what somebody else has prepared as it
/// is; nobody else does, and then it can be released.
#[test]
fn approvers_approve_over_the_network() {
    let mut site = Site::start();
    drop(site.running.take());
    let with = |approvers: &str| format!("{CATALOG}\n[releases]\napprovers = [{approvers}]\n");
    fs::write(site.catalog(), with("\"dora\"")).expect("written");
    let plan = PlanFile::parse(PLAN).expect("a plan");
    let prepared = {
        let home = home(&site);
        let curator = home.curator(Clock::Immediate).expect("a curator");
        prepare_as(&home, &curator, &plan, "chief").unwrap_or_else(|error| panic!("{error}"))
    };
    site.open(Limits::default(), LogTarget::Nowhere);
    let approve = |who: &str, plan: &str| site.post(who, "/v1/releases/approve", &json!({ "plan": plan }));
    for who in ["ana", "chief", "otto"] {
        assert_eq!(approve(who, PLAN).status, 403, "{who}");
    }
    let stranger = approve("carla", PLAN);
    assert!(
        stranger.status != 200 && stranger.text().contains("none of those who approve"),
        "{}",
        stranger.text()
    );
    fs::write(site.catalog(), with("\"dora\", \"carla\"")).expect("written");
    site.running().reload().unwrap_or_else(|error| panic!("{error}"));
    let as_another = json!({ "plan": PLAN, "who": "dora" });
    assert_eq!(site.post("carla", "/v1/releases/approve", &as_another).status, 400);
    assert_eq!(approve("carla", "name = 3").status, 400);
    let dearer = approve("carla", &PLAN.replace("rho = 0.1", "rho = 0.2"));
    assert_ne!(dearer.status, 200, "nobody has prepared that: {}", dearer.text());
    let approved = approve("carla", PLAN);
    assert_eq!(approved.status, 200, "{}", approved.text());
    assert_eq!(approved.json()["plan"], prepared.plan.to_string());
    assert_ne!(approve("carla", PLAN).status, 200, "once is enough");
    drop(site.running.take());
    published(&site);
}
