//! `pointillist audit query`: a question in SQL, asked of the real curator in made-up worlds that differ in
//! one person.

mod crowd;
mod house;
mod persons;
mod seen;
mod sheet;
mod subject;

use pointillist_audit::{Canaries, Subject};
use pointillist_catalog::Table;
use pointillist_curator::{Ask, OWNER};
use pointillist_plan::{Cost, PrivatePlan, Relation};
use pointillist_privacy::Loss;
use pointillist_query::Options;
use serde_json::{Value, json};

use self::crowd::Crowd;
use self::house::{Asked, audit_catalog};
use self::persons::{Person, persons};
use self::sheet::{Sheet, scanned};
use self::subject::{Pair, Questioned};
use super::bench::BenchArguments;
use crate::failure::Failure;
use crate::home::{Home, HomeArguments};
use crate::message::say;
use crate::question::PriceArguments;

/// Who is added, unless somebody of the data has this name.
const ADDED: u64 = 987_654_321;
/// Columns whose largest value marks somebody to leave out.
const LARGEST: usize = 2;
/// Signs of a question that a heading shows.
const SHOWN: usize = 60;

/// Which question, at which price, on which rows.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  pointillist audit query \"SELECT region, COUNT(*) FROM visits GROUP BY region\" --epsilon 1
  pointillist audit query \"SELECT SUM(cost) FROM visits WHERE age > 64\" --rho 0.1 --report sum.html
  pointillist audit query \"SELECT COUNT(*) FROM visits\" --epsilon 1 --on-data --person patient

The worlds are people made up from the catalog, with and without one more who is hard to hide:
hundreds of rows, values at the bounds and far outside, empty and unreadable cells, rows in every
group, a group of their own. Each answer comes from a curator with a ledger of its own; your ledger
is neither read nor charged. No file of yours is read, unless --on-data says so: then your rows are
copied into temporary folders `pointillist-…`, which nobody else can enter and which are removed
however the audit ends, also by Ctrl-C or by force. With --person, neighbours differ in
all rows of one person of that column, whatever the catalog calls a unit. Audit at a price that
shows something: at ε = 0.01 no audit sees anything.")]
pub struct Arguments {
    /// The question
    #[arg(value_name = "SQL")]
    sql: String,
    #[command(flatten)]
    home: HomeArguments,
    /// Use a copy of the owner's own rows; what is printed is then for the owner only
    #[arg(long)]
    on_data: bool,
    /// The column that says whose row it is [default: the catalog's privacy unit]
    #[arg(long, value_name = "COLUMN")]
    person: Option<String>,
    #[command(flatten)]
    price: PriceArguments,
    #[command(flatten)]
    bench: BenchArguments,
}

/// Audits a question.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let home = arguments.home.open()?;
    let prepared = Prepared::new(&home, arguments)?;
    let (subject, crowd) = prepared.audited()?;
    let subject: Box<dyn Subject> = Box::new(subject);
    let canaries = crowd.map(|crowd| Box::new(crowd) as Box<dyn Canaries>);
    let title = match arguments.on_data {
        false => prepared.name.clone(),
        true => format!("{} on the owner's own rows, for the owner only", prepared.name),
    };
    if arguments.on_data && !arguments.bench.json {
        say("These numbers come from your own rows: they are for you, and nothing here was charged.");
    }
    if let (Some(person), false) = (&prepared.other_unit, arguments.bench.json) {
        say(format!(
            "Neighbours differ in all rows of one {person}, which is not the catalog's privacy unit: a \
             claim that is refuted here protects too little of a person, and may well be true of the unit."
        ));
    }
    arguments.bench.audit(&title, arguments.json(), vec![subject.into()], canaries.into_iter().collect())
}

impl Arguments {
    /// For scripts.
    fn json(&self) -> Value {
        let mut settings = json!({
            "sql": self.sql,
            "catalog": self.home.catalog.display().to_string(),
            "on_data": self.on_data,
            "person": self.person,
        });
        for (name, value) in self.price.given() {
            settings[name] = json!(value);
        }
        settings
    }
}

