//! Attacks on people's own tables, and the pages they write.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use super::folder::Folder;
use super::{stderr, stdout};

/// Ana and Ben have the flu.
const PEOPLE: &str = "name,sex,illness\nAna,f,flu\nBen,m,flu\nCleo,f,cold\nDan,m,none\n";
/// Ana is the difference of the first two, Ben and Cleo follow, and the last count says that Dan has nothing.
const COUNTS: &str =
    "Ana,Ben,Cleo,Dan,Eve,Fay,count\n1,1,1,0,1,1,3\n0,1,1,0,1,1,2\n0,1,0,0,1,1,2\n0,0,0,1,0,0,0\n";

fn folder() -> Folder {
    let folder = Folder::new();
    fs::write(folder.join("people.csv"), PEOPLE).expect("a file");
    fs::write(folder.join("counts.csv"), COUNTS).expect("a file");
    folder
}

/// Rows of zeros, ones and twos that no two groups share: independent alleles of different frequencies.
fn genotypes(people: usize, positions: usize, mut state: u64) -> String {
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut text = (0..positions).map(|position| format!("rs{position}")).collect::<Vec<_>>().join(",");
    for _ in 0..people {
        text.push('\n');
        let row = (0..positions).map(|position| {
            let frequency = 20 + position as u64 * 7 % 60;
            (u8::from(next() % 100 < frequency) + u8::from(next() % 100 < frequency)).to_string()
        });
        text.push_str(&row.collect::<Vec<_>>().join(","));
    }
    text + "\n"
}

#[test]
fn a_difference_is_taken_from_a_file() {
    let folder = folder();
    let ask = |except: &str| {
        folder.json(&["attack", "difference", "people.csv", "--where", "illness=flu", "--except", except])
    };
    let ana = ask("name=Ana");
    assert_eq!((&ana["with"], &ana["without"], &ana["revealed"]), (&2.into(), &1.into(), &true.into()));
    assert_eq!((&ana["epsilon"], &ana["trials"]), (&"0.5".into(), &10_000.into()));
    assert_eq!(ana["source"]["where"][0], "illness = flu");
    assert_eq!(ask("name=Dan")["revealed"], false);
    let both = ["--except", "sex=f", "--except", "illness=cold"];
    let arguments = [&["attack", "difference", "people.csv", "--where", "illness=flu"][..], &both].concat();
    assert_eq!(folder.json(&arguments)["revealed"], false);
    let words =
        folder.words(&["attack", "difference", "people.csv", "--where", "sex=m", "--except", "name=Ben"]);
    assert!(words.contains("How many rows of people.csv have sex = m? 2."), "{words}");
}

#[test]
fn an_exception_of_several_people_says_how_many() {
    let folder = folder();
    let ask = |except: &str| {
        folder
            .refused(&["attack", "difference", "people.csv", "--where", "illness=flu", "--except", except], 2)
    };
    assert!(ask("sex=f").contains("2 rows of people.csv have sex = f"));
    assert!(ask("name=Zoe").contains("the values of `name` are Ana, Ben, Cleo, Dan"));
    assert!(ask("nam=Ana").contains("its columns are name, sex, illness"));
    assert!(ask("Ana").contains("sex=female"));
}

#[test]
fn published_counts_tell_who_is_certain() {
    let folder = folder();
    let found = folder.json(&["attack", "difference", "--counts", "counts.csv", "--epsilon", "1"]);
    let certain: Vec<(String, u64)> = found["determined"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|one| (one["person"].as_str().unwrap().to_owned(), one["value"].as_u64().unwrap()))
        .collect();
    let expected = [("Ana", 1), ("Cleo", 0), ("Dan", 0)].map(|(name, bit)| (name.to_owned(), bit));
    assert_eq!(certain, expected, "{found}");
    assert_eq!(found["determined"][0]["because"], "answer 1 − answer 2");
    assert_eq!(
        (&found["people"], &found["questions"], &found["epsilon"]),
        (&6.into(), &4.into(), &"1".into())
    );
    assert!(found["determined"][0]["private_deviation"].as_f64() > Some(1.0), "{found}");
    let words = folder.words(&["attack", "difference", "--counts", "counts.csv"]);
    assert!(words.contains("about 3 of them") && words.contains("answer 2 − answer 3"), "{words}");
}

