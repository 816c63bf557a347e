//! The solver: proximal steps on the packing, each by Newton's method on the weights of the nodes.
//!
//! Let every copy of column C get the share `x_C` in [0, 1], and let `s_v ≥ 0` be the room left at node v.
//! One proximal step moves from a centre `(c, d)` to the maximum of
//!
//! `Σ_C u_C (x_C − (x_C − c_C)²/2σ) − Σ_v (s_v − d_v)²/2στ`, such that `Σ_{C∋v} u_C x_C + s_v = τ` at every
//! node.
//!
//! With a weight `y_v` for each of these equations, the best shares and rooms are
//! `x_C(y) = c_C + σ(1 − y(C))` cut to [0, 1] and `s_v(y) = d_v − στ y_v` cut at 0, and what remains is to
//! minimise a convex function of y without constraints, with slope `τ − load_v − s_v`. It is piecewise
//! quadratic: its curvature comes from the columns strictly between their bounds, usually few, and from the
//! nodes with room. Newton's direction is found by conjugate gradients, column by column, without a matrix.
//!
//! Repeated steps converge to an optimum for every σ > 0 when each is solved closely enough (Rockafellar
//! 1976, for exact arithmetic), and a larger σ needs fewer of them, so σ grows. **Nothing relies on it:**
//! after every step exact certificates are asked how far the optimum can be, and after a fixed number of
//! steps the solver gives up.

use super::certificate;
use super::programme::Programme;

/// Proximal steps before giving up. Fewer than 20 were enough on every graph tried.
const STEPS_MAX: usize = 120;
/// Newton directions within one proximal step.
const DIRECTIONS_MAX: usize = 40;
/// Rounds of conjugate gradients within one direction.
const GRADIENTS_MAX: usize = 300;
/// How closely a direction is solved: the remaining residual as a share of the first.
const DIRECTION_TOLERANCE: f64 = 0.1;
/// How closely a proximal step is solved: the remaining imbalance of all nodes as a share of the gap that is
/// left.
const STEP_TOLERANCE: f64 = 0.2;
/// σ of the first step, and its growth.
const FIRST_SIGMA: f64 = 1.0;
const GROWTH: f64 = 1.6;
/// The weights of the first step: three of them, one copy's, are nearly one.
const FIRST_WEIGHT: f64 = 0.3;
/// How far one direction may move a weight where nothing else holds it: weights lie between 0 and 1.
const REACH: f64 = 0.25;
/// Curvature that every node has at least, as a share of what it has when all its columns are free.
const RIDGE: f64 = 1e-4;
/// Shares and weights are certified in units of 2^-24.
const UNIT: f64 = (1 << 24) as f64;

/// A whole number that the optimum reaches and one that it does not exceed, at most `gap` apart; or, when the
/// solver gives up, the weights it had.
pub(super) fn solve(programme: &Programme, gap: u64) -> Result<(u64, u64), Vec<f64>> {
    let mut centre = Centre::fair(programme);
    let (mut here, mut there) = (Point::new(programme), Point::new(programme));
    let (mut value, mut upper) = (programme.packed_whole, u64::MAX);
    let mut distance = f64::INFINITY;
    for _ in 0..STEPS_MAX {
        let tolerance = STEP_TOLERANCE * distance.max(gap as f64);
        let solved = centre.minimise(&mut here, &mut there, tolerance);
        centre.move_to(&here);
        let weight = |node: usize| u128::from((here.weights[node] * UNIT).round() as u64);
        upper = upper.min(certificate::upper(programme, UNIT as u128, weight));
        // Every overfull node costs at most what it is overfull by.
        let expected = here.packed - here.overfull(programme.tau as f64) + programme.packed_whole as f64;
        distance = upper as f64 - expected.max(value as f64);
        if distance <= 2.0 * gap as f64 {
            let share = |column: usize| {
                let packed = f64::from(centre.shares[column]) * f64::from(programme.bounds[column]);
                u128::from((packed * UNIT) as u64)
            };
            value = value.max(certificate::value(programme, UNIT as u128, share));
            distance = upper as f64 - value as f64;
        }
        if upper <= value.saturating_add(gap) {
            return Ok((value, upper));
        }
        if solved {
            centre.sigma *= GROWTH;
        }
    }
    Err(here.weights)
}

/// Where a proximal step starts.
struct Centre<'a> {
    programme: &'a Programme,
    sigma: f64,
    /// The share of every copy of a column. Half the precision will do: a centre may be anywhere.
    shares: Vec<f32>,
    /// The room of every node.
    rooms: Vec<f64>,
}

