//! A model: released numbers, the distribution fitted to them, and everything public that is needed to use both.
//!
//! **Guarantee.** A model is a function of released numbers, so that its rows, its marginals and its error bars are post-processing.
//! **Neighbours.** Those of the synthesizer that released them.
//! **Proof.** Nothing in this file sees private rows.

use serde::{Deserialize, Serialize};

use crate::attribute_set::AttributeSet;
use crate::broadcast::Broadcast;
use crate::component::{Component, Target};
use crate::compression::{Maps, is_map, shares, target};
use crate::exact_floats::{Exact, exact, plain};
use crate::graphical_model::GraphicalModel;
use crate::junction_tree::{components, model_cells};
use crate::measured_marginal::{CellNoise, MeasuredMarginal};
use crate::sampling::{sample, share_out, shuffle};
use crate::{Domain, Measured, PublicCoins, Recipe, SynthError};

/// The most cells of a marginal that is asked for, and of all tables of a model that comes from outside.
const CELLS_MAX: u64 = 1 << 29;
const MARGINAL_CELLS_MAX: u64 = 1 << 24;
/// The most rows that are drawn.
const ROWS_MAX: u64 = u32::MAX as u64;

/// What is known of a set of columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Evidence {
    pub attributes: Vec<usize>,
    /// Whether it is over merged codes.
    pub merged: bool,
    pub values: Vec<f64>,
    /// Of every cell.
    pub variance: f64,
    /// Where it is put together from residuals, the variance of a row of its own residual before projection.
    pub residual: Option<f64>,
}

/// A distribution of rows, the noisy numbers behind it, and the codes that stand for others.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Model {
    domain: Domain,
    maps: Maps,
    /// For each column with merged codes, how their rows are shared out.
    shares: Vec<Option<Vec<f64>>>,
    /// Whether the evidence is one consistent whole, with every marginal at its own error, rather than independent measurements.
    consistent: bool,
    evidence: Vec<Evidence>,
    model: GraphicalModel,
}

/// A model as a file has it, which may be anybody's.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    domain: Domain,
    maps: Maps,
    shares: Vec<Option<Vec<Exact>>>,
    consistent: bool,
    evidence: Vec<EvidenceParts>,
    total: Exact,
    potentials: Vec<(Vec<usize>, Vec<Exact>)>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EvidenceParts {
    attributes: Vec<usize>,
    merged: bool,
    values: Vec<Exact>,
    variance: Exact,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    residual: Option<Exact>,
}

impl From<Model> for Parts {
    fn from(model: Model) -> Self {
        let parts = model.model.components.iter();
        let potentials = parts
            .flat_map(|part| part.targets.iter().zip(&part.potentials))
            .map(|(target, potential)| (target.set.to_vec(), exact(potential)));
        Self {
            potentials: potentials.collect(),
            total: Exact(model.model.total),
            domain: model.domain,
            maps: model.maps,
            shares: model.shares.iter().map(|shares| shares.as_deref().map(exact)).collect(),
            consistent: model.consistent,
            evidence: model
                .evidence
                .into_iter()
                .map(|known| EvidenceParts {
                    values: exact(&known.values),
                    variance: Exact(known.variance),
                    residual: known.residual.map(Exact),
                    attributes: known.attributes,
                    merged: known.merged,
                })
                .collect(),
        }
    }
}

impl TryFrom<Parts> for Model {
    type Error = SynthError;