/// A question that is understood, and the rows it is asked about.
pub(super) struct Prepared {
    name: String,
    /// Whose rows neighbours differ in, where the catalog says otherwise.
    other_unit: Option<String>,
    plan: PrivatePlan,
    table: Table,
    asked: Asked,
    base: Sheet,
    on_data: bool,
}

impl Prepared {
    fn new(home: &Home, arguments: &Arguments) -> Result<Self, Failure> {
        let Arguments { sql, person, on_data, price, .. } = arguments;
        Self::of(home, sql, price.options()?, person.as_deref(), *on_data)
    }

    pub(super) fn of(
        home: &Home,
        sql: &str,
        mut options: Options,
        person: Option<&str>,
        on_data: bool,
    ) -> Result<Self, Failure> {
        let plan = pointillist_query::plan(&home.catalog, sql, &options)?;
        let Relation::Table { name, .. } = &plan.aggregation.relation;
        let missing =
            || Failure::Request(format!("there is no table `{name}`\nhint: declare it in the catalog"));
        let table = home.catalog.tables.get(name).ok_or_else(missing)?.clone();
        pin(&mut options, &plan);
        let catalog = audit_catalog(&home.catalog, name, &plan.scope)?;
        let plan = pointillist_query::plan(&catalog, sql, &options)?;
        let base = match on_data {
            false => Sheet::made_up(&plan, &table, person),
            true => Sheet::read(&home.folder, &table, &plan, person)?,
        };
        let ask = Ask { sql: sql.to_owned(), options, analyst: OWNER.to_owned(), request_id: None };
        let asked = Asked { catalog, ask };
        let other_unit = person.filter(|person| sheet::unit(&plan) != Some(person)).map(str::to_owned);
        let name = match &other_unit {
            None => shortened(sql),
            Some(person) => format!("{}, all rows of one {person}", shortened(sql)),
        };
        Ok(Self { name, other_unit, plan, table, asked, base, on_data })
    }

    /// What the ledger is charged.
    fn claim(&self) -> Loss {
        match &self.plan.cost {
            Cost::Pure { epsilon } => Loss::pure(epsilon.clone()),
            Cost::Zcdp { rho, delta } => Loss::approximate_zcdp(rho.clone(), delta.clone()),
        }
    }

    pub(super) fn audited(&self) -> Result<(Questioned, Option<Crowd>), Failure> {
        let people = persons(&self.plan, &self.table, &self.asked.ask.sql, self.base.people_have_rows());
        let crowd = people.first().filter(|_| !self.on_data).and_then(|model| {
            Crowd::new(&self.name, &self.claim(), &self.asked, &self.plan, &self.base, model)
        });
        let mut pairs = self.leavers();
        pairs.extend(people.iter().map(|person| self.pair(person)));
        Ok((Questioned::new(self.name.clone(), self.claim(), self.asked.clone(), pairs)?, crowd))
    }

    fn pair(&self, person: &Person) -> Pair {
        let columns: Vec<String> = scanned(&self.plan).iter().map(|column| column.name.clone()).collect();
        let with = self.base.with(&columns, &person.rows, &self.base.stranger(ADDED));
        Pair { name: format!("one more person: {}", person.name), worlds: [with, self.base.clone()] }
    }

    /// People of the owner's own data who are likely to show most.
    fn leavers(&self) -> Vec<Pair> {
        if !self.on_data {
            return Vec::new();
        }
        let base = &self.base;
        let mut pairs = Vec::new();
        let mut without = |name: String, sheet: Sheet| {
            pairs.push(Pair { name, worlds: [base.clone(), sheet] });
        };
        if let Some((id, _)) = base.busiest() {
            without("without whoever has most rows".to_owned(), base.without(&id));
        }
        for column in scanned(&self.plan).iter().take(LARGEST) {
            let Some(row) = base.largest(&column.name) else { continue };
            let sheet = match base.person_of(row) {
                Some(id) => base.without(id),
                None => base.without_row(row),
            };
            without(format!("without whoever has the largest {}", column.name), sheet);
        }
        pairs
    }
}

