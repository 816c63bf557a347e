//! A question in SQL, asked of the real curator in worlds that differ in one person.
//!
//! **Worlds.** People made up from the catalog, or a copy of the owner's own rows; with and without one more person, who is
//! hard to hide (`worst_case_people.rs`), and of the owner's own rows also without whoever is likely to show most.
//! **Neighbours.** All rows of one privacy unit, or of one person of a column that the auditor names.
//! **Seen.** Everything that an asker sees of an answer or a refusal, but for what counts the audit's own questions.
//! **Charged.** Nothing: every world is a [`Sandbox`](pointillist_curator::sandbox::Sandbox) with a ledger of its own.
//!
//! | file | its idea |
//! | --- | --- |
//! | `text_table.rs` | the rows of a table as texts, and whose they are |
//! | `worst_case_people.rs` | people who are hard to hide |
//! | `candidate_cells.rs` | cells that could matter to the question |
//! | `world.rs` | one world and its curator |
//! | `observe.rs` | what an asker sees |
//! | `subject.rs` | a question with its worlds, as a subject |
//! | `group_canaries.rs` | a person in each public group, and one answer about all of them |
//! | `built_in.rs` | questions about a made-up clinic |

mod built_in;
mod candidate_cells;
mod group_canaries;
mod observe;
mod subject;
#[cfg(test)]
mod tests;
mod text_table;
mod world;
mod worst_case_people;

use std::path::Path;

use pointillist_catalog::{Catalog, OWNER, Table, declared_scope};
use pointillist_curator::Ask;
use pointillist_plan::PrivatePlan;
use pointillist_privacy::{Currency, Loss};
use pointillist_query::Options;

use self::group_canaries::GroupCanaries;
use self::subject::QuestionSubject;
use self::text_table::{TextTable, scanned, unit};
use self::world::{AuditedQuestion, WorldPair, audit_catalog};
use self::worst_case_people::{Person, worst_case_people};
use crate::{AuditError, Batch, Canaries, Findings, Progress, RunSettings, Subject, run};

pub(crate) use self::built_in::built_in;

/// Who is added, unless somebody of the data has this name.
const ADDED: u64 = 987_654_321;
/// Columns whose largest value marks somebody to leave out.
const LARGEST: usize = 2;
/// Characters of a question that a heading shows.
const TITLE_MAX: usize = 60;

/// Which question is audited, at which price, on whose rows.
#[derive(Clone, Debug)]
pub struct QuestionRequest<'a> {
    /// The question.
    pub sql: &'a str,
    /// The price; what the statement or the catalog says, where nothing is said here.
    pub options: Options,
    /// The column that says whose row it is, where that is not the catalog's privacy unit.
    pub person: Option<&'a str>,
    /// Whose rows.
    pub rows: Rows<'a>,
}

/// The rows of the worlds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows<'a> {
    /// Made up from the catalog: no file is read.
    MadeUp,
    /// A copy of the owner's own, whose sources are relative to this folder. What is found is for the owner only.
    Owners(&'a Path),
}

/// A question that is understood, and the rows it is asked about.
pub struct PreparedQuestion {
    name: String,
    /// Whose rows neighbours differ in, where the catalog's privacy unit is another.
    other_unit: Option<String>,
    plan: PrivatePlan,
    table: Table,
    question: AuditedQuestion,
    base: TextTable,
    on_data: bool,
}