    fn try_from(parts: Parts) -> Result<Self, SynthError> {
        let Parts { domain, maps, shares, consistent, evidence, total: Exact(total), potentials } = parts;
        let shares: Vec<Option<Vec<f64>>> =
            shares.iter().map(|shares| shares.as_deref().map(plain)).collect();
        let potentials: Vec<(Vec<usize>, Vec<f64>)> =
            potentials.into_iter().map(|(attributes, values)| (attributes, plain(&values))).collect();
        let known = |known: EvidenceParts| Evidence {
            values: plain(&known.values),
            variance: known.variance.0,
            residual: known.residual.map(|residual| residual.0),
            attributes: known.attributes,
            merged: known.merged,
        };
        let evidence: Vec<Evidence> = evidence.into_iter().map(known).collect();
        let d = domain.attributes();
        let wrong = |what: &str| Err(SynthError::misfit(what));
        let map_fits = |(attribute, map): (usize, &Option<Vec<u32>>)| {
            map.as_ref().is_none_or(|map| is_map(map, domain.size(attribute)))
        };
        if maps.len() != d || !maps.iter().enumerate().all(map_fits) {
            return wrong("a map of merged codes is none");
        }
        let share_fits = |(map, share): (&Option<Vec<u32>>, &Option<Vec<f64>>)| match (map, share) {
            (None, None) => true,
            (Some(map), Some(share)) => {
                map.len() == share.len() && share.iter().all(|share| (0.0..=1.0).contains(share))
            }
            _ => false,
        };
        if shares.len() != d || !maps.iter().zip(&shares).all(share_fits) {
            return wrong("the shares of merged codes are none");
        }
        let Some(target) = target(&domain, &maps) else { return wrong("a map of merged codes is none") };
        let fits = |attributes: &[usize], own: &Domain, values: &[f64]| {
            own.has(attributes)
                && own.cells(attributes) == values.len() as u64
                && values.iter().all(|value| value.is_finite())
        };
        for known in &evidence {
            let own = if known.merged { &target } else { &domain };
            let variance = known.variance > 0.0 && known.variance.is_finite();
            let residual = known.residual.is_some() == consistent
                && known.residual.is_none_or(|residual| residual >= 0.0 && residual.is_finite());
            if !variance || !residual || !fits(&known.attributes, own, &known.values) {
                return wrong("a marginal has other cells");
            }
        }
        if !(1.0..1e18).contains(&total)
            || !potentials.iter().all(|(attributes, values)| fits(attributes, &target, values))
        {
            return wrong("a potential has other cells");
        }
        let sets: Vec<AttributeSet> =
            potentials.iter().map(|(attributes, _)| AttributeSet::of(attributes)).collect();
        let all = AttributeSet::of(&(0..d).collect::<Vec<_>>());
        if model_cells(&target, &all, &sets) > CELLS_MAX {
            return wrong("its tables are too large");
        }
        let part = |attributes: AttributeSet| {
            let own =
                sets.iter().zip(&potentials).filter(|(set, _)| !set.is_empty() && set.is_within(&attributes));
            let (targets, known) = own
                .map(|(set, (_, values))| {
                    (Target { set: *set, values: Vec::new(), weights: Vec::new() }, Some(values.clone()))
                })
                .unzip();
            Component::new(&target, attributes, targets, known)
        };
        let parts = components(d, &sets).into_iter().map(part).collect();
        let model = GraphicalModel { domain: target, total, components: parts };
        Ok(Self { domain, maps, shares, consistent, evidence, model })
    }
}

impl Model {
    /// The model of noisy marginals.
    pub(crate) fn of_marginals(
        recipe: &Recipe,
        domain: &Domain,
        target: Domain,
        measured: &Measured,
    ) -> Result<Self, SynthError> {
        let observations = measured.observations();
        let sets: Vec<AttributeSet> =
            observations.iter().map(|known| AttributeSet::of(&known.attributes)).collect();
        let all = AttributeSet::of(&(0..domain.attributes()).collect::<Vec<_>>());
        let codes: u64 = target.sizes().iter().map(|size| u64::from(*size)).sum();
        if model_cells(&target, &all, &sets) > recipe.model_cells_max().saturating_add(codes) {
            return Err(SynthError::misfit("the model of these marginals is larger than it may be"));
        }
        let mut model = GraphicalModel::uniform(&target, 1.0);
        model.fit(&observations, recipe.last_effort());
        let evidence = measured.marginals.iter().map(|marginal| Evidence {
            attributes: marginal.attributes.clone(),
            merged: marginal.merged,
            values: marginal.cells.iter().map(|cell| *cell as f64).collect(),
            variance: marginal.noise.variance(),
            residual: None,
        });
        let column = |attribute: usize| {
            let single =
                |marginal: &&crate::NoisyMarginal| marginal.attributes == [attribute] && !marginal.merged;
            let map = measured.maps.get(attribute).and_then(Option::as_ref)?;
            Some(match measured.marginals.iter().find(single) {
                Some(marginal) => shares(&marginal.cells, map, marginal.noise.variance()),
                None => shares(&vec![0; map.len()], map, 1.0),
            })
        };
        let d = domain.attributes();
        let maps = if measured.maps.is_empty() { vec![None; d] } else { measured.maps.clone() };
        Ok(Self {
            domain: domain.clone(),
            shares: (0..d).map(column).collect(),
            maps,
            consistent: false,
            evidence: evidence.collect(),
            model,
        })
    }