/// Without a price a question costs a part of the budget, and keys are earned with a part of its δ; the
/// audit has another budget. What the statement itself says stays.
fn pin(options: &mut Options, plan: &PrivatePlan) {
    if let (Cost::Zcdp { delta, .. }, None) = (&plan.cost, &options.delta) {
        options.delta = (!delta.is_zero()).then(|| delta.clone());
    }
    if options.epsilon.is_none() && options.rho.is_none() {
        match &plan.cost {
            Cost::Pure { epsilon } => options.epsilon = Some(epsilon.clone()),
            Cost::Zcdp { rho, .. } => options.rho = Some(rho.clone()),
        }
    }
}

fn shortened(sql: &str) -> String {
    let sql = sql.split_whitespace().collect::<Vec<&str>>().join(" ");
    if sql.chars().count() <= SHOWN {
        return sql;
    }
    sql.chars().take(SHOWN - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use pointillist_audit::AuditError;
    use pointillist_audit::{Finding, Observation, Part, Settings, Side, audit, one_run};
    use pointillist_catalog::Catalog;
    use pointillist_noise::SecureBits;
    use pointillist_testkit::seeded;

    use super::*;

    const CATALOG: &str = "
[scope.people]
model = \"pure\"
budget = { epsilon = 4.0 }
[table.visits]
scope = \"people\"
source = \"visits.csv\"
privacy_unit = \"row\"
[table.visits.columns]
cost = { type = \"integer\", lower = 0, upper = 100 }
";

    fn prepared(sql: &str, epsilon: &str, person: Option<&str>) -> Prepared {
        let home = Home::new(".".into(), Catalog::parse(CATALOG).unwrap());
        let mut options = Options::default();
        options.set("epsilon", epsilon).unwrap();
        Prepared::of(&home, sql, options, person, false).unwrap()
    }

    fn found(subject: &mut dyn Subject) -> Finding {
        audit(subject, &Settings::new(200), &mut seeded(1), &mut |_, _| {}).unwrap()
    }

    /// Specification: the audited question costs what the owner's ledger would be charged, also the δ that
    /// nobody named, and so has the same noise and threshold.
    #[test]
    fn what_is_audited_costs_what_the_owner_would_pay() {
        let text = "[scope.people]\nbudget = { epsilon = 4.0, delta = 1e-6 }\n[table.visits]\nscope = \
                    \"people\"\nsource = \"visits.csv\"\nprivacy_unit = \
                    \"row\"\n[table.visits.columns]\nward = { type = \"text\" }\n";
        let catalog = Catalog::parse(text).unwrap();
        for sql in [
            "SELECT ward, COUNT(*) FROM visits GROUP BY ward",
            "SELECT COUNT(*) FROM visits",
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (delta = 1e-7) ward, COUNT(*) FROM visits GROUP BY ward",
            "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (error = 5) COUNT(*) FROM visits",
        ] {
            let owners = pointillist_query::plan(&catalog, sql, &Options::default()).unwrap().cost;
            let home = Home::new(".".into(), catalog.clone());
            let audited = Prepared::of(&home, sql, Options::default(), None, false).unwrap();
            assert_eq!(audited.plan.cost, owners, "{sql}");
        }
    }

    /// Specification: the person who is added is nobody who is there already.
    #[test]
    fn a_stranger_has_a_name_of_their_own() {
        let base = prepared("SELECT COUNT(*) FROM visits", "1", Some("patient")).base;
        assert_eq!(base.stranger(ADDED), ADDED.to_string());
        let taken = base.with(&[], &[Vec::new()], &base.stranger(ADDED));
        assert_eq!(taken.stranger(ADDED), (ADDED + 1).to_string());
        assert_eq!(taken.stranger(1), "61");
    }

    /// The question with the exact number of rows beside its answer.
    struct Leaky(Questioned, [i64; 2]);

    impl Subject for Leaky {
        fn name(&self) -> String {
            self.0.name()
        }

        fn claim(&self) -> Loss {
            self.0.claim()
        }

        fn neighbours(&self) -> Vec<String> {
            self.0.neighbours()
        }

        fn release(
            &mut self,
            pair: usize,
            side: Side,
            bits: &mut dyn SecureBits,
        ) -> Result<Observation, AuditError> {
            let exact = self.1[usize::from(side == Side::Right)];
            Ok(self.0.release(pair, side, bits)?.with("rows read", exact))
        }
    }

    /// False alarm of the first: 1e-9, the audit's own. Power of the second: about a hundred releases of
    /// either side are counted, the leak is there in all of them and in none; at a rate of 1e-9 that bounds ε
    /// from below by more than ¼.
    #[test]
    fn a_question_is_cleared_and_the_same_with_an_exact_number_is_caught() {
        let prepared = prepared("SELECT COUNT(*) FROM visits", "0.25", None);
        let (mut subject, _) = prepared.audited().unwrap();
        assert_eq!(subject.neighbours().len(), 1);
        let cleared = found(&mut subject);
        assert!(!cleared.refuted(), "{:?}", cleared.measured);
        let mut leaky = Leaky(subject, [61, 60]);
        assert!(found(&mut leaky).refuted());
    }

    #[test]
    fn every_answer_is_fresh_and_hostile_people_get_answers_too() {
        let prepared = prepared("SELECT SUM(cost) FROM visits WHERE cost > 10", "1", None);
        let (mut subject, crowd) = prepared.audited().unwrap();
        assert!(crowd.is_none());
        for pair in 0..subject.neighbours().len() {
            for side in [Side::Left, Side::Right] {
                let seen: Vec<Observation> =
                    (0..20).map(|_| subject.release(pair, side, &mut seeded(0)).unwrap()).collect();
                assert!(seen.iter().all(|seen| !seen.parts().contains_key("refusal")), "{}", seen[0]);
                assert!(seen.iter().all(|seen| seen.parts()["paid"] == Part::Word("InFull".to_owned())));
                // Twenty times the same with noise of scale 100: never.
                assert!(seen.iter().any(|other| *other != seen[0]), "{}", seen[0]);
            }
        }
    }

    /// False alarm: 1e-9, the audit's own. Power: at ε = 5 a guess is right with probability 0.99, at ε = 0.05
    /// with 0.51; a hundred guesses tell them apart.
    #[test]
    fn a_canary_in_each_group_clears_what_is_true_and_refutes_what_is_not() {
        let prepared = prepared("SELECT cost, COUNT(*) FROM visits GROUP BY cost", "5", None);
        let run = |crowd: &mut Crowd| one_run(crowd, Settings::new(300).rates, &mut seeded(2)).unwrap();
        let (_, crowd) = prepared.audited().unwrap();
        let honest = run(&mut crowd.unwrap());
        assert_eq!(honest.canaries, 101);
        assert!(!honest.refuted() && honest.lower > 1.0, "{honest:?}");
        let people = persons(&prepared.plan, &prepared.table, &prepared.asked.ask.sql, false);
        let claim = Loss::pure(pointillist_privacy::Epsilon::parse("0.05").unwrap());
        let Prepared { plan, base, asked, .. } = &prepared;
        let mut lying = Crowd::new("a lie", &claim, asked, plan, base, &people[0]).unwrap();
        assert!(run(&mut lying).refuted());
    }

    #[test]
    fn a_question_without_a_price_claims_what_it_would_cost() {
        let home = Home::new(".".into(), Catalog::parse(CATALOG).unwrap());
        let sql = "SELECT COUNT(*) FROM visits";
        let prepared = Prepared::of(&home, sql, Options::default(), None, false).unwrap();
        assert_eq!(prepared.claim().pure_epsilon().unwrap().to_string(), "0.04");
        let priced = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 0.5) COUNT(*) FROM visits";
        let prepared = Prepared::of(&home, priced, Options::default(), None, false).unwrap();
        assert_eq!(prepared.claim().pure_epsilon().unwrap().to_string(), "0.5");
    }

    #[test]
    fn long_questions_are_shortened() {
        assert_eq!(shortened("SELECT\n  1"), "SELECT 1");
        assert_eq!(shortened(&"x".repeat(100)).chars().count(), SHOWN);
    }
}