/// Audits a question.
///
/// # Errors
/// When the question is refused, the owner's rows cannot be read, or a world cannot be set up.
pub fn audit_question(
    catalog: &Catalog,
    request: &QuestionRequest<'_>,
    settings: &RunSettings,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Result<Findings, AuditError> {
    run(PreparedQuestion::new(catalog, request)?.batch()?, settings, progress)
}

impl PreparedQuestion {
    /// Plans the question and reads or makes up its rows; asks nothing yet.
    ///
    /// # Errors
    /// When the question is refused or the owner's rows cannot be read.
    pub fn new(catalog: &Catalog, request: &QuestionRequest<'_>) -> Result<Self, AuditError> {
        let QuestionRequest { sql, options, person, rows } = request;
        let mut options = options.clone();
        let plan = pointillist_query::plan(catalog, sql, &options)?;
        let Some(scan) = plan.aggregation.relation.table() else {
            return Err(AuditError::new("only questions about one table are audited", "ask about one table"));
        };
        let name = &scan.table;
        let missing = || AuditError::new(format!("there is no table `{name}`"), "declare it in the catalog");
        let table = catalog.tables.get(name).ok_or_else(missing)?.clone();
        pin(&mut options, &plan);
        let catalog = audit_catalog(catalog, name, declared_scope(&plan.scope))?;
        let plan = pointillist_query::plan(&catalog, sql, &options)?;
        let base = match rows {
            Rows::MadeUp => TextTable::made_up(&plan, &table, *person),
            Rows::Owners(folder) => TextTable::read(folder, &table, &plan, *person)?,
        };
        let ask = Ask { options, ..Ask::new(*sql, OWNER) };
        let other_unit = person.filter(|person| unit(&plan) != Some(person)).map(str::to_owned);
        let name = match &other_unit {
            None => shortened(sql),
            Some(person) => format!("{}, all rows of one {person}", shortened(sql)),
        };
        let on_data = *rows != Rows::MadeUp;
        Ok(Self { name, other_unit, plan, table, question: AuditedQuestion { catalog, ask }, base, on_data })
    }

    /// The question as a subject, with canaries where its groups are public and many. Asks a few times to see how long an
    /// answer takes.
    ///
    /// # Errors
    /// When a world cannot be set up.
    pub fn batch(&self) -> Result<Batch, AuditError> {
        let (subject, canaries) = self.subjects()?;
        let subject: Box<dyn Subject> = Box::new(subject);
        let title = match self.on_data {
            false => self.name.clone(),
            true => format!("{} on the owner's own rows, for the owner only", self.name),
        };
        let canaries = canaries.map(|canaries| Box::new(canaries) as Box<dyn Canaries>);
        let canaries = canaries.into_iter().collect();
        Ok(Batch { notes: self.notes(), canaries, ..Batch::new(title, vec![subject]) })
    }

    fn notes(&self) -> Vec<String> {
        let own = "These numbers come from your own rows: they are for you, and nothing here was charged.";
        let other_unit = self.other_unit.as_ref().map(|person| {
            format!(
                "Neighbours differ in all rows of one {person}, which is not the catalog's privacy unit: a \
                 claim that is refuted here protects too little of a person, and may well be true of the unit."
            )
        });
        self.on_data.then(|| own.to_owned()).into_iter().chain(other_unit).collect()
    }

    fn subjects(&self) -> Result<(QuestionSubject, Option<GroupCanaries>), AuditError> {
        let people = worst_case_people(&self.plan, &self.table, self.base.people_have_rows());
        let canaries = people.first().filter(|_| !self.on_data).and_then(|model| {
            GroupCanaries::new(&self.name, &self.claim(), &self.question, &self.plan, &self.base, model)
        });
        let mut pairs = self.leavers();
        pairs.extend(people.iter().map(|person| self.joining(person)));
        let subject = QuestionSubject::new(self.name.clone(), self.claim(), self.question.clone(), pairs)?;
        Ok((subject, canaries))
    }

    /// What the ledger is charged for, before it is rounded up.
    fn claim(&self) -> Loss {
        self.plan.loss.clone()
    }

    /// With this person, and without.
    fn joining(&self, person: &Person) -> WorldPair {
        let columns: Vec<String> = scanned(&self.plan).iter().map(|column| column.name.clone()).collect();
        let with = self.base.with(&columns, &person.rows, &self.base.stranger(ADDED));
        WorldPair { name: format!("one more person: {}", person.name), worlds: [with, self.base.clone()] }
    }

    /// People of the owner's own data who are likely to show most.
    fn leavers(&self) -> Vec<WorldPair> {
        if !self.on_data {
            return Vec::new();
        }
        let base = &self.base;
        let mut pairs = Vec::new();
        let mut without = |name: String, table: TextTable| {
            pairs.push(WorldPair { name, worlds: [base.clone(), table] });
        };
        if let Some((id, _)) = base.busiest() {
            without("without whoever has most rows".to_owned(), base.without(&id));
        }
        for column in scanned(&self.plan).iter().take(LARGEST) {
            let Some(row) = base.largest(&column.name) else { continue };
            let table = match base.person_of(row) {
                Some(id) => base.without(id),
                None => base.without_row(row),
            };
            without(format!("without whoever has the largest {}", column.name), table);
        }
        pairs
    }
}

/// Without a price a question costs a part of the budget, and keys are earned with a part of its δ; the
/// audit has another budget. What the statement itself says stays.
fn pin(options: &mut Options, plan: &PrivatePlan) {
    let lost = plan.loss.approximate_rho().filter(|_| plan.price.currency() == Currency::Zcdp);
    if let (Some((_, delta)), None) = (&lost, &options.delta) {
        options.delta = Some(delta.clone()).filter(|delta| !delta.is_zero());
    }
    if options.epsilon.is_none() && options.rho.is_none() {
        match lost {
            Some((rho, _)) => options.rho = Some(rho),
            None => options.epsilon = plan.loss.pure_epsilon(),
        }
    }
}

fn shortened(sql: &str) -> String {
    let sql = sql.split_whitespace().collect::<Vec<&str>>().join(" ");
    if sql.chars().count() <= TITLE_MAX {
        return sql;
    }
    sql.chars().take(TITLE_MAX - 1).chain(['…']).collect()
}
