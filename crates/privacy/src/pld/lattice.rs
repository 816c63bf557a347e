//! A privacy-loss law on a lattice: once from above, once from below.
//!
//! Write `D(α) = E_Q[(e^L − α)₊]`, so that δ(ε) = D(e^ε). If D' ≤ D for every α ≥ 0 then every composition with D' is at most the
//! one with D: composing with another law of profile D₂ gives `∫ y·D₂(α/y) dν(y)`, ν the Q-law of y = e^L, and the integrand is
//! convex in y, vanishes at zero and is not negative, hence a mixture of the functions (y − α)₊.
//!
//! **Pessimistic.** On each cell [l, u] the law is replaced by masses at l and u with the same P- and Q-mass: D becomes its
//! chord ("connect the dots", Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022). What lies above the lattice counts
//! as an infinite loss, what lies below is moved up to its end.
//! **Optimistic.** On a cell with masses a at l and b at u, D is at least its two tangents at l and u, which meet where all mass
//! would sit at one point. Lowering D by e₀ at l and by e₁ at u puts the chord below that point, hence below D, exactly
//! when `e₀·e^h/b + e₁/a ≥ e^h − 1`. Points are lowered from left to right: by what makes their two cells share the burden
//! evenly, but no more than a straight continuation of the profile takes, and no less than the cell to the left still
//! needs; the first point not at all, because that would take probability from the whole law. Where the profile would
//! go below zero it ends. The greatest convex minorant of the lowered points is the profile of a law on the lattice,
//! and the best one below them. What lies above the lattice is moved down to its end, what lies below is dropped.
//! **Rounding.** Every mass comes with a bound on its error (see `law.rs`). Masses are moved up or down by that much, and
//! the split between l and u by as much as the errors can move it; sums are padded by far more than they round.

use super::law::{Atom, FUNCTION_ERROR, LossLaw};

/// Relative padding of sums of masses, far above what they round.
const PADDING: f64 = 1e-13;
/// Relative padding of optimistic masses, which pass through differences that lose a few digits.
const OPTIMISTIC_PADDING: f64 = 1e-10;
/// The optimistic lowering is increased by this much, to cover its own rounding.
const LOWERING_SLACK: f64 = 1.001;
/// Wider lattices would overflow e^loss; then the optimistic law rounds every loss down instead.
const LOSS_SPREAD_MAX: f64 = 600.0;

/// P-masses at the losses `offset + (first + i)·step`, and the mass of an infinite loss.
#[derive(Clone, Debug)]
pub(crate) struct Lattice {
    pub step: f64,
    pub offset: f64,
    pub first: i64,
    pub masses: Vec<f64>,
    pub infinite: f64,
}

/// Which way the law is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// The result is never more private than the law.
    Pessimistic,
    /// The result is never less private than the law.
    Optimistic,
}

/// The law on the lattice of this step, rounded one way; losses beyond tails of the given probability are not resolved.
///
/// Each law may have its own offset of the lattice, because offsets of a sum add; it puts the law's largest atom on a
/// point, where rounding does not touch it.
pub(crate) fn discretise(law: &dyn LossLaw, step: f64, tail: f64, rounding: Rounding) -> Lattice {
    let cells = Cells::new(law, step, tail).padded(rounding);
    match rounding {
        Rounding::Optimistic => cells.optimistic(),
        Rounding::Pessimistic => cells.pessimistic(),
    }
}

/// The law cut at lattice points: masses on the points, and for each cell its masses moved to its two ends.
#[derive(Clone)]
struct Cells {
    step: f64,
    offset: f64,
    first: i64,
    on_points: Vec<f64>,
    to_lower: Vec<f64>,
    to_upper: Vec<f64>,
    /// How far a cell's mass may be off, and how much of it may be at the other end.
    mass_error: Vec<f64>,
    split_error: Vec<f64>,
    /// Masses of cells whose Q-mass underflowed, so that nobody knows how they split.
    unsplit: Vec<(usize, f64)>,
    below: f64,
    above: f64,
    infinite: f64,
}

