use super::*;

fn production(text: &str) -> String {
    let workspace = Workspace::with_files([("crates/noise/src/lib.rs", text)]);
    production_files(&workspace).remove(0).code
}

#[test]
fn comments_are_blanked_and_lines_stay_where_they_are() {
    let code = code_only("one // hidden\n/* hidden\n /* hidden */ hidden */ two\n/// hidden\nthree");
    assert!(!code.contains("hidden"), "{code}");
    assert_eq!(numbered_lines(&code).find(|(_, line)| line.contains("three")).unwrap().0, 5);
}

#[test]
fn strings_and_characters_are_blanked() {
    let literals = [
        r#"let a = "hidden \" hidden"; shown"#,
        "let a = r\"hidden\\\"; shown",
        "let a = r#\"hidden \" hidden\"#; shown",
        "let a = br##\"hidden \"# hidden\"##; shown",
        "let a = b\"hidden\"; shown",
        "let a = ('\"', '\\'', \"hidden\", b'\\\\'); shown",
        "let a = \"hidden\n hidden\"; shown",
    ];
    for text in literals {
        let code = code_only(text);
        assert!(!code.contains("hidden") && code.contains("shown"), "{text} became {code}");
    }
}

#[test]
fn lifetimes_and_raw_names_are_not_literals() {
    let text = "fn f<'a>(r#type: &'a str, attr: &'static str) {}";
    assert_eq!(code_only(text), text);
}

#[test]
fn what_only_tests_compile_is_blanked_and_what_follows_is_not() {
    let texts = [
        "#[cfg(test)]\nuse hidden::Hidden;\nfn shown() {}",
        "#[cfg(test)]\nuse hidden::{Hidden, Other};\nfn shown() {}",
        "#[cfg(test)]\nmod tests { fn hidden() { let a = [1; 2]; } }\nfn shown() {}",
        "#[cfg(test)]\n#[allow(dead_code)]\nfn hidden<A, B>(a: [u8; 4]) -> u8 { '}' ; 1 }\nfn shown() {}",
        "#[cfg(test)]\nconst HIDDEN: &str =\n    \"}\";\nfn shown() {}",
        "struct A {\n    #[cfg(test)]\n    hidden: u8,\n}\nfn shown() {}",
        "mod tests {}\n#[cfg(test)]\nmod tests;\nfn shown() {}",
    ];
    for text in texts {
        let code = production(text);
        assert!(
            !code.to_lowercase().contains("hidden") && code.contains("fn shown() {}"),
            "{text} became {code}"
        );
    }
}

#[test]
fn a_module_file_declared_for_tests_is_no_production_code() {
    let workspace = Workspace::with_files([
        ("crates/noise/src/lib.rs", "mod laplace;\n#[cfg(test)]\nmod planted_leaks;\n"),
        ("crates/noise/src/planted_leaks.rs", ""),
        ("crates/noise/src/laplace.rs", "#[cfg(test)]\npub(crate) mod tests;\n"),
        ("crates/noise/src/laplace/tests.rs", ""),
        ("crates/noise/src/laplace/tests/helpers.rs", ""),
        ("crates/noise/src/laplace/tests_of_quality.rs", ""),
        ("crates/noise/src/geometric/tests.rs", ""),
        ("crates/noise/tests/all.rs", ""),
    ]);
    let paths: Vec<String> = production_files(&workspace).into_iter().map(|file| file.path).collect();
    // The last file is called `tests.rs`, but nothing says that only tests compile it.
    let expected = ["lib.rs", "laplace.rs", "laplace/tests_of_quality.rs", "geometric/tests.rs"];
    assert_eq!(paths, expected.map(|path| format!("crates/noise/src/{path}")));
}

#[test]
fn a_needle_inside_a_longer_word_is_another_word() {
    assert!(contains_word_starting_with("let x = dbg!(y);", "dbg!"));
    assert!(!contains_word_starting_with("let x = mydbg!(y);", "dbg!"));
    assert!(contains_word_starting_with("mydbg!(dbg!(y))", "dbg!"));
}

#[test]
fn functions_are_found_with_their_signatures_and_bodies() {
    let code = code_only(
        "pub fn one<B: Bits>(a: [u8; 2], f: fn(u8) -> u8) -> u8\nwhere\n    B: Sized,\n{\n    fn inner() {}\n}\n\
         trait T { fn two(&self); }\npub(crate) const fn three() { \"fn four() {}\" }\nlet fn_like = 1;\n",
    );
    let found = functions(&code);
    let names: Vec<_> = found.iter().map(|function| (function.name, function.visibility)).collect();
    use Visibility::{Private, Public, Restricted};
    assert_eq!(names, [("one", Public), ("inner", Private), ("two", Private), ("three", Restricted)]);
    assert!(found[0].signature.contains("B: Sized") && found[0].signature.contains("[u8; 2]"));
    let body = found[0].body.clone().unwrap();
    assert_eq!((line_of(&code, found[0].start), line_of(&code, body.end)), (1, 6));
    assert!(found[2].body.is_none() && found[3].body.is_some());
}

#[test]
fn a_word_is_not_part_of_another() {
    assert!(contains_word("use serde_json::Value;", "serde_json"));
    assert!(!contains_word("use serde_json::Value;", "serde"));
    assert!(!contains_word("use my_serde;", "serde"));
}