#[test]
fn counts_that_cannot_be_are_named() {
    let folder = folder();
    for (text, words) in [
        ("a,b,count\n1,1,-1\n", "row 1 has the negative count -1"),
        ("a,b,count\n1,1,2\n1,0,2\n", "row 2 counts 2 of 1 people"),
        ("a,b,count\n1,x,1\n", "row 1 has `x` for b"),
        ("a,b,count\n1,1,one\n", "row 1 has the count `one`"),
        ("a,b,n\n1,1,1\n", "the last column is not `count`"),
        ("a,a,count\n1,1,1\n", "two columns are named `a`"),
        ("a,b,count\n1,1\n", "row 1 has 2 fields"),
        ("a,b,count\n", "0 questions"),
        ("a,b,count\n1,1,2\n1,0,0\n", "contradict each other"),
    ] {
        fs::write(folder.join("bad.csv"), text).expect("a file");
        let error = folder.refused(&["attack", "difference", "--counts", "bad.csv"], 2);
        assert!(error.contains(words), "{text:?}: {error}");
    }
}

/// False alarm: below 1e-9. With 512 people, 2,048 questions and errors up to 1, the least-squares estimate of a bit
/// has a deviation of about √(4/3 ÷ (2048 − 512)) = 0.03, and one half is 17 of those. Our noise has a deviation of
/// 2,900 in every answer; a third of the bits are ones, so that a constant guess gets two thirds, and guesses of a
/// coin get 0.75 at 11 deviations.
#[test]
fn a_column_of_a_file_is_rebuilt() {
    let folder = folder();
    let mut table = String::from("id,ill\n");
    for person in 0..600 {
        writeln!(table, "{person},{}", if person % 3 == 0 { "yes" } else { "no" }).expect("a string grows");
    }
    fs::write(folder.join("ill.csv"), table).expect("a file");
    let arguments =
        ["attack", "reconstruct", "ill.csv", "--column", "ill", "--value", "yes", "--people", "512"];
    let found = folder.json(&[&arguments[..], &["--error", "1"]].concat());
    assert_eq!(found["recovered"], 1.0, "{found}");
    assert!(found["recovered_private"].as_f64() < Some(0.75), "{found}");
    assert_eq!((&found["people"], &found["questions"]), (&512.into(), &2048.into()));
    assert_eq!((&found["secret"]["column"], &found["with"]["answered"]), (&"ill".into(), &2048.into()));
    assert!((found["right_upper"].as_f64().unwrap() - 0.731).abs() < 0.001);
    let words = folder.words(&arguments);
    assert!(words.contains("`ill = yes` in ill.csv"), "{words}");
    for (more, hint) in [
        (["--value", "maybe"], "the values of `ill` are no, yes"),
        (["--column", "sick"], "its columns are id, ill"),
        (["--people", "601"], "has 600 rows, not 601"),
    ] {
        let mut arguments = vec!["attack", "reconstruct", "ill.csv"];
        for pair in [["--column", "ill"], ["--value", "yes"]] {
            arguments.extend(if pair[0] == more[0] { more } else { pair });
        }
        if more[0] == "--people" {
            arguments.extend(more);
        }
        assert!(folder.refused(&arguments, 2).contains(hint), "{more:?}");
    }
    assert_eq!(folder.run(&["attack", "reconstruct", "ill.csv", "--column", "ill"]).status.code(), Some(2));
}

#[test]
fn the_truth_of_an_average_is_counted() {
    let folder = folder();
    let found = folder.json(&["attack", "average", "people.csv", "--where", "sex=f", "--repetitions", "8"]);
    assert_eq!(
        (&found["truth"], &found["epsilon"], &found["trials"]),
        (&2.into(), &"0.1".into(), &200.into())
    );
    assert_eq!(found["points"].as_array().map(Vec::len), Some(4));
    assert!(found["points"][3]["with_budget"]["error"].is_f64(), "{found}");
    let both = folder.run(&["attack", "average", "people.csv", "--where", "sex=f", "--truth", "3"]);
    assert_eq!(both.status.code(), Some(2));
}