impl Cells {
    fn new(law: &dyn LossLaw, step: f64, tail: f64) -> Self {
        let atoms = law.atoms();
        let (lower, upper) = resolved_range(law, tail);
        let offset = offset(&atoms, step);
        let (low, high) = ((lower - offset) / step, (upper - offset) / step);
        let first = (low + hair(low)).floor() as i64;
        let last = ((high - hair(high)).ceil() as i64).max(first + 1);
        let count = (last - first) as usize;
        let points: Vec<f64> = (first..=last).map(|index| offset + index as f64 * step).collect();
        let full = -(-step).exp_m1();
        let mut cells = Self {
            step,
            offset,
            first,
            on_points: vec![0.0; count + 1],
            to_lower: vec![0.0; count],
            to_upper: vec![0.0; count],
            mass_error: vec![0.0; count],
            split_error: vec![0.0; count],
            unsplit: Vec::new(),
            below: 0.0,
            above: 0.0,
            infinite: 0.0,
        };
        if law.continuous_range().is_some() {
            for (index, masses) in law.cells(&points).into_iter().enumerate() {
                let (p, q) = (masses.p, masses.q);
                if q > f64::MIN_POSITIVE && p > f64::MIN_POSITIVE {
                    // p = a + b and q = a·e^(−l) + b·e^(−u), solved for b.
                    let growth = points[index].exp();
                    let error = masses.p_error + masses.q_error * growth + FUNCTION_ERROR * p;
                    cells.split(index, p, (1.0 - q / p * growth) / full, error / full);
                    cells.mass_error[index] += masses.p_error;
                } else if p > 0.0 {
                    cells.unsplit.push((index, p));
                }
            }
            cells.below = law.between(f64::NEG_INFINITY, points[0]).p;
            cells.above = law.between(points[count], f64::INFINITY).p;
        }
        for atom in &atoms {
            if atom.loss == f64::INFINITY {
                cells.infinite += atom.probability;
                continue;
            }
            let position = (atom.loss - offset) / step - first as f64;
            let nearest = position.round();
            if (position - nearest).abs() <= hair(atom.loss / step) {
                cells.on_points[nearest as usize] += atom.probability;
            } else {
                let index = position.floor() as usize;
                let fraction = -(points[index] - atom.loss).exp_m1() / full;
                let error = FUNCTION_ERROR * (1.0 + atom.loss.abs()) * atom.probability / full;
                cells.split(index, atom.probability, fraction, error);
            }
        }
        cells
    }

    fn split(&mut self, cell: usize, mass: f64, fraction: f64, error: f64) {
        let fraction = fraction.clamp(0.0, 1.0);
        self.to_upper[cell] += mass * fraction;
        self.to_lower[cell] += mass * (1.0 - fraction);
        self.split_error[cell] += error;
    }

    /// Every mass and every split moved by more than its error can be, and what could not be split moved all the way.
    fn padded(&self, rounding: Rounding) -> Self {
        let mut cells = self.clone();
        for cell in 0..self.to_lower.len() {
            let (a, b) = (self.to_lower[cell], self.to_upper[cell]);
            let (shift, error) = (self.split_error[cell], self.mass_error[cell]);
            let (a, b) = match rounding {
                Rounding::Pessimistic => ((a - shift).max(0.0), b + shift.min(a) + error),
                Rounding::Optimistic => ((a + shift.min(b) - error).max(0.0), (b - shift).max(0.0)),
            };
            (cells.to_lower[cell], cells.to_upper[cell]) = (a, b);
        }
        for (cell, mass) in &self.unsplit {
            match rounding {
                Rounding::Pessimistic => cells.to_upper[*cell] += mass,
                Rounding::Optimistic => cells.to_lower[*cell] += mass,
            }
        }
        cells
    }

    /// The masses on lattice points after every cell gave its own to its ends.
    fn connected(&self) -> Vec<f64> {
        let mut masses = self.on_points.clone();
        for (index, (a, b)) in self.to_lower.iter().zip(&self.to_upper).enumerate() {
            masses[index] += a;
            masses[index + 1] += b;
        }
        masses
    }

    fn pessimistic(self) -> Lattice {
        let mut masses = self.connected();
        masses[0] += self.below;
        masses.iter_mut().for_each(|mass| *mass *= 1.0 + PADDING);
        let infinite = (self.infinite + self.above) * (1.0 + PADDING);
        Lattice { step: self.step, offset: self.offset, first: self.first, masses, infinite }
    }

