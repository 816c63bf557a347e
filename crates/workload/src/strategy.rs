//! Which measurements to buy for the tables that are wanted: candidates side by side, the best one chosen.
//!
//! All of this is arithmetic on public things, the shapes of tables and the price, so that choosing costs nothing. In ρ no
//! candidate is better than the residuals of its own chain: measurements with Gaussian noise are told apart only by how
//! much they tell of each residual and what that costs, both linear, and among these the residuals have least error
//! ([`crate::allocation`]). In ε that is not so, because residuals move more in L1 than tables do; there the tables
//! themselves, level by level, often win, and are chosen.

use crate::allocation::{self, cell_influences, maximal, mean_influences, residuals_of_all};
use crate::cube::join;
use crate::measurement::variance_of_unit;
use crate::{Attribute, Budget, Cube, Depths, Goal, Moved, Norms, Wanted, What, WorkloadError, information};
use pointillist_privacy::Spend;

/// A tie is within this: then the table itself is measured, because everybody can check that by eye.
const TIE: f64 = 1e-3;
/// The branchings that are tried, besides the square root of the number of cells.
const BRANCHINGS: [usize; 4] = [2, 4, 8, 16];
/// The most cells of a joint table that is measured in place of the wanted ones.
const JOINT_MAX: usize = 1 << 20;
/// The most tables measured themselves whose prices are searched for.
const SEARCHED_MAX: usize = 16;

/// A column as its declaration knows it, before a branching is chosen. An ordered one has the depths 0 and 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Values without an order.
    Categories(usize),
    /// Cells in order.
    Ordered(usize),
    /// Levels, as [`Attribute::levels`] takes them.
    Levels(Vec<Vec<usize>>),
}

/// Measurements for a price, and what they lead to.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// A name for people: `flat`, `residual`, `wavelet`, `hierarchical (16)`.
    pub name: String,
    /// The cube with its branchings chosen.
    pub cube: Cube,
    /// The wanted tables' depths in that cube, in the order of the request.
    pub tables: Vec<Depths>,
    /// How far one person moves what is measured, in that cube.
    pub moved: Moved,
    /// What is measured, each for its price.
    pub measurements: Vec<(What, Spend)>,
    /// For each wanted table the root of the mean variance over what is asked: cells, or all ranges.
    pub expected: Vec<f64>,
    /// For each wanted table the standard deviation of its worst cell.
    pub worst: Vec<f64>,
    /// What is compared: the weighted sum of mean variances, or the price where the least is asked for.
    pub objective: f64,
}

/// The chosen strategy and all that were considered, the chosen one among them.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Index of the chosen one.
    pub best: usize,
    /// All candidates.
    pub considered: Vec<Strategy>,
}

impl Choice {
    /// The chosen strategy.
    pub fn chosen(&self) -> &Strategy {
        &self.considered[self.best]
    }
}

impl Strategy {
    /// The same with names for the attributes, for texts.
    #[must_use]
    pub fn named<S: AsRef<str>>(mut self, names: &[S]) -> Self {
        let attributes = self.cube.attributes().iter().cloned().zip(names);
        let named: Vec<Attribute> =
            attributes.map(|(attribute, name)| attribute.named(name.as_ref())).collect();
        if named.len() == self.cube.attributes().len() {
            self.cube = Cube::new(named);
        }
        self
    }
}

/// The best way to answer the wanted tables. Depths, those in `moved` too, are those of the axes as declared.
pub fn choose(
    axes: &[Axis],
    wanted: &[Wanted],
    moved: &Moved,
    budget: &Budget,
) -> Result<Choice, WorkloadError> {
    let mut considered = Setting::new(axes, wanted, moved, budget, None)?.flats()?;
    let mut refused = None;
    for (name, branching) in branchings(axes, wanted) {
        let setting = Setting::new(axes, wanted, moved, budget, branching)?;
        match setting.residuals(&name) {
            Ok(strategy) => considered.push(strategy),
            // Tables themselves may still do it.
            Err(error @ (WorkloadError::ErrorsTooSmall { .. } | WorkloadError::TooLarge { .. })) => {
                refused = refused.or(Some(error));
            }
            Err(error) => return Err(error),
        }
        if branching.is_some() && budget.is_pure() {
            considered.extend(setting.levels(&format!("{name}, level by level"))?);
        }
    }
    let least = considered.iter().map(|strategy| strategy.objective).fold(f64::INFINITY, f64::min);
    let simple = considered
        .iter()
        .position(|strategy| strategy.name == "flat" && strategy.objective <= least * (1.0 + TIE));
    let best = simple.or_else(|| considered.iter().position(|strategy| strategy.objective == least));
    Ok(Choice { best: best.ok_or_else(|| refused.unwrap_or(WorkloadError::NoTables))?, considered })
}