/// False alarm: below 1e-9. The exact side has no chance in it. Private scores are sums over noise of scale 6,000 that
/// does not depend on who is a member: the area of 40 against 40 has a deviation of 0.065, and 0.05 and 0.95 are
/// almost seven of those from one half.
#[test]
fn members_of_a_file_are_told_from_its_averages() {
    let folder = folder();
    for (name, seed) in [("members", 1), ("outsiders", 2), ("reference", 3)] {
        fs::write(folder.join(&format!("{name}.csv")), genotypes(40, 3000, seed)).expect("a file");
    }
    let tables = ["attack", "membership", "--members", "members.csv", "--outsiders", "outsiders.csv"];
    let found = folder.json(&[&tables[..], &["--reference", "reference.csv"]].concat());
    assert!(found["area"].as_f64() > Some(0.99), "{found}");
    assert!((0.05..0.95).contains(&found["area_private"].as_f64().unwrap()), "{found}");
    assert_eq!(
        (&found["members"], &found["outsiders"], &found["positions"]),
        (&40.into(), &40.into(), &3000.into())
    );
    assert_eq!((&found["source"]["kind"], &found["frequencies"]), (&"genotypes".into(), &3000.into()));
    assert_eq!(found["statistics"].as_array().map(Vec::len), Some(3));
    // Without a reference, half of the outsiders are one.
    assert_eq!(folder.json(&tables)["outsiders"], 20);
    let records = [&tables[..], &["--kind", "records", "--columns", "rs1,rs2"]].concat();
    assert_eq!(folder.json(&records)["frequencies"], 6);
}

#[test]
fn one_table_is_split_into_members_and_outsiders() {
    let folder = folder();
    fs::write(folder.join("many.csv"), PEOPLE.to_owned() + &"Eve,f,cold\n".repeat(20)).expect("a file");
    let split = ["attack", "membership", "--records", "many.csv", "--columns", "sex,illness"];
    let found = folder.json(&split);
    assert_eq!(
        (&found["members"], &found["outsiders"], &found["positions"]),
        (&12.into(), &6.into(), &2.into())
    );
    assert_eq!((&found["source"]["kind"], &found["source"]["split"]), (&"records".into(), &true.into()));
    assert_eq!(folder.json(&[&split[..], &["--members", "5"]].concat())["members"], 5);
    assert!(folder.words(&split).contains("rough"));
}

