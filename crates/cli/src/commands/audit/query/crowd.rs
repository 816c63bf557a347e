//! Many made-up people, each in a public group of their own, and one answer about all of them.

use pointillist_audit::AuditError;
use pointillist_audit::{Canaries, Part};
use pointillist_catalog::Value;
use pointillist_noise::SecureBits;
use pointillist_plan::{PrivatePlan, Scalar};
use pointillist_privacy::Loss;

use super::house::{Asked, House};
use super::persons::Person;
use super::sheet::{Sheet, scanned, text};

/// Fewer groups are not worth a run.
const CANARIES_LEAST: usize = 50;

/// A person a group.
pub struct Crowd {
    name: String,
    claim: Loss,
    asked: Asked,
    empty: Sheet,
    columns: Vec<String>,
    /// For every canary, the rows and the part of the answer that shows them.
    canaries: Vec<(Vec<Vec<String>>, String)>,
}

impl Crowd {
    /// Canaries for a question whose groups are public, are named in the answer and are columns of the table;
    /// `model` is a person whose rows the question counts. Other questions have none.
    pub fn new(
        name: &str,
        claim: &Loss,
        asked: &Asked,
        plan: &PrivatePlan,
        base: &Sheet,
        model: &Person,
    ) -> Option<Self> {
        let domain = plan.aggregation.domain.as_ref().filter(|domain| domain.len() >= CANARIES_LEAST)?;
        let keys: Option<Vec<usize>> = plan
            .aggregation
            .keys
            .iter()
            .map(|key| match key {
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
            asked: asked.clone(),
            empty: base.empty(),
            columns,
            canaries,
        })
    }
}

impl Canaries for Crowd {
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
        let mut sheet = self.empty.clone();
        for (number, ((rows, _), _)) in
            self.canaries.iter().zip(present).enumerate().filter(|(_, (_, present))| **present)
        {
            sheet = sheet.with(&self.columns, rows, &format!("{}", number + 1));
        }
        let seen = House::build(&self.asked, &sheet)?.draw()?;
        let score = |(_, name): &(_, String)| match seen.parts().get(name) {
            Some(Part::Integer(value)) => *value as f64,
            Some(Part::Real(value)) => *value,
            _ => 0.0,
        };
        Ok(self.canaries.iter().map(score).collect())
    }
}