/// Weights, and all that follows from them.
struct Point {
    /// The weight of each node, and a zero for the node that stands for none.
    weights: Vec<f64>,
    /// The function to minimise.
    height: f64,
    /// How much is packed in all, and at each node.
    packed: f64,
    loads: Vec<f64>,
    rooms: Vec<f64>,
    free: Free,
}

/// Columns strictly between their bounds, in runs as they are in the programme.
struct Free {
    /// Which run of the programme, and where its free columns end.
    runs: Vec<(usize, usize)>,
    /// As long as there are columns; those beyond the last end are not in use.
    lasts: Vec<u32>,
    bounds: Vec<u32>,
}

impl Free {
    /// Every run with free columns: which, the last node of each, and how many copies each stands for.
    fn iter(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = (usize, f64)>)> {
        let mut start = 0;
        self.runs.iter().map(move |(run, end)| {
            let lasts = self.lasts[start..*end].iter().map(|last| *last as usize);
            let bounds = self.bounds[start..*end].iter().map(|bound| f64::from(*bound));
            start = *end;
            (*run, lasts.zip(bounds))
        })
    }
}

impl Point {
    fn new(programme: &Programme) -> Self {
        let (nodes, columns) = (programme.nodes(), programme.columns.len());
        let mut weights = vec![FIRST_WEIGHT; nodes];
        weights.push(0.0);
        let free = Free { runs: Vec::new(), lasts: vec![0; columns], bounds: vec![0; columns] };
        let (loads, rooms) = (vec![0.0; nodes + 1], vec![0.0; nodes]);
        Self { weights, height: 0.0, packed: 0.0, loads, rooms, free }
    }

    /// By how much nodes hold more than τ, in all.
    fn overfull(&self, tau: f64) -> f64 {
        self.loads[..self.rooms.len()].iter().map(|load| (load - tau).max(0.0)).sum()
    }
}

impl<'a> Centre<'a> {
    /// Every copy gets the share that its most crowded node has for each of its copies: no node is overfull.
    fn fair(programme: &'a Programme) -> Self {
        let tau = programme.tau as f64;
        let mut fair: Vec<f64> = programme.crowding.iter().map(|count| tau / *count as f64).collect();
        fair.push(1.0);
        let mut shares = Vec::with_capacity(programme.columns.len());
        let mut rooms = vec![tau; programme.nodes() + 1];
        for (head, lasts, run) in programme.columns.iter() {
            let shared = head.iter().map(|node| fair[*node as usize]).fold(1.0, f64::min);
            let mut sum = 0.0;
            for (last, bound) in lasts.iter().zip(&programme.bounds[run]) {
                let share = fair[*last as usize].min(shared);
                let packed = f64::from(*bound) * share;
                rooms[*last as usize] -= packed;
                sum += packed;
                shares.push(share as f32);
            }
            head.iter().for_each(|node| rooms[*node as usize] -= sum);
        }
        rooms.truncate(programme.nodes());
        rooms.iter_mut().for_each(|room| *room = room.max(0.0));
        Self { programme, sigma: FIRST_SIGMA, shares, rooms }
    }

    /// Moves `here` towards the minimum until the imbalances of all nodes add up to at most the tolerance.
    /// Whether they did.
    fn minimise(&self, here: &mut Point, there: &mut Point, tolerance: f64) -> bool {
        self.evaluate(here);
        for _ in 0..DIRECTIONS_MAX {
            let slopes = self.slopes(here);
            let moves = self.direction(here, &slopes);
            let descent = dot(&slopes, &moves);
            let mut length = 1.0;
            loop {
                for (node, step) in moves.iter().enumerate() {
                    there.weights[node] = here.weights[node] + length * step;
                }
                self.evaluate(there);
                if there.height <= here.height + 1e-4 * length * descent || length < 1e-4 {
                    break;
                }
                length *= 0.5;
            }
            std::mem::swap(here, there);
            if self.slopes(here).iter().map(|slope| slope.abs()).sum::<f64>() <= tolerance {
                return true;
            }
        }
        false
    }