    fn optimistic(self) -> Lattice {
        let spread = self.to_lower.len() as f64 * self.step;
        let mut masses = if spread > LOSS_SPREAD_MAX { self.rounded_down() } else { self.lowered() };
        if let Some(last) = masses.last_mut() {
            *last += self.above;
        }
        masses.iter_mut().for_each(|mass| *mass *= 1.0 - OPTIMISTIC_PADDING);
        Lattice {
            step: self.step,
            offset: self.offset,
            first: self.first,
            masses,
            infinite: if self.infinite > 1e-300 { self.infinite * (1.0 - OPTIMISTIC_PADDING) } else { 0.0 },
        }
    }

    fn rounded_down(&self) -> Vec<f64> {
        let mut masses = self.on_points.clone();
        for (index, (a, b)) in self.to_lower.iter().zip(&self.to_upper).enumerate() {
            masses[index] += a + b;
        }
        masses
    }

    /// The optimistic masses: chords lowered below the curve.
    fn lowered(&self) -> Vec<f64> {
        let growth = self.step.exp_m1();
        let hinge = growth / (1.0 + growth);
        let cells = self.to_lower.len();
        let mut masses = self.connected();
        let profile = profile_at_points(&masses, self.step);
        let even = |point: usize| {
            let left = if point > 0 { self.overshoot(point - 1, growth) } else { 0.0 };
            let right = if point < cells { self.overshoot(point, growth) } else { 0.0 };
            left.max(right) * LOWERING_SLACK
        };
        let mut lowering = vec![0.0; cells + 1];
        // A first cell that would use up most of the profile shares its burden after all.
        if self.to_lower[0] * growth > 0.5 * profile[1] {
            lowering[0] = even(0);
        }
        for point in 1..cells {
            let (a, b) = (self.to_lower[point - 1], self.to_upper[point - 1]);
            let before = lowering[point - 1];
            let slope = if point > 1 { before - lowering[point - 2] } else { 0.0 };
            let straight = before + (1.0 + growth) * slope + growth * masses[point - 1];
            let unmet =
                if a > 0.0 && b > 0.0 { a * (growth - before * (1.0 + growth) / b).max(0.0) } else { 0.0 };
            let needed = unmet * LOWERING_SLACK;
            lowering[point] = even(point).max(needed).min(straight.max(needed));
        }
        // From the first point that would be lowered below zero on, the profile is zero. The segment that leads there
        // meets the axis instead of a lowered point, so it must stay below the tangent at its right end.
        let mut top = (1..=cells).find(|point| lowering[*point] >= profile[*point]).unwrap_or(cells);
        while top > 0 {
            let tangent = self.to_upper[top - 1] * hinge * LOWERING_SLACK;
            lowering[top - 1] = lowering[top - 1].max(tangent);
            if lowering[top - 1] < profile[top - 1] {
                break;
            }
            top -= 1;
        }
        if top == 0 {
            return vec![0.0; cells + 1];
        }
        lowering[top] = profile[top];
        for point in 0..top {
            let here = lowering[point];
            let before = if point > 0 { lowering[point - 1] } else { here };
            masses[point] -= ((lowering[point + 1] - here) - (1.0 + growth) * (here - before)) / growth;
        }
        // The top point carries the last segment, and nothing lies beyond it.
        masses[top] = (profile[top - 1] - lowering[top - 1]) / hinge;
        masses[top + 1..].fill(0.0);
        if masses.iter().any(|mass| *mass < 0.0) {
            self.convex_minorant(&mut masses);
        }
        masses
    }

    /// How far the chord of a cell can exceed D.
    fn overshoot(&self, cell: usize, growth: f64) -> f64 {
        let (a, b) = (self.to_lower[cell], self.to_upper[cell]);
        if a > 0.0 && b > 0.0 { a * b * growth / (a * (1.0 + growth) + b) } else { 0.0 }
    }

