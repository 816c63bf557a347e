//! Questions at random, in the planner's language and a little beyond.
//!
//! Expressions are grown by type, so that most of them have a meaning; literals are values that rows hold, so
//! that conditions and keys meet them. Every construct that was used is noted by name.

use std::collections::BTreeSet;

use crate::tests::Chance;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Boolean,
    Integer,
    Number,
    Text,
    Date,
    Timestamp,
}

use Kind::{Boolean, Date, Integer, Number, Text, Timestamp};

const KINDS: [Kind; 6] = [Boolean, Integer, Number, Text, Date, Timestamp];

/// The columns of every table; the flag says whether bounds are declared.
const COLUMNS: [(&str, Kind, bool); 15] = [
    ("flag", Boolean, false),
    ("small", Integer, true),
    ("wide", Integer, true),
    ("whole", Integer, false),
    ("listed", Integer, false),
    ("cost", Number, true),
    ("odd", Number, true),
    ("debt", Number, true),
    ("real", Number, false),
    ("region", Text, false),
    ("word", Text, false),
    ("day", Date, false),
    ("born", Date, false),
    ("seen", Timestamp, false),
    ("moment", Timestamp, false),
];

/// Joins, windows and the like: what lets rows push or multiply each other.
pub(super) const UNSTABLE: &str = "unstable";

/// A statement and what is in it.
pub(super) struct Question {
    pub(super) sql: String,
    pub(super) features: BTreeSet<&'static str>,
}

struct Writer<'a> {
    chance: &'a mut Chance,
    features: BTreeSet<&'static str>,
    visible: Vec<(String, Kind, bool)>,
    /// What the unit is called here, if it can be named.
    unit: Option<String>,
}

/// The next question.
pub(super) fn question(chance: &mut Chance) -> Question {
    let visible = COLUMNS.iter().map(|(name, kind, bounded)| ((*name).to_owned(), *kind, *bounded)).collect();
    let mut writer = Writer { chance, features: BTreeSet::new(), visible, unit: None };
    let sql = writer.statement();
    Question { sql, features: writer.features }
}