    /// The model of consistent marginals over all codes.
    pub(crate) fn of_evidence(domain: &Domain, evidence: Vec<Evidence>, model: GraphicalModel) -> Self {
        let none = vec![None; domain.attributes()];
        Self {
            domain: domain.clone(),
            maps: none.clone(),
            shares: vec![None; none.len()],
            consistent: true,
            evidence,
            model,
        }
    }

    /// The sizes of the columns.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// How many rows the model stands for: an estimate, and at least one.
    pub fn total(&self) -> f64 {
        self.model.total
    }

    /// The columns that each table of the model holds together.
    pub fn cliques(&self) -> Vec<Vec<usize>> {
        let cliques = self.model.components.iter().flat_map(|part| &part.propagation.cliques);
        cliques.map(|clique| clique.set.to_vec()).collect()
    }

    /// How large the model's tables are together.
    pub fn bytes(&self) -> u64 {
        8 * self.model.cells() as u64
    }

    /// The counts that the model gives to the cells of some columns, in rising order, row-major; they add up to [`Model::total`].
    ///
    /// # Errors
    /// When these are no columns in rising order, or their cells are too many.
    pub fn marginal(&self, attributes: &[usize]) -> Result<Vec<f64>, SynthError> {
        if !self.domain.has(attributes) {
            return Err(SynthError::parameter("name columns of the model, each once and in their order"));
        }
        if self.domain.cells(attributes) > MARGINAL_CELLS_MAX {
            return Err(SynthError::parameter("the marginal has too many cells; choose fewer columns"));
        }
        let mut cells = self.model.marginal(attributes);
        let mut shape = self.model.domain.shape(attributes);
        for (axis, attribute) in attributes.iter().enumerate() {
            if let (Some(map), Some(shares)) = (&self.maps[*attribute], &self.shares[*attribute]) {
                cells = spread(&cells, &shape, axis, map, shares);
                shape[axis] = map.len();
            }
        }
        Ok(cells)
    }