    /// Replaces signed masses by those of the greatest convex minorant of their profile, by pooling slopes that
    /// fall. The slope left of point i is −Σ_{j ≥ i} q_j, over a width that grows as e^loss.
    fn convex_minorant(&self, masses: &mut [f64]) {
        let alpha = |point: usize| (self.offset + (self.first + point as i64) as f64 * self.step).exp();
        let mut steepness: Vec<f64> =
            masses.iter().enumerate().map(|(point, mass)| mass / alpha(point)).collect();
        for point in (0..steepness.len() - 1).rev() {
            steepness[point] += steepness[point + 1];
        }
        // Pools of (steepness, width, members), steepness falling from left to right.
        let mut pools: Vec<(f64, f64, usize)> = Vec::new();
        for (point, value) in steepness.iter().enumerate() {
            let width = if point == 0 { alpha(0) } else { alpha(point) - alpha(point - 1) };
            let mut pool = (*value, width, 1);
            while let Some(left) = pools.last().filter(|left| left.0 <= pool.0) {
                let width = left.1 + pool.1;
                pool = ((left.0 * left.1 + pool.0 * pool.1) / width, width, left.2 + pool.2);
                pools.pop();
            }
            pools.push(pool);
        }
        // Steepness and whether a point's slope was pooled; masses between slopes left alone keep all their digits.
        let pooled: Vec<(f64, bool)> = pools
            .iter()
            .flat_map(|(value, _, members)| std::iter::repeat_n((*value, *members > 1), *members))
            .collect();
        for (point, mass) in masses.iter_mut().enumerate() {
            let (here, changed) = pooled[point];
            let (right, changed_right) = pooled.get(point + 1).copied().unwrap_or((0.0, false));
            if changed || changed_right {
                *mass = (alpha(point) * (here - right)).max(0.0);
            }
        }
    }
}

/// How far beside the lattice, in steps, rounding alone can put a loss of so many steps: it belongs onto the lattice, and
/// the accountant pays for the difference.
fn hair(steps: f64) -> f64 {
    32.0 * f64::EPSILON * (1.0 + steps.abs())
}

/// The offset that puts the largest finite atom on the lattice; zero when it is there anyway.
fn offset(atoms: &[Atom], step: f64) -> f64 {
    let largest =
        atoms.iter().map(|atom| atom.loss).filter(|loss| loss.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    let offset = largest.rem_euclid(step);
    let aligned = hair(largest / step) * step;
    if !largest.is_finite() || offset < aligned || step - offset < aligned { 0.0 } else { offset }
}

/// D at every lattice point: `Σ_{j > i} m_j·(1 − e^(−(j−i)h))`, by sums of positive terms.
fn profile_at_points(masses: &[f64], step: f64) -> Vec<f64> {
    let (shrink, hinge) = ((-step).exp(), -(-step).exp_m1());
    let mut profile = vec![0.0; masses.len()];
    let mut from_next = 0.0;
    for point in (0..masses.len() - 1).rev() {
        from_next += masses[point + 1];
        profile[point] = shrink * profile[point + 1] + hinge * from_next;
    }
    profile
}

/// Losses between which every finite atom and all but about `tail` of the continuous part lie.
pub(crate) fn resolved_range(law: &dyn LossLaw, tail: f64) -> (f64, f64) {
    let finite = || law.atoms().into_iter().map(|atom| atom.loss).filter(|loss| loss.is_finite());
    let lower = finite().fold(f64::INFINITY, f64::min);
    let upper = finite().fold(f64::NEG_INFINITY, f64::max);
    let Some((lowest, highest)) = law.continuous_range() else {
        return (lower, upper);
    };
    let beyond = |t: f64, up: bool| {
        if up { law.between(t, f64::INFINITY).p } else { law.between(f64::NEG_INFINITY, -t).p }
    };
    let search = |end: f64, up: bool| -> f64 {
        // Gallop outwards from a tiny loss, then bisect back. A finite end may lie far outside of all that matters.
        let end = end.min(1e30);
        let mut outer = 1e-12f64.min(end);
        while beyond(outer, up) > tail && outer < end {
            outer = (outer * 2.0).min(end);
        }
        let mut inner = if outer > 1e-12 { outer / 2.0 } else { 0.0 };
        for _ in 0..12 {
            let middle = 0.5 * (inner + outer);
            if beyond(middle, up) > tail { inner = middle } else { outer = middle }
        }
        outer
    };
    (lower.min(-search(-lowest, false)), upper.max(search(highest, true)))
}

#[cfg(test)]
mod tests;
