//! Many made-up people, each in a public group of their own, and one answer about all of them.

use pointillist_catalog::Value;
use pointillist_noise::SecureBits;
use pointillist_plan::{PrivatePlan, Scalar};
use pointillist_privacy::Loss;

use super::text_table::{TextTable, scanned, text};
use super::world::{AuditedQuestion, World};
use super::worst_case_people::Person;
use crate::{AuditError, Canaries, Part};

/// Fewer groups are not worth a run.
const CANARIES_LEAST: usize = 50;

/// A person in each public group; who of them takes part is what one answer is asked to tell.
pub struct GroupCanaries {
    name: String,
    claim: Loss,
    question: AuditedQuestion,
    empty: TextTable,
    columns: Vec<String>,
    /// For every canary, the rows and the part of the answer that shows them.
    canaries: Vec<(Vec<Vec<String>>, String)>,
}

impl GroupCanaries {
    /// Canaries for a question whose groups are public, are named in the answer and are columns of the table;
    /// `model` is a person whose rows the question counts. Other questions have none.
    pub fn new(
        name: &str,
        claim: &Loss,
        question: &AuditedQuestion,
        plan: &PrivatePlan,
        base: &TextTable,
        model: &Person,
    ) -> Option<Self> {
        let domain = plan.aggregation.domain.as_ref().filter(|domain| domain.len() >= CANARIES_LEAST)?;
        let keys: Option<Vec<usize>> = plan
            .aggregation
            .keys
            .iter()
            .map(|key| match &key.value {
                Scalar::Column(column) => Some(*column),
                _ => None,
            })
            .collect();
        let keys = keys?;
        let shown = plan
            .answer
            .columns
            .iter()
            .find(|column| matches!(column.role, pointillist_plan::Role::Aggregate(_)))?;
        let canary = |group: &Vec<Option<Value>>| -> Option<(Vec<Vec<String>>, String)> {
            let mut rows = model.rows.clone();
            let mut label = Vec::new();
            for (column, value) in keys.iter().zip(group) {
                let cell = text(value.as_ref()?);
                for row in &mut rows {
                    row.get_mut(*column)?.clone_from(&cell);
                }
                label.push(cell);
            }
            Some((rows, format!("{} of {}", shown.name, label.join(", "))))
        };
        let canaries: Vec<_> = domain.iter().filter_map(canary).collect();
        let columns = scanned(plan).iter().map(|column| column.name.clone()).collect();
        let name = format!("{name}: a canary in each group");
        (canaries.len() >= CANARIES_LEAST).then(|| Self {
            name,
            claim: claim.clone(),
            question: question.clone(),
            empty: base.empty(),
            columns,
            canaries,
        })
    }
}

impl Canaries for GroupCanaries {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn claim(&self) -> Loss {
        self.claim.clone()
    }

    fn count(&self) -> usize {
        self.canaries.len()
    }

    fn scores(&mut self, present: &[bool], _: &mut dyn SecureBits) -> Result<Vec<f64>, AuditError> {
        let mut table = self.empty.clone();
        for (number, ((rows, _), _)) in
            self.canaries.iter().zip(present).enumerate().filter(|(_, (_, present))| **present)
        {
            table = table.with(&self.columns, rows, &format!("{}", number + 1));
        }
        let seen = World::open(&self.question, &table)?.draw()?;
        let score = |(_, name): &(_, String)| match seen.parts().get(name) {
            Some(Part::Integer(value)) => *value as f64,
            Some(Part::Real(value)) => *value,
            _ => 0.0,
        };
        Ok(self.canaries.iter().map(score).collect())
    }
}
