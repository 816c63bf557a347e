//! Refusals as people meet them, word by word, and inputs nobody means well with.

use pointillist_errors::Explained;

use crate::tests::SURFACE;
use crate::*;

const START: &str = "[scope.people]\nbudget = { epsilon = 1, delta = 1e-9 }\n";

fn refusal(text: &str) -> String {
    Catalog::parse(text).expect_err("this catalog is wrong").explanation().text()
}

/// The refusal of a table with one column of these keys.
fn column_refusal(column: &str) -> String {
    let table =
        "[table.t]\nscope = \"people\"\nsource = \"t.csv\"\nprivacy_unit = \"id\"\n[table.t.columns]\n";
    refusal(&format!("{START}{table}x = {{ {column} }}"))
}

#[track_caller]
fn assert_text(found: &str, expected: &[&str]) {
    assert_eq!(found, expected.join("\n"), "\n{found}");
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_nearest_word() {
    assert_text(
        &refusal(&SURFACE.replace("upper = 10000", "uper = 10000")),
        &[
            "line 13, table.visits.columns.cost.uper: a column has no key `uper`",
            "  13 | cost   = { type = \"decimal\", lower = 0, uper = 10000, step = 0.01 }",
            "     |                                         ^^^^",
            "hint: did you mean `upper`?",
        ],
    );
    assert_text(
        &refusal(&SURFACE.replace("max_groups = 8 ", "max_group = 8 ")),
        &[
            "line 9, table.visits.max_group: a table has no key `max_group`",
            "  9 | max_group = 8                          # groups one person may touch in one answer",
            "    | ^^^^^^^^^",
            "hint: did you mean `max_groups`?",
        ],
    );
    assert_text(
        &refusal("[tables.visits]"),
        &[
            "line 1, tables: the catalog has no key `tables`",
            "  1 | [tables.visits]",
            "    |  ^^^^^^",
            "hint: did you mean `table`?",
        ],
    );
}

#[test]
fn budgets_that_promise_nothing_are_refused() {
    let budget = |budget: &str| refusal(&format!("[scope.a]\nbudget = {budget}"));
    assert_text(
        &budget("{ epsilon = 0, delta = 1e-9 }"),
        &[
            "line 2, scope.a.budget.epsilon: epsilon = 0 is zero",
            "  2 | budget = { epsilon = 0, delta = 1e-9 }",
            "    |                      ^",
            "hint: no answer is free; write a positive number such as 0.5",
        ],
    );
    assert_text(
        &budget("{ epsilon = 1.0 }"),
        &[
            "line 2, scope.a.budget: `delta` is missing",
            "  2 | budget = { epsilon = 1.0 }",
            "    | ^^^^^^",
            "hint: write `budget = { epsilon = 1.0, delta = 1e-9 }`, or model = \"pure\" for a guarantee without δ",
        ],
    );
    assert_text(
        &budget("{ rho = 1, epsilon = 1, delta = 1e-9 }"),
        &[
            "line 2, scope.a.budget.rho: the budget has both an epsilon and a rho",
            "  2 | budget = { rho = 1, epsilon = 1, delta = 1e-9 }",
            "    |                  ^",
            "hint: keep one of them",
        ],
    );
    assert!(budget("{ epsilon = 1, delta = 0 }").contains("needs a delta above zero"));
    assert!(budget("{ epsilon = 1, delta = 1 }").contains("delta = 1 is too large\n"));
    assert!(budget("{ delta = 1e-9 }").contains("neither an epsilon nor a rho"));
    let pure = |budget: &str| refusal(&format!("[scope.a]\nmodel = \"pure\"\nbudget = {budget}"));
    assert!(pure("{ epsilon = 1, delta = 1e-9 }").contains("the pure model has no delta"));
    assert!(pure("{ rho = 1 }").contains("a pure budget is an epsilon"));
    assert!(refusal("[scope.a]").contains("line 1, scope.a: `budget` is missing"));
    let model = refusal("[scope.a]\nmodel = \"zcpd\"\nbudget = { rho = 1, delta = 1e-9 }");
    assert!(model.contains("there is no model `zcpd`") && model.ends_with("did you mean `zcdp`?"), "{model}");
}

#[test]
fn a_table_says_whose_rows_it_has() {
    let table = |keys: &str| refusal(&format!("{START}[table.t]\nsource = \"t.csv\"\n{keys}"));
    assert_text(
        &table(""),
        &[
            "line 3, table.t: nothing says whose rows these are",
            "  3 | [table.t]",
            "    |        ^",
            "hint: write `scope` and `privacy_unit`, or `public = true` if no row is about a person",
        ],
    );
    assert_text(
        &table("scope = \"people\"\nprivacy_unit = \"FILL_IN\""),
        &[
            "line 6, table.t.privacy_unit: the privacy unit is not filled in yet: nobody would be protected",
            "  6 | privacy_unit = \"FILL_IN\"",
            "    |                ^^^^^^^^^",
            "hint: name the column that says whose row it is, or write \"row\" where every row is another person",
        ],
    );
    let named = table(
        "scope = \"people\"\nprivacy_unit = \"FILL_IN\"\n[table.t.columns]\nuser_id = { type = \"text\" }\ncost = { type = \"integer\" }",
    );
    assert!(named.contains("whose row it is (`user_id` by its name), or"), "{named}");
    assert_text(
        &table("scope = \"peple\"\nprivacy_unit = \"id\""),
        &[
            "line 5, table.t.scope: there is no scope `peple`",
            "  5 | scope = \"peple\"",
            "    |         ^^^^^^^",
            "hint: did you mean `people`?",
        ],
    );
    assert_text(
        &table("scope = \"people\"\npublic = true"),
        &[
            "line 5, table.t.scope: a public table has no `scope`: anyone may read every row of it",
            "  5 | scope = \"people\"",
            "    | ^^^^^",
            "hint: remove `public = true` if its rows belong to people, or this key if they do not",
        ],
    );
    assert!(table("privacy_unit = \"id\"").contains("`scope` is missing"));
    assert!(table("scope = \"people\"").contains("`privacy_unit` is missing"));
    for (key, most) in [("max_groups", "1000000"), ("max_contributions", "1000000000")] {
        for value in ["0", "-1", "1.5", "1e99", "\"many\"", "true"] {
            let text = table(&format!("scope = \"people\"\nprivacy_unit = \"id\"\n{key} = {value}"));
            assert!(text.contains(&format!("line 7, table.t.{key}: ")), "{text}");
            assert!(
                !value.starts_with(['0', '-', '1']) || text.ends_with(&format!("from 1 to {most}")),
                "{text}"
            );
        }
    }
    let both =
        table("scope = \"people\"\nprivacy_unit = \"row\"\n[table.t.columns]\nROW = { type = \"text\" }");
    assert!(both.contains("\"row\" could mean every row or the column `row`"), "{both}");
    let twin =
        table("scope = \"people\"\nprivacy_unit = \"id\"\n[table.t.columns]\nID = { type = \"text\" }");
    assert!(twin.contains("`id` and the column `ID` are the same name to SQL"), "{twin}");
    let source = refusal(&format!("{START}[table.t]\npublic = true\nsource = \"https://example.org/t.csv\""));
    assert!(source.contains("the source is an address, not a path"), "{source}");
}

#[test]
fn links_end_at_the_owner() {
    let text = |references: &str, other: &str| {
        format!(
            "{START}[scope.others]\nbudget = {{ epsilon = 1, delta = 1e-9 }}\n[table.items]\nscope = \"people\"\n\
             source = \"i\"\nprivacy_unit = {{ column = \"order_id\", references = \"{references}\" }}\n\
             [table.orders]\nsource = \"o\"\n{other}"
        )
    };
    let by_column = "scope = \"people\"\nprivacy_unit = \"customer\"";
    Catalog::parse(&text("orders.id", by_column)).unwrap();
    let through = "scope = \"people\"\nprivacy_unit = { column = \"basket\", references = \"baskets.id\" }\n\
                   [table.baskets]\nscope = \"people\"\nsource = \"b\"\nprivacy_unit = \"customer\"";
    Catalog::parse(&text("orders.id", through)).unwrap();
    assert_text(
        &refusal(&text("order.id", by_column)),
        &[
            "line 8, table.items.privacy_unit.references: there is no table `order`",
            "  8 | privacy_unit = { column = \"order_id\", references = \"order.id\" }",
            "    |                                                    ^^^^^^^^^^",
            "hint: did you mean `orders`?",
        ],
    );
    for (references, other, words) in [
        ("orders", by_column, "this names no column of another table"),
        ("orders.a.b", by_column, "this names no column of another table"),
        ("orders.id", "public = true", "`orders` is public: its rows belong to nobody"),
        ("orders.id", "scope = \"others\"\nprivacy_unit = \"customer\"", "belongs to scope `others`"),
        (
            "orders.id",
            "scope = \"people\"\nprivacy_unit = \"row\"",
            "every row of `orders` is another person",
        ),
        (
            "orders.id",
            "scope = \"people\"\nprivacy_unit = { column = \"x\", references = \"items.id\" }",
            "links that come back",
        ),
    ] {
        let found = refusal(&text(references, other));
        assert!(found.contains(words), "{found}");
    }
}

#[test]
fn bounds_and_keys_fit_the_column() {
    assert_text(
        &column_refusal("type = \"integer\", lower = 10, upper = 10"),
        &[
            "line 8, table.t.columns.x.upper: `upper` is not above `lower`",
            "  8 | x = { type = \"integer\", lower = 10, upper = 10 }",
            "    |                                             ^^",
            "hint: swap or widen the bounds; choose them without looking at the data",
        ],
    );
    assert_text(
        &column_refusal("type = \"integer\", lower = 10"),
        &[
            "line 8, table.t.columns.x.lower: `lower` stands without `upper`",
            "  8 | x = { type = \"integer\", lower = 10 }",
            "    |                         ^^^^^",
            "hint: write both, chosen without looking at the data; or neither, if nobody needs sums of it",
        ],
    );
    assert_text(
        &column_refusal("type = \"int\""),
        &[
            "line 8, table.t.columns.x.type: there is no type `int`",
            "  8 | x = { type = \"int\" }",
            "    |              ^^^^^",
            "hint: did you mean `integer`?",
        ],
    );
    assert_text(
        &column_refusal("type = \"text\", public_keys = [\"a\", \"b\", \"a\"]"),
        &[
            "line 8, table.t.columns.x.public_keys[2]: this key stands twice",
            "  8 | x = { type = \"text\", public_keys = [\"a\", \"b\", \"a\"] }",
            "    |                                               ^^^",
            "hint: remove one of the two",
        ],
    );
    for (column, words) in [
        ("lower = 1", "`type` is missing"),
        ("type = \"text\", lower = 1, upper = 2", "a column of type text has no `lower`"),
        ("type = \"integer\", lower = 1, upper = 2, step = 1", "a column of type integer has no `step`"),
        ("type = \"integer\", lower = 1.5, upper = 2", "this is no whole number"),
        ("type = \"integer\", lower = 0, upper = 9223372036854775808", "does not fit 64 bits"),
        ("type = \"integer\", lower = -9223372036854775808, upper = 0", "more than 2^62 apart"),
        ("type = \"decimal\", lower = 0, upper = 1e309", "beyond 64-bit floats"),
        ("type = \"decimal\", lower = 0, upper = 1e401", "the exponent of `1e401` is out of range"),
        ("type = \"decimal\", lower = 0, upper = nan", "`nan` is not a finite number"),
        ("type = \"decimal\", lower = -inf, upper = 0", "`-inf` is not a finite number"),
        ("type = \"decimal\", lower = 0, upper = 1, step = 0", "the step is not positive"),
        ("type = \"decimal\", lower = 0, upper = 1, step = 2", "longer than the distance between the bounds"),
        ("type = \"decimal\", lower = 0, upper = 1, step = 5e-324", "more than 2^62 steps"),
        ("type = \"decimal\", step = 1", "`step` stands without bounds"),
        ("type = \"decimal\", lower = 0x10, upper = 99", "numbers are read in base ten"),
        ("type = \"decimal\", lower = \"٣\", upper = 99", "`٣` is not a number"),
        ("type = \"date\", lower = \"2020-02-30\", upper = \"2021-01-01\"", "`2020-02-30` is no day"),
        ("type = \"date\", lower = 1, upper = 2", "this is a whole number, where a date is expected"),
        ("type = \"timestamp\", lower = 2020-01-01T00:00:00Z, upper = 2021-01-01T00:00:00", "is no moment"),
        ("type = \"timestamp\", lower = 2020-01-01, upper = 2021-01-01", "is no moment"),
        ("type = \"text\", nullable = \"no\"", "where true or false is expected"),
        ("type = \"text\", public_keys = []", "the list of public keys is empty"),
        (
            "type = \"text\", public_keys = [1]",
            "this is a whole number, where a key of type text is expected",
        ),
        ("type = \"text\", public_keys = [\"a\\u0000\"]", "too long or has a NUL"),
        ("type = \"integer\", public_keys = [\"a\"]", "`a` is not a number"),
        ("type = \"integer\", lower = 0, upper = 5, public_keys = [6]", "outside the column's bounds"),
        ("type = \"decimal\", public_keys = [0.0, -0.0]", "this key stands twice"),
        ("type = \"decimal\", public_keys = [1e309]", "this key is no 64-bit float"),
        ("type = \"decimal\", public_keys = [\"1/3\"]", "this key is no 64-bit float"),
        ("type = \"boolean\", public_keys = [0]", "where true or false is expected"),
    ] {
        let found = column_refusal(column);
        assert!(found.contains(words), "{column}\n{found}");
        assert!(found.starts_with("line 8, table.t.columns.x"), "{found}");
    }
}

/// Specification: a column has one name in the file and one in SQL, and the unit is nobody's alias: what is bounded or left
/// out under one name must not be there under another.
#[test]
fn a_column_may_have_another_name_in_the_file() {
    let table = |unit: &str, columns: &str| {
        format!(
            "{START}[table.t]\nscope = \"people\"\nsource = \"t.csv\"\nprivacy_unit = {unit}\n[table.t.columns]\n{columns}"
        )
    };
    let text = table(
        "\"Patient ID\"",
        "stay = { type = \"integer\", name = \"Length of stay\" }\nward = { type = \"text\", name = \"ward\" }",
    );
    let catalog = Catalog::parse(&text).unwrap();
    let found = &catalog.tables["t"];
    assert_eq!(found.name_in_file("stay"), "Length of stay");
    assert_eq!((found.name_in_file("ward"), &found.columns[1].stored_as), ("ward", &None));
    assert_eq!(found.name_in_file("Patient ID"), "Patient ID");
    assert_eq!(found.column_in_file("Length of stay").map(|column| column.name.as_str()), Some("stay"));
    assert_eq!(Catalog::parse(&catalog.to_toml()).unwrap(), catalog);
    // The unit by its name here, which is another in the file.
    let declared = table("\"id\"", "id = { type = \"text\", name = \"Patient ID\" }");
    assert_eq!(Catalog::parse(&declared).unwrap().tables["t"].name_in_file("id"), "Patient ID");
    for (unit, columns, says) in [
        ("\"Patient ID\"", "who = { type = \"text\", name = \"Patient ID\" }", "is declared as `who`"),
        (
            "\"id\"",
            "a = { type = \"text\", name = \"x y\" }\nb = { type = \"text\", name = \"x y\" }",
            "another column is `x y` of the file already",
        ),
        ("\"id\"", "a = { type = \"text\" }\nb = { type = \"text\", name = \"a\" }", "another column is `a`"),
        ("\"id\"", "a = { type = \"text\", name = \" \" }", "is empty"),
        ("\"id\"", "a = { type = \"text\", name = \"b\\n\" }", "has signs that cannot be shown"),
        ("\"a\\u202eb\"", "", "has signs that cannot be shown"),
    ] {
        let found = refusal(&table(unit, columns));
        assert!(found.contains(says), "{says} is missing from\n{found}");
    }
}

#[test]
fn names_are_names_and_differ_by_more_than_case() {
    for name in ["\"\"", "1a", "\"a b\"", "\"a\\u001b[31m\"", "\"a٣\"", "a-b", "\"a\\\"; DROP\""] {
        let found = refusal(&format!("[scope.{name}]\nbudget = {{ rho = 1, delta = 1e-9 }}"));
        assert!(found.contains("line 1, scope: the name `"), "{found}");
        assert!(!found.contains('\u{1b}'), "{found}");
    }
    assert_text(
        &refusal(
            "[table.Visits]\npublic = true\nsource = \"a\"\n[table.visits]\npublic = true\nsource = \"a\"",
        ),
        &[
            "line 4, table: `visits` and `Visits` are the same name to SQL, which ignores case",
            "  4 | [table.visits]",
            "    |        ^^^^^^",
            "hint: rename one of them",
        ],
    );
    assert_text(
        &refusal(
            "[table.visits]\npublic = true\nsource = \"a\"\n[table.visits]\npublic = true\nsource = \"a\"",
        ),
        &[
            "line 4: duplicate key",
            "  4 | [table.visits]",
            "    |        ^^^^^^",
            "hint: each name and each key stands once; rename or remove the second one",
        ],
    );
}

#[test]
fn shares_are_in_the_currency_of_their_scope() {
    let text = |share: &str| {
        format!(
            "{START}[scope.pure]\nmodel = \"pure\"\nbudget = {{ epsilon = 1 }}\n[analyst.ana]\nshares = {{ {share} }}"
        )
    };
    Catalog::parse(&text("people = { epsilon = 9 }, pure = { epsilon = 9 }")).unwrap();
    for (share, words) in [
        ("nobody = { rho = 1 }", "there is no scope `nobody`"),
        ("pure = { rho = 1 }", "scope `pure` counts in pure epsilon"),
        ("pure = { epsilon = 1, delta = 1e-9 }", "scope `pure` counts in pure epsilon"),
        ("people = { delta = 1e-9 }", "the share has neither a rho nor an epsilon"),
        ("people = { rho = 1, epsilon = 1 }", "the share has both"),
        ("people = 1", "a share is a table of keys, not a whole number"),
        ("people = { rho = 1, sigma = 1 }", "a share has no key `sigma`"),
    ] {
        let found = refusal(&text(share));
        assert!(found.contains(words), "{found}");
    }
}

#[test]
fn hostile_texts_are_refused_quickly() {
    for text in [
        format!("a = {}", "[".repeat(10_000)),
        format!("a = {}1{}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("a = {}", "{ a = ".repeat(10_000)),
        format!("a{} = 1", ".a".repeat(10_000)),
        format!("[{}]", "a.".repeat(10_000)),
        format!("[scope.a]\nbudget = {{ rho = 0.{}, delta = 1e-9 }}", "1".repeat(100_000)),
        format!("[scope.a]\nbudget = {{ rho = {}, delta = 1e-9 }}", "9".repeat(100_000)),
        format!("[scope.{}]", "a".repeat(100_000)),
        format!("{} = 1", "a".repeat(100_000)),
        "\u{0}".to_owned(),
        "\u{feff}\u{feff}".to_owned(),
        "\r".to_owned(),
        "=".to_owned(),
        "\"".to_owned(),
        "'''".to_owned(),
    ] {
        let found = refusal(&text);
        assert!(found.contains("\nhint: ") && found.len() < 1000, "{found}");
    }
    let long = refusal(&"#".repeat(17 << 20));
    assert!(long.starts_with("a catalog of 17825792 bytes is too long\nhint: "), "{long}");
}

#[test]
fn the_marked_place_of_a_long_line_is_seen() {
    let found = refusal(&format!("{}x = 1", " ".repeat(500)));
    let lines: Vec<&str> = found.lines().collect();
    assert!(lines[1].ends_with("x = 1") && lines[1].len() < 110, "{found}");
    assert_eq!(lines[1].find('x'), lines[2].find('^'));
}

#[test]
fn files_are_named_in_refusals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pointillist.toml");
    let missing = Catalog::load(&path).unwrap_err().explanation().text();
    assert!(missing.starts_with(&format!("the catalog {} could not be read: ", path.display())), "{missing}");
    assert!(missing.ends_with("\nhint: name a catalog that is there, or write one"), "{missing}");
    std::fs::write(&path, SURFACE).unwrap();
    assert_eq!(Catalog::load(&path).unwrap(), Catalog::parse(SURFACE).unwrap());
    std::fs::write(&path, "x = 1").unwrap();
    let wrong = Catalog::load(&path).unwrap_err().explanation().text();
    assert!(
        wrong.starts_with(&format!("line 1 of {}, x: the catalog has no key `x`", path.display())),
        "{wrong}"
    );
    std::fs::write(&path, b"\xff\xfe").unwrap();
    assert!(matches!(Catalog::load(&path), Err(CatalogError::Unreadable { .. })));
    assert!(matches!(Catalog::load(folder.path()), Err(CatalogError::Unreadable { .. })));
}

/// Specification: no name of a file stands for a word of the owner's. A first line that is taken for names without being
/// asked for is somebody's tie, and whose depends on who is there.
#[test]
fn a_first_line_is_a_tie_unless_the_owner_says_otherwise() {
    for source in ["g.csv", "G.CSV.gz", "g.tsv", "g.txt"] {
        let keys = format!("scope = \"people\"\nprivacy = \"node\"\nsource = \"{source}\"");
        let catalog = Catalog::parse(&format!("{START}[graph.g]\n{keys}")).unwrap();
        assert_eq!(catalog.graphs["g"].first_line, FirstLine::Edge, "{source}");
    }
}

#[test]
fn a_graph_says_which_nodes_everybody_knows_and_how_its_file_begins() {
    let graph = |keys: &str| {
        let tables = "[table.t]\nscope = \"people\"\nsource = \"t.csv\"\nprivacy_unit = \"id\"\n";
        let ties = "[scope.ties]\nbudget = { epsilon = 1, delta = 1e-9 }\n";
        Catalog::parse(&format!("{START}{ties}{tables}[graph.g]\nsource = \"g.txt\"\n{keys}"))
    };
    let text = |keys: &str| graph(keys).expect_err("this graph is wrong").explanation().text();
    let edge = text("scope = \"ties\"\nprivacy = \"edge\"");
    assert!(edge.contains("no list says which nodes") && edge.contains("hint: write `nodes ="), "{edge}");
    let mixed = text("scope = \"people\"\nprivacy = \"edge\"\nnodes = \"n.csv\"");
    assert!(mixed.contains("promise a tie of `g` one thing and a person of `t` another"), "{mixed}");
    let first = text("scope = \"people\"\nprivacy = \"node\"\nfirst_line = \"name\"");
    assert!(first.contains("did you mean `names`?"), "{first}");
    let right = graph("scope = \"people\"\nprivacy = \"node\"\nfirst_line = \"counts\"").unwrap();
    assert_eq!(right.graphs["g"].first_line, FirstLine::Counts);
    assert_eq!(Catalog::parse(&right.to_toml()).unwrap(), right);
    let edge = graph("scope = \"ties\"\nprivacy = \"edge\"\nnodes = \"n.csv\"").unwrap();
    assert_eq!(edge.graphs["g"].nodes.as_deref(), Some("n.csv"));
    assert_eq!(edge.graphs["g"].first_line, FirstLine::Edge);
    assert_eq!(edge.graphs["g"].nodes_first_line, None);
    let list = "scope = \"people\"\nprivacy = \"node\"\nnodes = \"n.csv\"\nnodes_first_line = ";
    for (word, first_line) in [("node", FirstLine::Edge), ("names", FirstLine::Names)] {
        let listed = graph(&format!("{list}\"{word}\"")).unwrap();
        assert_eq!(listed.graphs["g"].nodes_first_line, Some(first_line));
        assert_eq!(Catalog::parse(&listed.to_toml()).unwrap(), listed);
    }
    assert!(text(&format!("{list}\"nodes\"")).contains("did you mean `node`?"));
    assert_eq!(Catalog::parse(&edge.to_toml()).unwrap(), edge);
}

/// All listed keys are shown: a list that is too long for that is an error here, not a surprise in an answer.
#[test]
fn more_public_keys_than_can_be_shown_are_refused() {
    let keys = |count: usize| (0..count).map(|key| key.to_string()).collect::<Vec<_>>().join(",");
    let column = |count| format!("type = \"integer\", public_keys = [{}]", keys(count));
    let refused = column_refusal(&column(PUBLIC_KEYS_MAX + 1));
    assert!(refused.contains("100001 public keys, more than 100000"), "{}", &refused[..200]);
    assert!(refused.contains("keys are then earned"));
    let table =
        "[table.t]\nscope = \"people\"\nsource = \"t.csv\"\nprivacy_unit = \"id\"\n[table.t.columns]\n";
    let most = Catalog::parse(&format!("{START}{table}x = {{ {} }}", column(PUBLIC_KEYS_MAX))).unwrap();
    assert_eq!(most.tables["t"].columns[0].public_keys.as_ref().map(Vec::len), Some(PUBLIC_KEYS_MAX));
}

/// Specification: a source behind a connection needs one of its kind, connections hold no secret, and graphs are files.
#[test]
fn tables_elsewhere_need_a_connection_without_secrets() {
    let text = |url: &str, source: &str| {
        format!(
            "[scope.people]\nbudget = {{ rho = 1, delta = 1e-9 }}\n[connection.clinic]\nurl = \"{url}\"\n\
             [table.stays]\nscope = \"people\"\nprivacy_unit = \"id\"\nsource = \"{source}\"\n"
        )
    };
    let catalog =
        Catalog::parse(&text("postgres://r@h/d?sslmode=verify-full", "postgres:clinic/public.stays"));
    let catalog = catalog.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(catalog.connections["clinic"].system, System::Postgres);
    assert_eq!(Catalog::parse(&catalog.to_toml()).unwrap(), catalog, "written and read again");
    for (url, source) in [
        ("postgres://r:secret@h/d", "postgres:clinic/public.stays"),
        ("postgres://r@h/d?password=x", "postgres:clinic/public.stays"),
        ("mysql://r@h/d", "postgres:clinic/public.stays"),
        ("postgres://r@h/d", "postgres:clinc/public.stays"),
        ("postgres://r@h/d", "spark:clinic/public.stays"),
        ("postgres://r@h/d", "postgres:clinic/stays"),
    ] {
        assert!(Catalog::parse(&text(url, source)).is_err(), "{url} {source}");
    }
    let graph = "[scope.people]\nbudget = { rho = 1, delta = 1e-9 }\n[graph.ties]\nscope = \"people\"\nprivacy = \"node\"\nsource = \"postgres:c/a.b\"\n";
    assert!(Catalog::parse(graph).unwrap_err().to_string().contains("graphs are read from files"));
}