/// The branchings to try for ordered axes of which ranges are asked, with their names; `None` where there are no such axes.
fn branchings(axes: &[Axis], wanted: &[Wanted]) -> Vec<(String, Option<usize>)> {
    let asked = |axis: usize| wanted.iter().any(|table| table.ranges && table.depths.get(axis) == Some(&1));
    let cells = axes.iter().enumerate().filter_map(|(index, axis)| match axis {
        Axis::Ordered(cells) if asked(index) => Some(*cells),
        _ => None,
    });
    let Some(cells) = cells.max() else { return vec![("residual".to_owned(), None)] };
    let root = (cells as f64).sqrt().ceil() as usize;
    let mut all: Vec<usize> = BRANCHINGS.into_iter().chain([root]).filter(|b| *b < cells.max(3)).collect();
    all.sort_unstable();
    all.dedup();
    let named = |branching: usize| match branching {
        2 => ("wavelet".to_owned(), Some(2)),
        other => (format!("hierarchical ({other})"), Some(other)),
    };
    all.into_iter().filter(|branching| *branching >= 2).map(named).collect()
}

/// A request with its branchings chosen.
struct Setting<'a> {
    cube: Cube,
    wanted: Vec<Wanted>,
    moved: Moved,
    budget: &'a Budget,
    residuals: Vec<Depths>,
    /// For each wanted table, how much of each residual's variance its mean answer has.
    means: Vec<Vec<f64>>,
    /// The same for each of its different cells.
    cells: Vec<Vec<Vec<f64>>>,
}

impl<'a> Setting<'a> {
    fn new(
        axes: &[Axis],
        wanted: &[Wanted],
        moved: &Moved,
        budget: &'a Budget,
        branching: Option<usize>,
    ) -> Result<Self, WorkloadError> {
        let attribute = |axis: &Axis| match axis {
            Axis::Categories(cells) => Attribute::categories(*cells),
            Axis::Ordered(cells) => Attribute::tree(*cells, branching.unwrap_or(*cells).max(2)),
            Axis::Levels(parents) => Attribute::levels(parents.clone()),
        };
        let cube = Cube::new(axes.iter().map(attribute).collect::<Result<_, _>>()?);
        let here = |depths: &[usize]| -> Result<Depths, WorkloadError> {
            if depths.len() != axes.len() {
                return Err(WorkloadError::NoSuchTable { depths: depths.to_vec() });
            }
            let each = axes.iter().zip(cube.attributes()).zip(depths);
            each.map(|((axis, attribute), depth)| match (axis, depth) {
                (Axis::Ordered(_), 1) => Ok(attribute.deepest()),
                (Axis::Ordered(_), 2..) => Err(WorkloadError::NoSuchTable { depths: depths.to_vec() }),
                (_, depth) => Ok(*depth),
            })
            .collect()
        };
        let table = |table: &Wanted| Ok(Wanted { depths: here(&table.depths)?, ..table.clone() });
        let wanted: Vec<Wanted> = wanted.iter().map(table).collect::<Result<_, WorkloadError>>()?;
        let moved = Moved { bounded_at: here(&moved.bounded_at)?, ..moved.clone() };
        let residuals = residuals_of_all(&cube, &wanted)?;
        let means = wanted.iter().map(|table| mean_influences(&cube, table, &residuals)).collect();
        let cells = wanted.iter().map(|table| cell_influences(&cube, &table.depths, &residuals)).collect();
        Ok(Self { cube, wanted, moved, budget, residuals, means, cells })
    }

    /// Residuals at the best prices.
    fn residuals(&self, name: &str) -> Result<Strategy, WorkloadError> {
        let measurements = allocation::allocate(&self.cube, &self.wanted, &self.moved, self.budget)?;
        self.strategy(name, measurements)
    }

    /// Tables measured themselves: those that are not sums of another, all of them, and the one that all are sums of.
    fn flats(&self) -> Result<Vec<Strategy>, WorkloadError> {
        let largest = maximal(&self.wanted);
        let mut lists = vec![("flat", largest.clone())];
        let mut all: Vec<Depths> = self.wanted.iter().map(|table| table.depths.clone()).collect();
        all.sort();
        all.dedup();
        if all.len() > largest.len() {
            lists.push(("flat, every table", all));
        }
        let joint =
            largest.iter().fold(vec![0; self.cube.attributes().len()], |joint, table| join(&joint, table));
        if largest.len() > 1 && self.cube.cells(&joint).is_ok_and(|cells| cells <= JOINT_MAX) {
            lists.push(("flat, one joint table", vec![joint]));
        }
        let mut strategies = Vec::new();
        for (name, tables) in lists {
            if self.cube.is_balanced() || tables.len() == 1 {
                strategies.extend(self.best_flats(name, tables)?);
            }
        }
        Ok(strategies)
    }