impl Writer<'_> {
    fn note(&mut self, feature: &'static str) {
        self.features.insert(feature);
    }

    fn any<'t>(&mut self, items: &[&'t str]) -> &'t str {
        self.chance.pick::<&str>(items)
    }

    fn statement(&mut self) -> String {
        let table = self.any(&["visits", "visits", "visits", "loose", "trips", "trips", "marks", "events"]);
        self.note(match table {
            "visits" => "table with an integer unit",
            "loose" => "table without bounds",
            "trips" => "table with a text unit",
            "marks" => "table of a pure scope",
            _ => "table of rows",
        });
        self.unit = (table != "events").then(|| "person".to_owned());
        if table == "trips" || table == "marks" {
            let kind = if table == "trips" { Text } else { Integer };
            self.visible.push(("person".to_owned(), kind, false));
        }
        let mut source = table.to_owned();
        let mut with = String::new();
        for level in 0..[0, 0, 0, 1, 1, 2][self.chance.below(6)] {
            let inner = self.projection(&source);
            if level == 0 && self.chance.one_in(3) {
                self.note("WITH");
                (with, source) = (format!("WITH w AS ({inner}) "), "w".to_owned());
            } else {
                self.note("FROM-subquery");
                source = format!("({inner}) AS s{level}");
            }
        }
        let filter = if self.chance.one_in(3) {
            self.note("WHERE");
            format!(" WHERE {}", self.boolean(3))
        } else {
            String::new()
        };
        let keys: Vec<String> =
            (0..[0, 0, 1, 1, 1, 2, 2, 3][self.chance.below(8)]).map(|_| self.key()).collect();
        if keys.len() > 1 {
            self.note("several keys");
        }
        let options = self.options(table);
        let mut items: Vec<String> =
            keys.iter().enumerate().map(|(at, key)| format!("{key} AS k{at}")).collect();
        if !keys.is_empty() && self.chance.one_in(10) {
            self.note("SELECT DISTINCT");
            return format!("{with}SELECT{options} DISTINCT {} FROM {source}{filter}", items.join(", "));
        }
        let aggregates: Vec<String> = (0..1 + self.chance.below(3)).map(|_| self.aggregate()).collect();
        items.extend(aggregates.iter().enumerate().map(|(at, call)| format!("{call} AS a{at}")));
        let mut group_by = String::new();
        if !keys.is_empty() {
            let written = |(at, key): (usize, &String)| match self.chance.below(3) {
                0 => key.clone(),
                1 => format!("k{at}"),
                _ => (at + 1).to_string(),
            };
            group_by =
                format!(" GROUP BY {}", keys.iter().enumerate().map(written).collect::<Vec<_>>().join(", "));
        }
        let mut rest = String::new();
        if self.chance.one_in(6) {
            self.note("HAVING");
            rest += &format!(" HAVING {} > {}", aggregates[0], self.chance.below(9));
        }
        if self.chance.one_in(6) {
            self.note("ORDER BY");
            rest += self.any(&[" ORDER BY 1", " ORDER BY a0 DESC", " ORDER BY a0 NULLS FIRST"]);
        }
        if self.chance.one_in(8) {
            self.note("LIMIT");
            rest += self.any(&[" LIMIT 1", " LIMIT 2 OFFSET 1", " LIMIT 0"]);
        }
        let items = items.join(", ");
        if self.chance.one_in(25) {
            return with + &self.unstable(&source, &items, &format!("{filter}{group_by}"));
        }
        format!("{with}SELECT{options} {items} FROM {source}{filter}{group_by}{rest}")
    }

    /// What makes rows depend on each other, or more of them: to be refused, or claimed for what it is.
    fn unstable(&mut self, source: &str, items: &str, rest: &str) -> String {
        self.note(UNSTABLE);
        match self.chance.below(9) {
            0 => format!("SELECT {items} FROM {source} JOIN visits AS v ON true{rest}"),
            1 => format!("SELECT {items} FROM {source}, visits AS v{rest}"),
            2 => format!("SELECT {items} FROM (SELECT * FROM {source} LIMIT 3) AS l{rest}"),
            3 => format!("SELECT {items} FROM (SELECT DISTINCT * FROM {source}) AS l{rest}"),
            4 => format!(
                "SELECT {items} FROM (SELECT * FROM {source} UNION ALL SELECT * FROM {source}) AS l{rest}"
            ),
            5 => format!("SELECT {items}, SUM(COUNT(*)) OVER () FROM {source}{rest}"),
            6 => format!("SELECT COUNT(*) FROM {source} WHERE 1 IN (SELECT small FROM visits)"),
            7 => format!("SELECT {items} FROM {source}, LATERAL generate_series(1, small) AS g{rest}"),
            _ => format!(
                "SELECT {items} FROM (SELECT region, COUNT(*) AS small FROM {source} GROUP BY 1) AS l{rest}"
            ),
        }
    }

    /// A subquery that projects and filters; afterwards its columns are in sight and no others.
    fn projection(&mut self, source: &str) -> String {
        let condition =
            if self.chance.one_in(2) { format!(" WHERE {}", self.boolean(2)) } else { String::new() };
        if self.chance.one_in(2) {
            return format!("SELECT * FROM {source}{condition}");
        }
        let mut items = Vec::new();
        let mut visible = Vec::new();
        for (at, kind) in KINDS.iter().chain(&[Integer, Number, Text]).enumerate() {
            let bounded = matches!(kind, Integer | Number) && self.chance.one_in(2);
            let expr = if bounded { self.summand(*kind) } else { self.expr(*kind, 2) };
            items.push(format!("{expr} AS c{at}"));
            visible.push((format!("c{at}"), *kind, bounded));
        }
        if let Some(unit) = &self.unit {
            items.push(format!("{unit} AS p"));
            self.unit = Some("p".to_owned());
        }
        self.visible = visible;
        format!("SELECT {} FROM {source}{condition}", items.join(", "))
    }

    fn options(&mut self, table: &str) -> String {
        if table != "loose" && !self.chance.one_in(3) {
            return String::new();
        }
        self.note("OPTIONS");
        let mut options = Vec::new();
        if table == "loose" || self.chance.one_in(2) {
            options.push(format!("max_groups = {}", self.any(&["1", "1", "2", "3", "100"])));
            options.push(format!("max_contributions = {}", 1 + self.chance.below(3)));
        }
        let prices: &[&str] = if table == "marks" {
            &["epsilon = 0.5", "epsilon = 1/3", "noise = laplace"]
        } else {
            &["rho = 0.01", "epsilon = 1", "noise = laplace", "epsilon = 2, noise = laplace", "delta = 1e-11"]
        };
        if options.is_empty() || self.chance.one_in(2) {
            options.push(self.any(prices).to_owned());
        }
        if self.chance.one_in(4) {
            self.note("bias");
            options.push("bias = true".to_owned());
        }
        format!(" WITH DIFFERENTIAL_PRIVACY OPTIONS ({})", options.join(", "))
    }

    fn aggregate(&mut self) -> String {
        let call = match self.chance.below(20) {
            0..=2 => {
                self.note("COUNT(*)");
                "COUNT(*)".to_owned()
            }
            3 => {
                self.note("COUNT(x)");
                let kind = *self.chance.pick(&KINDS);
                format!("COUNT({})", self.expr(kind, 2))
            }
            4 | 5 => match self.unit.clone() {
                Some(unit) => {
                    self.note("COUNT(DISTINCT unit)");
                    format!("COUNT(DISTINCT {unit})")
                }
                None => "COUNT(1)".to_owned(),
            },
            6..=8 => {
                self.note("SUM");
                format!("SUM({})", self.number_or_integer())
            }
            9 => {
                self.note("ratio");
                let value = self.number_or_integer();
                return format!("1.0 * SUM({value}) / {}", self.any(&["COUNT(*)", "COUNT(1)"]));
            }
            10 | 11 => {
                self.note("AVG");
                format!("AVG({})", self.number_or_integer())
            }
            12 => {
                self.note("variance");
                let name = self.any(&["VAR_POP", "VAR_SAMP", "VARIANCE"]);
                format!("{name}({})", self.number_or_integer())
            }
            13 | 14 => {
                self.note("COUNT(DISTINCT x)");
                let kind = *self.chance.pick(&KINDS);
                let value = self.expr(kind, 1);
                if self.chance.one_in(4) {
                    format!("APPROX_COUNT_DISTINCT({value})")
                } else {
                    format!("COUNT(DISTINCT {value})")
                }
            }
            15 | 16 => {
                self.note("quantile");
                let value = self.number_or_integer();
                match self.chance.below(4) {
                    0 => format!("MEDIAN({value})"),
                    1 => format!("QUANTILE({value}, 0.{})", 1 + self.chance.below(9)),
                    2 => format!("PERCENTILE_DISC(0.25) WITHIN GROUP (ORDER BY {value})"),
                    _ => "MEDIAN(seen)".to_owned(),
                }
            }
            17 => {
                self.note("extreme");
                format!("{}({})", self.any(&["MIN", "MAX"]), self.number_or_integer())
            }
            18 => {
                self.note("pair");
                let name = self.any(&[
                    "COVAR_POP",
                    "COVAR_SAMP",
                    "CORR",
                    "REGR_SLOPE",
                    "REGR_COUNT",
                    "REGR_AVGX",
                    "REGR_R2",
                ]);
                let (y, x) = (self.number_or_integer(), self.number_or_integer());
                format!("{name}({y}, {x})")
            }
            _ => {
                self.note("standard deviation");
                let name = self.any(&["STDDEV_POP", "STDDEV_SAMP", "STDDEV"]);
                format!("{name}({})", self.number_or_integer())
            }
        };
        if self.chance.one_in(4) {
            self.note("FILTER");
            return format!("{call} FILTER (WHERE {})", self.boolean(2));
        }
        call
    }

    fn number_or_integer(&mut self) -> String {
        let kind = if self.chance.one_in(2) { Integer } else { Number };
        self.summand(kind)
    }

    /// What can be summed: mostly with public bounds.
    fn summand(&mut self, kind: Kind) -> String {
        let bounded: Vec<String> = self
            .visible
            .iter()
            .filter(|(_, k, bounded)| *k == kind && *bounded)
            .map(|(name, ..)| name.clone())
            .collect();
        match self.chance.below(12) {
            0..=4 if !bounded.is_empty() => {
                self.note("sum of a bounded column");
                self.chance.pick(&bounded).clone()
            }
            5 if !bounded.is_empty() => {
                let column = self.chance.pick(&bounded).clone();
                format!("{column} {} {}", self.any(&["+", "-", "*"]), self.literal(kind))
            }
            6 => format!(
                "CASE WHEN {} THEN {} ELSE {} END",
                self.boolean(1),
                self.any(&["1", "-4", "0"]),
                self.any(&["7", "0", "-2"])
            ),
            7 => {
                self.note("sum without clamp");
                self.expr(kind, 2)
            }
            _ => {
                self.note("sum of a clamped expression");
                let (low, high) = *self.chance.pick(&[
                    ("0", "5"),
                    ("-3", "3"),
                    ("2", "9"),
                    ("-8", "-1"),
                    ("-1e3", "2.5e2"),
                    ("0", "0"),
                ]);
                format!("LEAST(GREATEST({}, {low}), {high})", self.expr(kind, 3))
            }
        }
    }

    fn key(&mut self) -> String {
        let has = |writer: &Self, name: &str| writer.visible.iter().any(|(column, ..)| column == name);
        if !has(self, "region") {
            self.note("key of a subquery");
            let kind = *self.chance.pick(&KINDS);
            return self.expr(kind, 1);
        }
        let (feature, key) = match self.chance.below(22) {
            0..=2 => ("public text key", "region".to_owned()),
            3 => ("public integer key", "listed".to_owned()),
            4 => ("boolean key", "flag".to_owned()),
            5 => ("boolean key", self.boolean(2)),
            6 => ("bounded integer key", "small".to_owned()),
            7 => (
                "bounded integer key",
                self.any(&["small / 2", "whole % 3", "abs(small)", "sign(whole)"]).to_owned(),
            ),
            8 => (
                "CASE key",
                format!("CASE WHEN {} THEN 'x' WHEN {} THEN 'y' END", self.boolean(1), self.boolean(1)),
            ),
            9 => ("CASE key", format!("CASE small WHEN 0 THEN region ELSE {} END", self.literal(Text))),
            10 => ("COALESCE key", "COALESCE(region, 'none')".to_owned()),
            11 => ("COALESCE key", "NULLIF(region, 'north')".to_owned()),
            12 => (
                "date_trunc key",
                self.any(&["date_trunc('month', day)", "date_trunc('week', day)", "day"]).to_owned(),
            ),
            13 => (
                "date_trunc key",
                self.any(&["date_trunc('day', seen)", "date_trunc('hour', seen)"]).to_owned(),
            ),
            14 => (
                "date part key",
                self.any(&["extract(dow FROM born)", "date_part('quarter', moment)"]).to_owned(),
            ),
            15 => ("width_bucket key", "width_bucket(real, 0, 10, 3)".to_owned()),
            16 => (
                "earned key",
                self.any(&["word", "whole", "born", "moment", "real", "wide", "cost"]).to_owned(),
            ),
            17 => {
                ("earned key", self.any(&["lower(word)", "word || region", "concat(word, flag)"]).to_owned())
            }
            18..=20 if has(self, "person") => ("unit as key", "person".to_owned()),
            _ => {
                let kind = *self.chance.pick(&KINDS);
                ("expression as key", self.expr(kind, 2))
            }
        };
        self.note(feature);
        key
    }

    fn expr(&mut self, kind: Kind, depth: usize) -> String {
        if depth == 0 || self.chance.one_in(4) {
            return self.leaf(kind);
        }
        let depth = depth - 1;
        if self.chance.one_in(3) {
            return self.of_any_kind(kind, depth);
        }
        match kind {
            Boolean => self.boolean(depth),
            Integer => self.integer(depth),
            Number => self.number(depth),
            Text => self.text(depth),
            Date => self.date(depth),
            Timestamp => self.timestamp(depth),
        }
    }

    fn leaf(&mut self, kind: Kind) -> String {
        let columns: Vec<String> =
            self.visible.iter().filter(|(_, k, _)| *k == kind).map(|(name, ..)| name.clone()).collect();
        if columns.is_empty() || self.chance.one_in(4) {
            return self.literal(kind);
        }
        self.chance.pick(&columns).clone()
    }

    fn literal(&mut self, kind: Kind) -> String {
        self.any(match kind {
            Boolean => &["true", "false", "CAST(NULL AS boolean)"],
            Integer => &["0", "1", "-1", "2", "3", "7", "9223372036854775807", "-9223372036854775808"],
            Number => &["0.0", "0.5", "-1.5", "10.0", "1e308", "-1e-300", "2.25"],
            Text => &["'a'", "''", "'north'", "'7'", "'it''s'", "'50%_é'", "'2020-02-29'", "'true'"],
            Date => &["DATE '2020-02-29'", "DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '2020-03-01'"],
            Timestamp => &[
                "TIMESTAMP '2020-02-29 00:00:00'",
                "TIMESTAMP '9999-12-31 23:59:59'",
                "TIMESTAMP '1970-01-01 00:00:00'",
            ],
        })
        .to_owned()
    }

    fn of_any_kind(&mut self, kind: Kind, depth: usize) -> String {
        match self.chance.below(if kind == Boolean { 4 } else { 5 }) {
            0 => {
                self.note("CASE");
                let (test, yes, no) = (self.boolean(depth), self.expr(kind, depth), self.expr(kind, depth));
                let otherwise = if self.chance.one_in(3) { String::new() } else { format!(" ELSE {no}") };
                format!("CASE WHEN {test} THEN {yes}{otherwise} END")
            }
            1 => {
                self.note("CASE of a value");
                let of = *self.chance.pick(&KINDS);
                let (value, when) = (self.expr(of, depth), self.literal(of));
                format!(
                    "CASE {value} WHEN {when} THEN {} ELSE {} END",
                    self.expr(kind, depth),
                    self.leaf(kind)
                )
            }
            2 => {
                self.note("COALESCE");
                format!("COALESCE({}, {})", self.expr(kind, depth), self.leaf(kind))
            }
            3 => {
                self.note("NULLIF");
                format!("NULLIF({}, {})", self.expr(kind, depth), self.leaf(kind))
            }
            _ => {
                self.note("LEAST, GREATEST");
                let name = self.any(&["LEAST", "GREATEST"]);
                format!("{name}({}, {})", self.expr(kind, depth), self.leaf(kind))
            }
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(Boolean);
        }
        let depth = depth - 1;
        let kind = *self.chance.pick(&KINDS);
        match self.chance.below(13) {
            0..=3 => {
                self.note("comparison");
                let how = self.any(&["=", "<>", "<", "<=", ">", ">="]);
                format!("({} {how} {})", self.expr(kind, depth), self.leaf(kind))
            }
            4 => {
                self.note("IS DISTINCT FROM");
                let how = self.any(&["IS DISTINCT FROM", "IS NOT DISTINCT FROM"]);
                format!("({} {how} {})", self.expr(kind, depth), self.leaf(kind))
            }
            5 => {
                self.note("AND, OR");
                let how = self.any(&["AND", "OR"]);
                format!("({} {how} {})", self.boolean(depth), self.boolean(depth))
            }
            6 => {
                self.note("NOT");
                format!("(NOT {})", self.boolean(depth))
            }
            7 => {
                self.note("IS NULL");
                format!("({} IS {}NULL)", self.expr(kind, depth), self.any(&["", "NOT "]))
            }
            8 => {
                self.note("IS TRUE");
                let how = self.any(&["TRUE", "NOT TRUE", "FALSE", "NOT FALSE", "UNKNOWN"]);
                format!("({} IS {how})", self.boolean(depth))
            }
            9 => {
                self.note("IN");
                let not = self.any(&["", "NOT "]);
                format!("({} {not}IN ({}, {}))", self.expr(kind, depth), self.literal(kind), self.leaf(kind))
            }
            10 => {
                self.note("BETWEEN");
                let (low, high) = (self.literal(kind), self.leaf(kind));
                format!("({} {}BETWEEN {low} AND {high})", self.expr(kind, depth), self.any(&["", "NOT "]))
            }
            11 => {
                self.note("LIKE");
                let how = self.any(&["LIKE", "NOT LIKE", "ILIKE"]);
                let pattern = self.any(&["'%'", "'a%'", "'%_'", "''", "'50!%!_%' ESCAPE '!'", "'%\\%%'"]);
                format!("({} {how} {pattern})", self.expr(Text, depth))
            }
            _ => {
                self.note("starts_with");
                format!("starts_with({}, {})", self.expr(Text, depth), self.literal(Text))
            }
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        match self.chance.below(10) {
            0..=2 => {
                self.note("integer arithmetic");
                let how = self.any(&["+", "-", "*", "/", "%"]);
                format!("({} {how} {})", self.expr(Integer, depth), self.leaf(Integer))
            }
            3 => {
                self.note("functions of numbers");
                let name = self.any(&["abs", "sign", "-"]);
                format!("{name}({})", self.expr(Integer, depth))
            }
            4 => {
                self.note("length");
                format!("length({})", self.expr(Text, depth))
            }
            5 => {
                self.note("date part");
                let part = self.any(&["year", "quarter", "month", "week", "day", "dow", "doy"]);
                format!("extract({part} FROM {})", self.expr(Date, depth))
            }
            6 => {
                self.note("date part");
                let part = self.any(&["'year'", "'hour'", "'minute'", "'second'"]);
                format!("date_part({part}, {})", self.expr(Timestamp, depth))
            }
            7 => {
                self.note("difference of dates");
                format!("({} - {})", self.expr(Date, depth), self.leaf(Date))
            }
            8 => {
                self.note("width_bucket");
                format!("width_bucket({}, -1, 10, 4)", self.expr(Number, depth))
            }
            _ => {
                self.note("cast");
                let kind = *self.chance.pick(&[Boolean, Number, Text]);
                format!("CAST({} AS bigint)", self.cast_from(kind, depth))
            }
        }
    }

    fn number(&mut self, depth: usize) -> String {
        match self.chance.below(6) {
            0 | 1 => {
                self.note("number arithmetic");
                let how = self.any(&["+", "-", "*", "/", "%", "^"]);
                format!("({} {how} {})", self.expr(Number, depth), self.leaf(Number))
            }
            2 => {
                self.note("functions of numbers");
                let name = self.any(&["abs", "floor", "ceil", "sqrt", "exp", "ln", "log10", "sign", "round"]);
                format!("{name}({})", self.expr(Number, depth))
            }
            3 => {
                self.note("round");
                format!("round({}, {})", self.expr(Number, depth), self.any(&["0", "2", "-1"]))
            }
            4 => {
                self.note("functions of numbers");
                format!("power({}, {})", self.expr(Number, depth), self.leaf(Number))
            }
            _ => {
                self.note("cast");
                let kind = *self.chance.pick(&[Integer, Text]);
                format!("CAST({} AS double precision)", self.cast_from(kind, depth))
            }
        }
    }

    /// No literal text in a cast: most of them could not be read, and the planner says so at once.
    fn cast_from(&mut self, kind: Kind, depth: usize) -> String {
        match kind {
            Text => format!("lower({})", self.expr(Text, depth)),
            other => self.expr(other, depth),
        }
    }

    fn text(&mut self, depth: usize) -> String {
        match self.chance.below(6) {
            0 => {
                self.note("text functions");
                let name = self.any(&["lower", "upper", "trim"]);
                format!("{name}({})", self.expr(Text, depth))
            }
            1 => {
                self.note("substring");
                format!("substring({} FROM {} FOR 2)", self.expr(Text, depth), self.leaf(Integer))
            }
            2 => {
                self.note("substring");
                format!("left({}, 1)", self.expr(Text, depth))
            }
            3 => {
                self.note("concatenation");
                format!("({} || {})", self.expr(Text, depth), self.leaf(Text))
            }
            4 => {
                self.note("concatenation");
                let kind = *self.chance.pick(&KINDS);
                format!("concat({}, {})", self.expr(Text, depth), self.leaf(kind))
            }
            _ => {
                self.note("cast");
                let kind = *self.chance.pick(&KINDS);
                format!("CAST({} AS text)", self.expr(kind, depth))
            }
        }
    }

    fn date(&mut self, depth: usize) -> String {
        match self.chance.below(4) {
            0 => {
                self.note("date arithmetic");
                let interval =
                    self.any(&["INTERVAL '1 month'", "INTERVAL '3 days'", "INTERVAL '9000 years'"]);
                format!("({} {} {interval})", self.expr(Date, depth), self.any(&["+", "-"]))
            }
            1 => {
                self.note("date arithmetic");
                format!("({} + {})", self.expr(Date, depth), self.leaf(Integer))
            }
            2 => {
                self.note("date_trunc");
                let part = self.any(&["'year'", "'quarter'", "'month'", "'week'", "'day'"]);
                format!("date_trunc({part}, {})", self.expr(Date, depth))
            }
            _ => {
                self.note("cast");
                let kind = *self.chance.pick(&[Timestamp, Text]);
                format!("CAST({} AS date)", self.cast_from(kind, depth))
            }
        }
    }

    fn timestamp(&mut self, depth: usize) -> String {
        match self.chance.below(2) {
            0 => {
                self.note("date_trunc");
                let part = self.any(&["'month'", "'day'", "'hour'", "'second'"]);
                format!("date_trunc({part}, {})", self.expr(Timestamp, depth))
            }
            _ => {
                self.note("cast");
                let kind = *self.chance.pick(&[Date, Text]);
                format!("CAST({} AS timestamp)", self.cast_from(kind, depth))
            }
        }
    }
}