#[test]
fn groups_that_do_not_fit_are_named() {
    let folder = folder();
    for (name, text) in [
        ("a.csv", "x,y\n0,1\n2,0\n"),
        ("b.csv", "y,z\n0,1\n1,1\n"),
        ("short.csv", "x,y\n0,1\n2\n"),
        ("letters.csv", "x,y\n0,A\n2,0\n"),
        ("headless.csv", "0,1\n2,0\n1,1\n"),
        ("one.csv", "x,y\n0,1\n"),
        ("none.csv", "x,y\n"),
    ] {
        fs::write(folder.join(name), text).expect("a file");
    }
    for (arguments, words) in [
        (&["--members", "a.csv", "--outsiders", "b.csv"][..], "b.csv has no column `x`"),
        (&["--members", "a.csv", "--outsiders", "short.csv"], "short.csv: row 2 has 1 fields"),
        (&["--members", "a.csv", "--outsiders", "letters.csv", "--kind", "genotypes"], "has `A` at y"),
        (&["--members", "headless.csv", "--outsiders", "headless.csv"], "looks like a person"),
        (&["--members", "a.csv", "--outsiders", "a.csv", "--columns", "q"], "a.csv has no column `q`"),
        (&["--members", "a.csv", "--outsiders", "one.csv"], "one.csv has 1 rows"),
        (&["--members", "none.csv", "--outsiders", "a.csv"], "none.csv has no rows"),
        (&["--members", "a.csv", "--outsiders", "a.csv", "--reference", "none.csv"], "none.csv has no rows"),
        (
            &["--members", "a.csv", "--outsiders", "a.csv", "--positions", "5"],
            "--positions is for a made-up study",
        ),
        (&["--members", "a.csv"], "need outsiders of a file"),
        (&["--members", "a.csv", "--outsiders", "5"], "need outsiders of a file"),
        (&["--outsiders", "a.csv"], "need members of a file"),
        (&["--columns", "x"], "--columns is for tables"),
        (&["--records", "a.csv"], "a.csv has 2 rows: 1 members leave too few others"),
        (&["--records", "a.csv", "--members", "b.csv"], "--records splits one table"),
        (&["--members", "missing.csv", "--outsiders", "a.csv"], "missing.csv cannot be read"),
        (&["--members", "0"], "0 people"),
    ] {
        let error = folder.refused(&[&["attack", "membership"], arguments].concat(), 2);
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
}

/// Every attack of this page, with few people.
const ATTACKS: [(&str, &[&str]); 7] = [
    ("difference", &["difference"]),
    ("file", &["difference", "people.csv", "--where", "illness=flu", "--except", "name=Ana"]),
    ("counts", &["difference", "--counts", "counts.csv"]),
    ("reconstruct", &["reconstruct", "--people", "320"]),
    ("membership", &["membership", "--members", "20", "--positions", "100"]),
    ("average", &["average", "--repetitions", "16"]),
    ("float", &["float", "--outputs", "1000", "--epsilon", "1/3"]),
];

#[test]
fn every_attack_writes_a_page_that_needs_nothing_else() {
    let folder = folder();
    for (name, attack) in ATTACKS {
        let file = format!("{name}.html");
        let arguments = [&["attack"], attack, &["--report", &file, "--json"]].concat();
        // Twice: a page may be written over.
        for _ in 0..2 {
            let output = folder.run(&arguments);
            assert!(output.status.success(), "{name}: {}", stderr(&output));
            assert_eq!(stderr(&output), format!("report written to {file}\n"));
            serde_json::from_str::<Value>(&stdout(&output)).expect("JSON as without a report");
        }
        let page = fs::read_to_string(folder.join(&file)).expect("a page");
        check_page(&page).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.contains("<svg"), "{name} has no picture");
        assert!(page.contains(&format!("pointillist attack {}", attack[0])), "{name} does not say how");
        for heading in [
            "What was done",
            "What was learnt",
            "without differential privacy",
            "with Pointillist",
            "ε\u{a0}=\u{a0}",
        ] {
            assert!(page.contains(heading), "{name} lacks {heading}");
        }
    }
}

#[test]
fn nothing_in_a_table_becomes_part_of_a_page() {
    let folder = folder();
    let evil = "</title><script>alert('x')</script>";
    let quoted = "\" onload \"alert(1)";
    let doubled = quoted.replace('"', "\"\"");
    fs::write(folder.join("evil.csv"), format!("{evil},\"{doubled}\"\na,\"{doubled}\"\nb,&amp;\n"))
        .expect("a file");
    fs::write(folder.join("counts.csv"), format!("{evil},\"{doubled}\",count\n1,1,1\n0,1,1\n"))
        .expect("a file");
    let (first, second) = (format!("{evil}=a"), format!("{quoted}={quoted}"));
    for (name, attack) in [
        ("file", &["difference", "evil.csv", "--where", &first, "--except", &second][..]),
        ("average", &["average", "evil.csv", "--where", &second]),
        ("counts", &["difference", "--counts", "counts.csv"]),
    ] {
        let file = format!("{name}.html");
        folder.words(&[&["attack"], attack, &["--report", &file]].concat());
        let page = fs::read_to_string(folder.join(&file)).expect("a page");
        check_page(&page).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(page.contains("&lt;script&gt;") || page.contains("&quot; onload"), "{name}");
    }
}

#[test]
fn a_page_that_cannot_be_written_is_refused_before_any_work() {
    let folder = folder();
    for (name, attack) in ATTACKS {
        for (place, words) in [
            ("nowhere/page.html", "cannot be written"),
            (".", "cannot be written"),
            ("people.csv", "was not made by this program"),
        ] {
            let error = folder.refused(&[&["attack"], attack, &["--report", place]].concat(), 2);
            assert!(error.contains(words), "{name} {place}: {error}");
        }
    }
    assert_eq!(fs::read_to_string(folder.join("people.csv")).expect("a file"), PEOPLE);
    // An attack that fails leaves no page behind.
    folder.refused(&["attack", "difference", "--with", "5", "--report", "none.html"], 2);
    assert!(!folder.join("none.html").exists());
}