    /// Works out all that follows from the weights of a point.
    fn evaluate(&self, point: &mut Point) {
        let Point { weights, height, packed, loads, rooms, free } = point;
        let (sigma, tau) = (self.sigma, self.programme.tau as f64);
        let half = 0.5 / sigma;
        free.runs.clear();
        let mut found = 0;
        loads.fill(0.0);
        (*height, *packed) = (0.0, 0.0);
        for (index, (head, lasts, run)) in self.programme.columns.iter().enumerate() {
            let left = 1.0 - head.iter().map(|node| weights[*node as usize]).sum::<f64>();
            let (mut run_packed, mut run_height) = (0.0, 0.0);
            let before = found;
            let (bounds, centres) = (&self.programme.bounds[run.clone()], &self.shares[run]);
            for ((last, bound), centre) in lasts.iter().zip(bounds).zip(centres) {
                let (copies, centre) = (f64::from(*bound), f64::from(*centre));
                let gain = left - weights[*last as usize];
                let wanted = centre + sigma * gain;
                let share = wanted.clamp(0.0, 1.0);
                let step = share - centre;
                let share = copies * share;
                run_height += gain * share - copies * half * step * step;
                run_packed += share;
                loads[*last as usize] += share;
                // Written in any case and kept if free: no branch to guess.
                free.lasts[found] = *last;
                free.bounds[found] = *bound;
                found += usize::from(wanted > 0.0 && wanted < 1.0);
            }
            if found > before {
                free.runs.push((index, found));
            }
            head.iter().for_each(|node| loads[*node as usize] += run_packed);
            *height += run_height;
            *packed += run_packed;
        }
        let half = half / tau;
        for (node, room) in rooms.iter_mut().enumerate() {
            let (weight, centre) = (weights[node], self.rooms[node]);
            *room = (centre - sigma * tau * weight).max(0.0);
            *height += weight * (tau - *room) - half * (*room - centre) * (*room - centre);
        }
    }

    /// What every node has left that is neither packed nor room: zero at the minimum.
    fn slopes(&self, point: &Point) -> Vec<f64> {
        let tau = self.programme.tau as f64;
        point.loads.iter().zip(&point.rooms).map(|(load, room)| tau - load - room).collect()
    }

    /// Newton's direction: conjugate gradients, preconditioned by the diagonal.
    fn direction(&self, point: &Point, slopes: &[f64]) -> Vec<f64> {
        let (sigma, nodes) = (self.sigma, slopes.len());
        let own = |node: usize| {
            let room = if point.rooms[node] > 0.0 { self.programme.tau as f64 } else { 0.0 };
            room + RIDGE * self.programme.crowding[node] as f64 + slopes[node].abs() / (REACH * sigma)
        };
        let own: Vec<f64> = (0..nodes).map(own).collect();
        let mut diagonal = own.clone();
        diagonal.push(0.0);
        for (run, columns) in point.free.iter() {
            let mut sum = 0.0;
            for (last, copies) in columns {
                diagonal[last] += copies;
                sum += copies;
            }
            self.programme.columns.head(run).iter().for_each(|node| diagonal[*node as usize] += sum);
        }
        let mut moves = vec![0.0; nodes];
        let mut residual: Vec<f64> = slopes.iter().map(|slope| -slope / sigma).collect();
        let mut search: Vec<f64> = residual.iter().zip(&diagonal).map(|(rest, scale)| rest / scale).collect();
        let mut size = dot(&residual, &search);
        search.push(0.0);
        let enough = size * DIRECTION_TOLERANCE * DIRECTION_TOLERANCE;
        let mut curved = vec![0.0; nodes + 1];
        for _ in 0..GRADIENTS_MAX {
            // Close enough, exact from the start, or not a number.
            if size <= enough || size.is_nan() {
                break;
            }
            curved.iter_mut().zip(&own).zip(&search).for_each(|((out, own), step)| *out = own * step);
            for (run, columns) in point.free.iter() {
                let head = self.programme.columns.head(run);
                let shared: f64 = head.iter().map(|node| search[*node as usize]).sum();
                let mut sum = 0.0;
                for (last, copies) in columns {
                    let pull = copies * (shared + search[last]);
                    curved[last] += pull;
                    sum += pull;
                }
                head.iter().for_each(|node| curved[*node as usize] += sum);
            }
            let length = size / dot(&search[..nodes], &curved);
            let before = size;
            size = 0.0;
            for node in 0..nodes {
                moves[node] += length * search[node];
                residual[node] -= length * curved[node];
                size += residual[node] * residual[node] / diagonal[node];
            }
            let keep = size / before;
            for node in 0..nodes {
                search[node] = residual[node] / diagonal[node] + keep * search[node];
            }
        }
        moves
    }

    /// The next step starts from where this one ended.
    fn move_to(&mut self, point: &Point) {
        let weights = &point.weights;
        for (head, lasts, run) in self.programme.columns.iter() {
            let left = 1.0 - head.iter().map(|node| weights[*node as usize]).sum::<f64>();
            for (last, share) in lasts.iter().zip(&mut self.shares[run]) {
                let gain = left - weights[*last as usize];
                *share = (f64::from(*share) + self.sigma * gain).clamp(0.0, 1.0) as f32;
            }
        }
        self.rooms.copy_from_slice(&point.rooms);
    }
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
