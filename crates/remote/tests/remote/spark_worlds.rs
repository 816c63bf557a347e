//! Generated worlds on Spark: as `differential.rs`, `sql_questions.rs` and `neighbours.rs` do with PostgreSQL, with ANSI on and off
//! in turns.
//!
//! **Specification.** What Spark does not refuse before the payment it answers, with the very integers that the embedded engine
//! has under the same key; nothing that rows hold makes a statement fail, in either mode; and nobody moves its integers further
//! than the plan claims.
//! **Power.** Every kind of relation, of owner, of group and of measure is compared in a default run; less than a third is refused.
//! **Chance.** Seeds are fixed. Spark compiles every statement, so that a default run is small: `POINTILLIST_DIFFERENTIAL=2000`
//! asks so many questions instead.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use arrow::ipc::writer::StreamWriter;
use pointillist_engine::{Choice, ChoiceKey, EngineError, Groups, Prepared};
use pointillist_errors::{Explained, Explanation};
use pointillist_lowering::{Dialect, StoredTables, lower};
use pointillist_plan::Aggregation;
use pointillist_remote::spark::{Session, TableDescription, Times};
use pointillist_testkit::spark::{SparkOptions, SparkServer};

use crate::cells::{Cell, Datum, Store};
use crate::chance::Chance;
use crate::differential::{compare, wanted};
use crate::neighbours::leave;
use crate::spark_questions::{cluster, name, session};
use crate::sql_questions::ask_in_sql;
use crate::world::{Asked, Host, NAMES, World};

/// How many aggregations are compared unless the environment says otherwise.
const AGGREGATIONS: usize = 250;
/// How many questions in SQL.
const QUESTIONS: usize = 150;
/// From how many of each person's worlds everybody leaves in turn.
const LEAVING: usize = 24;

/// Digits of decimals, and how many of them are behind the point: as narrow, as wide and as far behind as Spark has them.
const DECIMALS: [(usize, usize); 6] = [(38, 18), (38, 18), (20, 1), (10, 2), (38, 0), (38, 38)];

/// Another zone than the sessions', because nothing may depend on the server's; and code that is compiled once, because all of it
/// runs but once.
const JAVA_OPTIONS: &str = "-Duser.timezone=America/New_York -XX:TieredStopAtLevel=1";

/// The one server of all tests that do not kill theirs. Without executors of their own statements are begun sooner; what a lost
/// executor does is in `spark_failures.rs`.
pub(crate) fn server() -> Option<&'static SparkServer> {
    static SERVER: OnceLock<Option<SparkServer>> = OnceLock::new();
    let settings = vec![
        ("spark.sql.shuffle.partitions", "2".to_owned()),
        ("spark.driver.extraJavaOptions", JAVA_OPTIONS.to_owned()),
    ];
    let options = SparkOptions { executors: 0, settings, ..SparkOptions::default() };
    SERVER.get_or_init(|| SparkServer::start_with(options)).as_ref()
}

/// A server of Spark's, with tables of their own for each world.
struct Worlds {
    server: &'static SparkServer,
    owner: pointillist_spark::Session,
    prefix: &'static str,
    worlds: usize,
    sessions: usize,
    /// The decimals of this world.
    decimal: (usize, usize),
}

impl Worlds {
    fn new(server: &'static SparkServer, prefix: &'static str) -> Self {
        Self { server, owner: session(server), prefix, worlds: 0, sessions: 0, decimal: DECIMALS[0] }
    }

    fn command(&self, command: &str) {
        self.owner.command(command, &[]).unwrap_or_else(|error| panic!("{error}: {command}"));
    }
}

/// A value that a decimal of these digits holds, or one that it just holds instead.
fn fit_decimal(chance: &mut Chance, text: &str, (digits, behind): (usize, usize)) -> Cell {
    let bare = text.trim_start_matches('-');
    let (whole, fraction) = bare.split_once('.').unwrap_or((bare, ""));
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let fits = bare.starts_with(|sign: char| sign.is_ascii_digit())
        && whole.len() <= digits - behind
        && fraction.len() <= behind;
    if fits {
        return Some(Datum::Decimal(text.to_owned()));
    }
    let (whole, fraction) = ("9".repeat(digits - behind), "9".repeat(behind));
    let sign = *chance.pick(&["", "-"]);
    let most = match (whole.as_str(), fraction.as_str()) {
        (whole, "") => whole.to_owned(),
        ("", fraction) => format!("0.{fraction}"),
        (whole, fraction) => format!("{whole}.{fraction}"),
    };
    (!chance.one_in(3)).then(|| Datum::Decimal(format!("{sign}{most}")))
}

impl Host for Worlds {
    /// Spark's decimals have 38 digits and no NaN; its texts hold U+0000.
    fn fit(&mut self, chance: &mut Chance, mut world: World) -> World {
        self.decimal = *chance.pick(&DECIMALS);
        for cell in world.0.values_mut().flat_map(|table| &mut table.rows).flatten() {
            match cell {
                Some(Datum::Decimal(text)) => *cell = fit_decimal(chance, text, self.decimal),
                Some(Datum::Text(text)) if text == "z" => text.push('\0'),
                _ => {}
            }
        }
        world
    }

