//! A recipe at a price: what it loses is known, and nothing of data is.
//!
//! **Guarantee.** [`Synthesizer::fit`] loses what [`Synthesizer::loss`] says, the whole price that the synthesizer was made for: ρ-zCDP for a price of ρ, and
//! ε-differential privacy for a price of ε. What it returns are noisy integers and functions of them.
//! **Neighbours.** Add or remove everything of one person, who has at most `rows_per_person` rows.
//! **Proof.** Every method releases marginals (`noisy_marginal.rs`), choices (`selection.rs`) or residuals (`residual_basis.rs`), each for a share of the price; the
//! shares add up to it exactly (`Spend::split`, `annealed_budget.rs`), and what comes later depends on what came before through released numbers
//! alone, so that adaptive composition of zCDP, or of pure ε, adds them up (Bun and Steinke 2016, arXiv:1605.02065, Lemma 2.3). Which columns,
//! candidates and sizes there are is public or follows from released numbers.
//! **Not covered.** Timing: how long a fit takes depends on what was released, and on how many rows there are.

use pointillist_noise::SecureBits;
use pointillist_privacy::{Loss, Spend};

use crate::{CodeRows, Domain, Measured, Method, Model, Recipe, SynthError};
use crate::{aim::Aim, mst::Mst, mwem::Mwem, residual_basis::ResidualBasis};

/// The most candidates that are scored.
pub(crate) const CANDIDATES_MAX: u64 = 50_000;
/// The most cells whose exact counts are kept at once, 256 MiB of them.
pub(crate) const COUNTED_CELLS_MAX: u64 = 1 << 25;
/// The most counts that are released: as text of twenty digits each they fit into one record of a ledger (64 MiB), so that nothing is
/// paid for that cannot be kept.
pub(crate) const RELEASED_CELLS_MAX: u64 = 2_500_000;

/// How far a fit is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is done now.
    pub stage: &'static str,
    /// About how much of the whole is done, from 0 to 1.
    pub done: f64,
}

/// Makes sanitized tables of one kind at one price.
pub struct Synthesizer {
    recipe: Recipe,
    domain: Domain,
    rows_per_person: u32,
    loss: Loss,
    plan: Plan,
}

enum Plan {
    Mst(Mst),
    Aim(Aim),
    Mwem(Mwem),
    Residual(Box<ResidualBasis>),
}

impl Synthesizer {
    pub(crate) fn new(
        recipe: Recipe,
        domain: Domain,
        rows_per_person: u32,
        spend: &Spend,
    ) -> Result<Self, SynthError> {
        recipe.check()?;
        if rows_per_person == 0 {
            return Err(SynthError::parameter("a person has at least one row"));
        }
        let k = rows_per_person;
        let plan = match recipe.method {
            Method::Mst => Plan::Mst(Mst::new(&recipe, &domain, k, spend)?),
            Method::Aim => Plan::Aim(Aim::new(&recipe, &domain, k, spend)?),
            Method::Mwem => Plan::Mwem(Mwem::new(&recipe, &domain, k, spend)?),
            Method::Residual => Plan::Residual(Box::new(ResidualBasis::new(&recipe, &domain, k, spend)?)),
        };
        Ok(Self { loss: spend.loss(), recipe, domain, rows_per_person, plan })
    }

    /// The method and its settings.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The sizes of the columns.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Nobody has more rows than this.
    pub fn rows_per_person(&self) -> u32 {
        self.rows_per_person
    }

    /// What a fit loses.
    pub fn loss(&self) -> &Loss {
        &self.loss
    }

    /// How it is made private.
    pub fn mechanism(&self) -> &'static str {
        match &self.plan {
            Plan::Mst(_) => "noisy marginals of a tree of columns",
            Plan::Aim(_) => "noisy marginals, chosen adaptively",
            Plan::Mwem(_) => "noisy marginals, chosen in rounds",
            Plan::Residual(_) => "noisy residuals of all marginals",
        }
    }

    /// What to expect, in words: nothing in them comes from data.
    pub fn outlook(&self) -> Vec<String> {
        let sizes = self.domain.sizes();
        let codes: u64 = sizes.iter().map(|size| u64::from(*size)).sum();
        let mut words = vec![format!("{} columns with {codes} values", sizes.len())];
        match &self.plan {
            Plan::Mst(plan) => plan.outlook(&mut words),
            Plan::Aim(plan) => plan.outlook(&mut words),
            Plan::Mwem(plan) => plan.outlook(&mut words),
            Plan::Residual(plan) => plan.outlook(&mut words),
        }
        words
    }

    /// Measures: the only thing that sees rows.
    ///
    /// # Errors
    /// When the rows went away.
    pub fn fit<B: SecureBits + ?Sized>(
        &self,
        rows: &dyn CodeRows,
        bits: &mut B,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Measured, SynthError> {
        match &self.plan {
            Plan::Mst(plan) => plan.release(rows, bits, progress),
            Plan::Aim(plan) => plan.release(rows, bits, progress),
            Plan::Mwem(plan) => plan.release(rows, bits, progress),
            Plan::Residual(plan) => plan.release(rows, bits, progress),
        }
    }

    /// The model that released numbers lead to: always the same one.
    ///
    /// # Errors
    /// When the numbers are not what this synthesizer releases.
    pub fn model(&self, measured: Measured) -> Result<Model, SynthError> {
        let target = measured.check(&self.domain)?;
        match &self.plan {
            Plan::Residual(plan) => plan.model(&self.recipe, &self.domain, &measured),
            Plan::Mst(_) | Plan::Aim(_) | Plan::Mwem(_) => {
                Model::of_marginals(&self.recipe, &self.domain, target, &measured)
            }
        }
    }
}

/// Three digits.
pub(crate) fn rounded(value: f64) -> String {
    let digits = (2.0 - value.abs().max(1e-300).log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.digits$}")
}

/// The standard deviation of a marginal's noise at a price, for words.
pub(crate) fn deviation(rows_per_person: u32, spend: &Spend) -> f64 {
    let k = f64::from(rows_per_person);
    match spend {
        Spend::Concentrated(rho) => k / (2.0 * rho.value().to_f64_nearest()).sqrt(),
        Spend::Pure(epsilon) => k * std::f64::consts::SQRT_2 / epsilon.value().to_f64_nearest(),
    }
}

#[cfg(test)]
mod tests {
    use pointillist_privacy::Rho;
    use pointillist_testkit::seeded;

    use super::*;
    use crate::MemoryCodes;

    /// Specification: the same numbers make the same model, bit by bit, on one thread and on several.
    #[test]
    fn a_model_comes_out_again_the_same_whatever_the_number_of_threads() {
        let sizes = vec![12, 40, 30, 9, 25];
        let codes =
            (0..4000u32).flat_map(|row| [row % 12, row % 37, row % 30, row % 9, row * row % 25]).collect();
        let rows = MemoryCodes::new(codes, 5);
        for method in Method::ALL {
            let recipe = Recipe::new(method).with_settings("iterations = 60, model_megabytes = 1").unwrap();
            let spend = Spend::Concentrated(Rho::parse("5").unwrap());
            let made = recipe.synthesizer(Domain::new(sizes.clone()).unwrap(), 1, &spend).unwrap();
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    let measured = made.fit(&rows, &mut seeded(3), &mut |_| ()).unwrap();
                    let model = made.model(measured.clone()).unwrap();
                    (measured, serde_json::to_string(&model).unwrap())
                })
            };
            let (one, several) = (on(1), on(3));
            assert!(one == several, "{method}");
        }
    }
}