    /// Every level of the ordered axes measured itself.
    fn levels(&self, name: &str) -> Result<Option<Strategy>, WorkloadError> {
        let [table] = maximal(&self.wanted).try_into().unwrap_or([Vec::new()]);
        let trees: Vec<usize> = (0..table.len())
            .filter(|axis| self.cube.attributes()[*axis].is_ordered() && table[*axis] > 0)
            .collect();
        let &[tree] = trees.as_slice() else { return Ok(None) };
        let at = |depth: usize| {
            let mut depths = table.clone();
            depths[tree] = depth;
            depths
        };
        self.best_flats(name, (1..=table[tree]).map(at).collect())
    }

    /// These tables at the best prices that a search by coordinates finds; nothing when no prices meet the wanted errors.
    fn best_flats(&self, name: &str, tables: Vec<Depths>) -> Result<Option<Strategy>, WorkloadError> {
        let whats: Vec<What> = tables.into_iter().map(What::Flat).collect();
        let units = whats.iter().map(|what| self.unit_variance(what)).collect::<Result<Vec<f64>, _>>()?;
        let whats: Vec<(What, f64)> = whats.into_iter().zip(units).collect();
        let mut shares: Vec<f64> = whats.iter().map(|(what, _)| self.first_share(what)).collect();
        let mut least = self.value_of(&whats, &shares)?;
        let mut step = 4.0;
        while step > 1.005 && (2..=SEARCHED_MAX).contains(&shares.len()) {
            let mut better = false;
            for index in 0..shares.len() {
                for factor in [step, 1.0 / step] {
                    let mut changed = shares.clone();
                    changed[index] *= factor;
                    let value = self.value_of(&whats, &changed)?;
                    if value < least {
                        (least, shares, better) = (value, changed, true);
                    }
                }
            }
            if !better {
                step = f64::sqrt(step);
            }
        }
        if !least.is_finite() {
            return Ok(None);
        }
        let measurements = self.priced(&whats, &shares)?;
        self.strategy(name, measurements).map(Some)
    }

    /// Where a search of prices begins, and stays where there are too many to search: best for tables that share nothing.
    fn first_share(&self, what: &What) -> f64 {
        let asked = self.wanted.iter().filter(|table| table.depths == what.depths());
        let weights = asked.map(|table| match table.goal {
            Goal::Weight(weight) => weight,
            Goal::Error(error) => 1.0 / (error * error),
        });
        let weight: f64 = weights.sum();
        if weight > 0.0 { weight.powf(self.power() / (1.0 + self.power())) } else { 1.0 }
    }

    /// The objective that measurements reach whose prices are in these proportions, each given with its variance at a
    /// price of one.
    fn value_of(&self, whats: &[(What, f64)], shares: &[f64]) -> Result<f64, WorkloadError> {
        let price = self.given();
        let total: f64 = shares.iter().sum();
        let bought = |((what, unit), share): (&(What, f64), &f64)| {
            (what.clone(), unit * (share / total * price).powf(-1.0 / self.power()))
        };
        let answers = self.answers(&whats.iter().zip(shares).map(bought).collect::<Vec<_>>())?;
        let used = self.limits_used(&answers);
        Ok(match self.budget {
            Budget::Given(_) if used > 1.0 => f64::INFINITY,
            Budget::Given(_) if self.weighs() => self.objective(&answers),
            _ => price * used.powf(self.power()),
        })
    }

    /// Exact prices in these proportions.
    fn priced(&self, whats: &[(What, f64)], shares: &[f64]) -> Result<Vec<(What, Spend)>, WorkloadError> {
        let total: f64 = shares.iter().sum();
        let price = match self.weighs() {
            true => self.given(),
            false => self.value_of(whats, shares)? * (1.0 + 1e-9),
        };
        let costs: Vec<f64> = shares.iter().map(|share| share / total * price).collect();
        let spends = allocation::prices(&costs, self.budget, self.weighs())?;
        Ok(whats.iter().map(|(what, _)| what.clone()).zip(spends).collect())
    }

    fn weighs(&self) -> bool {
        self.wanted.iter().any(|table| matches!(table.goal, Goal::Weight(_)))
    }

    fn given(&self) -> f64 {
        match self.budget {
            Budget::Given(Spend::Pure(epsilon)) => epsilon.value().to_f64_lower(),
            Budget::Given(Spend::Concentrated(rho)) => rho.value().to_f64_lower(),
            Budget::LeastEpsilon | Budget::LeastRho => 1.0,
        }
    }

    fn power(&self) -> f64 {
        if self.budget.is_pure() { 0.5 } else { 1.0 }
    }

    /// The variance of a row's noise, of the continuous law, at a price of one.
    fn unit_variance(&self, what: &What) -> Result<f64, WorkloadError> {
        let norms = Norms::new(&self.cube, what, &self.moved)?;
        Ok(match self.budget.is_pure() {
            true => 2.0 * norms.l1.to_f64_nearest().powi(2),
            false => norms.l2_squared.to_f64_nearest() / 2.0,
        })
    }