#[test]
fn help_shows_files_and_reports() {
    let folder = folder();
    for attack in ["difference", "reconstruct", "membership", "average", "float"] {
        let help = folder.words(&["attack", attack, "--help"]);
        assert!(help.contains("Examples:") && help.contains("--report <FILE.html>"), "{attack}: {help}");
        assert!(attack == "float" || help.contains("FILE"), "{attack}");
    }
}

/// The checker finds what it is there for.
#[test]
fn the_checker_of_pages_refuses_bad_ones() {
    let page = |body: &str| format!("<!DOCTYPE html>\n<html><body>{body}</body></html>");
    check_page(&page("<p class=\"a > b\">x &amp; y &#39;</p><br/><hr>")).expect("a good page");
    for body in [
        "<p>",
        "</p>",
        "<p><b></p></b>",
        "a < b",
        "a & b",
        "<p class=x>y</p>",
        "<script>x</script>",
        "<img src=\"x.png\"/>",
        "<a href=\"https://example.org\">x</a>",
        "<p style=\"background: url(x)\">x</p>",
        "<p onclick=\"x()\">y</p>",
        "http://example.org/",
    ] {
        assert!(check_page(&page(body)).is_err(), "{body}");
    }
}

/// Elements that HTML gives no end.
const WITHOUT_END: [&str; 3] = ["br", "hr", "meta"];

/// A page is well formed when every element ends where it should, attributes are quoted and text is escaped; it needs
/// nothing else when it has no scripts, no addresses but the namespace of its drawings, and no attribute that loads or
/// runs something.
pub fn check_page(page: &str) -> Result<(), String> {
    let page = page.strip_prefix("<!-- made by Pointillist -->\n").unwrap_or(page);
    let rest = page.strip_prefix("<!DOCTYPE html>").ok_or("no document type")?;
    if rest.replace("xmlns=\"http://www.w3.org/2000/svg\"", "").contains("://") || rest.contains("url(") {
        return Err("an address".to_owned());
    }
    let mut open: Vec<String> = Vec::new();
    let mut rest = rest;
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start])?;
        rest = &rest[start + 1..];
        let mut quoted = false;
        let end = rest
            .char_indices()
            .find(|(_, sign)| {
                quoted ^= *sign == '"';
                *sign == '>' && !quoted
            })
            .ok_or("a tag without an end")?
            .0;
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            match open.pop() {
                Some(last) if last == name => continue,
                last => return Err(format!("</{name}> ends {last:?}")),
            }
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once([' ', '\n']).unwrap_or((tag, ""));
        if name.is_empty() || !name.chars().all(|sign| sign.is_ascii_alphanumeric()) || name == "script" {
            return Err(format!("an element <{tag}>"));
        }
        check_attributes(attributes)?;
        if !closed && !WITHOUT_END.contains(&name) {
            open.push(name.to_owned());
        }
        if name == "style" {
            // A sheet of styles is no text.
            let end = rest.find("</style>").ok_or("a style without an end")?;
            rest = &rest[end..];
        }
    }
    match open.pop() {
        None => check_text(rest),
        Some(name) => Err(format!("<{name}> does not end")),
    }
}

fn check_attributes(attributes: &str) -> Result<(), String> {
    let mut rest = attributes.trim();
    while !rest.is_empty() {
        let (name, behind) = rest.split_once("=\"").ok_or_else(|| format!("an attribute in {rest}"))?;
        let (value, behind) = behind.split_once('"').ok_or_else(|| format!("a quote in {rest}"))?;
        let bad = name.starts_with("on") || ["src", "href", "xlink:href", "action", "data"].contains(&name);
        if bad || !name.chars().all(|sign| sign.is_ascii_alphanumeric() || "-:".contains(sign)) {
            return Err(format!("an attribute {name}"));
        }
        check_text(value)?;
        rest = behind.trim_start();
    }
    Ok(())
}

/// Every ampersand begins a name of a sign.
fn check_text(text: &str) -> Result<(), String> {
    let names = ["amp;", "lt;", "gt;", "quot;", "#39;"];
    match text.split('&').skip(1).find(|after| !names.iter().any(|name| after.starts_with(name))) {
        None if !text.contains('<') => Ok(()),
        found => Err(format!("a sign that is not escaped: {found:?}")),
    }
}