    fn put(&mut self, world: &World) -> String {
        self.worlds += 1;
        let place = format!("{}{}", self.prefix, self.worlds);
        for (name, table) in &world.0 {
            let batch = table.batch();
            let mut stream = Vec::new();
            let mut writer = StreamWriter::try_new(&mut stream, &batch.schema()).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
            drop(writer);
            let columns = table.columns.iter().map(|(column, store)| format!("{column} {}", store.spark()));
            self.owner.register("given", stream, &columns.collect::<Vec<_>>().join(", ")).unwrap();
            let (digits, behind) = self.decimal;
            let shown = table.columns.iter().map(|(column, store)| match store {
                Store::Numeric => format!("CAST({column} AS DECIMAL({digits}, {behind})) AS {column}"),
                _ => (*column).to_owned(),
            });
            let shown = shown.collect::<Vec<_>>().join(", ");
            self.command(&format!("CREATE TABLE {place}_{name} USING parquet AS SELECT {shown} FROM given"));
        }
        place
    }

    fn remove(&self, place: &str) {
        NAMES.iter().for_each(|(table, _)| self.command(&format!("DROP TABLE {place}_{table}")));
    }

    fn session(&mut self, place: &str) -> Box<dyn Asked> {
        self.sessions += 1;
        let is_ansi = self.sessions % 2 == 1;
        let cluster = cluster(self.server);
        let cluster = if is_ansi { cluster } else { cluster.without_ansi() };
        let names: Vec<_> = NAMES.iter().map(|(table, _)| name(&format!("{place}_{table}"))).collect();
        let session = cluster.begin(&names, &Times::default()).unwrap_or_else(|error| panic!("{error}"));
        let stored = session.tables().iter().map(TableDescription::stored);
        let tables: StoredTables = NAMES.iter().map(|(table, _)| (*table).to_owned()).zip(stored).collect();
        Box::new(Talk(Arc::new((session, tables))))
    }
}

/// A session in either mode, and what its tables are.
struct Talk(Arc<(Session, StoredTables)>);

impl Asked for Talk {
    fn prepare(&self, aggregation: &Aggregation) -> Result<Box<dyn Prepared>, Explanation> {
        let (session, tables) = &*self.0;
        let statement = lower(Dialect::Spark, tables, aggregation, &ChoiceKey::from_words(|| 3));
        let statement = statement.map_err(|error| error.explanation())?;
        session.prepare(&statement).map_err(|error| {
            println!("{error}\n{}", statement.text);
            error.explanation()
        })?;
        Ok(Box::new(Self(Arc::clone(&self.0))))
    }
}

impl Prepared for Talk {
    fn aggregate(&self, aggregation: &Aggregation, choice: &Choice) -> Result<Groups, EngineError> {
        let Choice::With(key) = choice else { return Err(EngineError::Elsewhere) };
        let (session, tables) = &*self.0;
        let statement = lower(Dialect::Spark, tables, aggregation, key);
        let statement = statement.map_err(|_| EngineError::Elsewhere)?;
        let rows = session.run(&statement).map_err(|failure| {
            println!("{}\n{}\n{:?}", failure.words_for_log(), statement.text, statement.parameters);
            EngineError::Elsewhere
        })?;
        let groups = Groups::from_rows(aggregation.domain.as_deref(), aggregation.measures.len(), rows);
        groups.ok_or(EngineError::Elsewhere)
    }
}

#[test]
fn the_same_integers_come_from_spark() {
    let Some(server) = server() else { return };
    let tally = compare(&mut Worlds::new(server, "aggregations"), wanted(AGGREGATIONS));
    tally.print("Spark against the embedded engine");
    tally.assert_power(AGGREGATIONS, if tally.tried >= 2_000 { 10 } else { 1 });
}

#[test]
fn questions_in_sql_have_the_same_integers_on_spark() {
    let Some(server) = server() else { return };
    let tally = ask_in_sql(&mut Worlds::new(server, "questions"), wanted(QUESTIONS));
    tally.print("questions in SQL on Spark");
    tally.assert_power(usize::MAX, 0);
}

#[test]
fn nobody_moves_the_integers_of_spark_further_than_the_plan_claims() {
    let Some(server) = server() else { return };
    let reached: BTreeMap<String, usize> = leave(&mut Worlds::new(server, "leaving"), wanted(LEAVING), 12);
    // Of so few aggregations these are enough to see that the claims are near: all of them are in `neighbours.rs`.
    let near =
        ["groups", "rows high", "people high", "people cut high", "sums high", "means low", "squares high"];
    for what in near {
        assert!(reached.contains_key(what), "nobody reached the claim: {what}");
    }
}