    /// The variance of each wanted table: in the mean over what is asked, and of the worst cell.
    fn answers(&self, measured: &[(What, f64)]) -> Result<Vec<(f64, f64)>, WorkloadError> {
        if let ([(What::Flat(fine), variance)], false) = (measured, self.cube.is_balanced()) {
            let cells_max = |table: &Wanted| {
                let axes = self.cube.attributes().iter().zip(fine.iter().zip(&table.depths));
                axes.map(|(attribute, (fine, coarse))| attribute.blocks_within_max(*fine, *coarse) as f64)
                    .product::<f64>()
            };
            let answer = |table| (self.mean_from_sums(fine, table, *variance), variance * cells_max(table));
            return Ok(self.wanted.iter().map(answer).collect());
        }
        let variances = self.known(measured)?;
        let variance =
            |influences: &Vec<f64>| influences.iter().zip(&variances).map(|(q, u)| q * u).sum::<f64>();
        let worst = |cells: &Vec<Vec<f64>>| cells.iter().map(variance).fold(0.0, f64::max);
        Ok(self.means.iter().zip(&self.cells).map(|(mean, cells)| (variance(mean), worst(cells))).collect())
    }

    fn known(&self, measured: &[(What, f64)]) -> Result<Vec<f64>, WorkloadError> {
        let known = information::combined(&self.cube, measured);
        let missing = |depths: &Depths| WorkloadError::NotMeasured { depths: depths.clone() };
        self.residuals
            .iter()
            .map(|depths| known.get(depths).copied().ok_or_else(|| missing(depths)))
            .collect()
    }

    /// The mean variance of a table from one measured table, whatever the families: each cell of it counts once.
    fn mean_from_sums(&self, fine: &[usize], table: &Wanted, variance: f64) -> f64 {
        let axes = self.cube.attributes().iter().zip(fine.iter().zip(&table.depths));
        let cells = axes.map(|(attribute, (fine, coarse))| {
            let blocks = attribute.blocks(*coarse) as f64;
            let each = attribute.blocks(*fine) as f64 / blocks;
            // The mean length of all ranges of n blocks is (n + 2)/3.
            if table.ranges && attribute.is_ordered() { each * (blocks + 2.0) / 3.0 } else { each }
        });
        variance * cells.product::<f64>()
    }

    /// The weighted sum of mean variances.
    fn objective(&self, answers: &[(f64, f64)]) -> f64 {
        let weighted = |(table, (mean, _)): (&Wanted, &(f64, f64))| match table.goal {
            Goal::Weight(weight) => weight * mean,
            Goal::Error(_) => 0.0,
        };
        self.wanted.iter().zip(answers).map(weighted).sum()
    }

    /// How much of the tightest wanted error is used, in variance.
    fn limits_used(&self, answers: &[(f64, f64)]) -> f64 {
        let used = |(table, (_, worst)): (&Wanted, &(f64, f64))| match table.goal {
            Goal::Error(error) => worst / (error * error),
            Goal::Weight(_) => 0.0,
        };
        self.wanted.iter().zip(answers).map(used).fold(0.0, f64::max)
    }

    /// A candidate with what it leads to.
    fn strategy(&self, name: &str, measurements: Vec<(What, Spend)>) -> Result<Strategy, WorkloadError> {
        let mut measured = Vec::new();
        for (what, spend) in &measurements {
            let norms = Norms::new(&self.cube, what, &self.moved)?;
            measured.push((what.clone(), variance_of_unit(&norms, spend, scale_of(&self.cube, what))));
        }
        let answers = self.answers(&measured)?;
        let price = measurements.iter().map(|(_, spend)| match spend {
            Spend::Pure(epsilon) => epsilon.value().to_f64_nearest(),
            Spend::Concentrated(rho) => rho.value().to_f64_nearest(),
        });
        Ok(Strategy {
            name: name.to_owned(),
            cube: self.cube.clone(),
            tables: self.wanted.iter().map(|table| table.depths.clone()).collect(),
            moved: self.moved.clone(),
            expected: answers.iter().map(|(mean, _)| mean.sqrt()).collect(),
            worst: answers.iter().map(|(_, worst)| worst.sqrt()).collect(),
            objective: if self.weighs() { self.objective(&answers) } else { price.sum() },
            measurements,
        })
    }
}

/// The largest scale of a measurement's rows.
fn scale_of(cube: &Cube, what: &What) -> f64 {
    let What::Residual(depths) = what else { return 1.0 };
    cube.attributes()
        .iter()
        .zip(depths)
        .map(|(attribute, depth)| attribute.largest_family(*depth) as f64)
        .product()
}

#[cfg(test)]
mod tests;