    /// What was measured of some columns: all measurements that tell of them by inverse variance, and the standard deviation of a cell. None
    /// where nothing was measured of them together.
    pub fn measured(&self, attributes: &[usize]) -> Option<MeasuredMarginal> {
        if !self.domain.has(attributes) {
            return None;
        }
        let wanted = AttributeSet::of(attributes);
        // A column by itself is known code by code; together with others, its merged codes are one.
        let whole = |known: &&Evidence| known.attributes == attributes && !known.merged;
        let single = self.evidence.iter().find(whole);
        let coarse = attributes.iter().any(|attribute| self.maps[*attribute].is_some());
        if let (Some(known), true) = (single, coarse || self.consistent) {
            return Some(MeasuredMarginal {
                attributes: attributes.to_vec(),
                groups: vec![None; attributes.len()],
                shape: self.domain.shape(attributes),
                values: known.values.clone(),
                deviation: known.variance.sqrt(),
                noise: match self.consistent {
                    true => self.residuals_of(attributes)?,
                    false => CellNoise::Independent,
                },
            });
        }
        if self.consistent {
            return None;
        }
        let target = &self.model.domain;
        let tells = |known: &&Evidence| wanted.is_within(&AttributeSet::of(&known.attributes));
        // What nobody counted may have more cells than there is memory; what is part of a measured table has not.
        self.evidence.iter().find(tells)?;
        let mut sums = vec![0.0; usize::try_from(target.cells(attributes)).ok()?];
        let mut weights = 0.0;
        for known in self.evidence.iter().filter(tells) {
            let own = if known.merged { target } else { &self.domain };
            let walk = Broadcast::new(&known.attributes, attributes, |attribute| own.size(attribute));
            let mut values = vec![0.0; walk.small_cells()];
            walk.sum(&known.values, &mut values);
            let weight = values.len() as f64 / (known.values.len() as f64 * known.variance);
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += weight * value);
            weights += weight;
        }
        (weights > 0.0).then(|| MeasuredMarginal {
            attributes: attributes.to_vec(),
            groups: attributes.iter().map(|attribute| self.maps[*attribute].clone()).collect(),
            shape: target.shape(attributes),
            values: sums.into_iter().map(|sum| sum / weights).collect(),
            deviation: weights.recip().sqrt(),
            noise: CellNoise::Independent,
        })
    }

    /// The residuals that a consistent marginal of these columns is put together from.
    fn residuals_of(&self, attributes: &[usize]) -> Option<CellNoise> {
        let own = |subset: &u32| {
            let kept = (0..attributes.len()).map(|axis| subset & (1 << axis) != 0);
            let kept: Vec<bool> = kept.collect();
            let columns = attributes.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(column, _)| *column);
            let columns: Vec<usize> = columns.collect();
            let known = self.evidence.iter().find(|known| known.attributes == columns)?;
            Some((kept, known.residual?))
        };
        let subsets: Vec<u32> = (0..1 << attributes.len()).collect();
        Some(CellNoise::Residuals(subsets.iter().map(own).collect::<Option<_>>()?))
    }

    /// The sets of columns that were measured, each once.
    pub fn measured_sets(&self) -> Vec<Vec<usize>> {
        let sets: std::collections::BTreeSet<Vec<usize>> =
            self.evidence.iter().map(|known| known.attributes.clone()).collect();
        sets.into_iter().collect()
    }

    /// Rows drawn from the model, column by column; as many as it stands for where none are asked for.
    ///
    /// # Errors
    /// When they are more than can be drawn.
    pub fn sample(&self, rows: Option<u64>, coins: &mut PublicCoins) -> Result<Vec<Vec<u32>>, SynthError> {
        let rows = rows.unwrap_or(self.total().round().min(1e18) as u64);
        if rows > ROWS_MAX {
            return Err(SynthError::parameter(format!("{rows} rows are too many to draw; ask for fewer")));
        }
        let mut columns = sample(&self.model, rows as usize, coins);
        for ((column, map), shares) in columns.iter_mut().zip(&self.maps).zip(&self.shares) {
            if let (Some(map), Some(shares)) = (map, shares) {
                unmerge(column, map, shares, coins);
            }
        }
        Ok(columns)
    }
}

/// Merged codes replaced by the codes they stand for.
fn unmerge(column: &mut [u32], map: &[u32], shares: &[f64], coins: &mut PublicCoins) {
    let size = map.iter().max().map_or(1, |last| *last as usize + 1);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); size];
    map.iter().enumerate().for_each(|(code, into)| members[*into as usize].push(code as u32));
    let mut counts = vec![0usize; size];
    column.iter().for_each(|code| counts[*code as usize] += 1);
    let mut codes: Vec<Vec<u32>> = Vec::with_capacity(size);
    for (members, count) in members.iter().zip(&counts) {
        let weights: Vec<f64> = members.iter().map(|code| shares[*code as usize]).collect();
        let mut own = Vec::with_capacity(*count);
        share_out(*count, &weights, coins, &mut own);
        own.iter_mut().for_each(|code| *code = members[*code as usize]);
        shuffle(&mut own, coins);
        codes.push(own);
    }
    column.iter_mut().for_each(|code| *code = codes[*code as usize].pop().unwrap_or(0));
}

/// Cells along one axis shared out among the codes that each stands for.
fn spread(cells: &[f64], shape: &[usize], axis: usize, map: &[u32], shares: &[f64]) -> Vec<f64> {
    let (outer, inner): (usize, usize) = (shape[..axis].iter().product(), shape[axis + 1..].iter().product());
    let mut finer = Vec::with_capacity(outer * map.len() * inner);
    for start in 0..outer {
        for (from, share) in map.iter().zip(shares) {
            let from = &cells[(start * shape[axis] + *from as usize) * inner..][..inner];
            finer.extend(from.iter().map(|cell| cell * share));
        }
    }
    finer
}
