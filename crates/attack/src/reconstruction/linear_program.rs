//! Decoding by a linear program, for a few hundred people.
//!
//! **Program.** Over x in the cube [0, 1]^n, minimise Σ t_j subject to −t_j ≤ (Q·x − a)_j ≤ t_j; for the
//! largest error there is one t instead of m. Solved by Clarabel's interior point method in the standard form
//! A·v + s = b, s ≥ 0.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus};

use super::{Norm, Queries};
use crate::AttackError;

/// The most people.
const PEOPLE_MAX: usize = 512;
/// The most people times questions: about a minute on a slow core.
const ENTRIES_MAX: usize = 1 << 20;
/// The gap between the objective and a proven lower bound, relative and absolute.
const GAP: f64 = 1e-9;

/// Refuses programs that would take too long.
pub(super) fn check_size(people: usize, questions: usize) -> Result<(), AttackError> {
    if people > PEOPLE_MAX || people * questions > ENTRIES_MAX {
        return Err(AttackError::new(
            format!("a linear program with {people} people and {questions} questions takes too long"),
            format!("use least squares, or at most {PEOPLE_MAX} people and four questions a person"),
        ));
    }
    Ok(())
}

/// The estimates and the value of the program at them.
pub(super) fn decode(queries: &Queries, answers: &[f64], norm: Norm) -> Result<(Vec<f64>, f64), AttackError> {
    let (people, questions) = (queries.people(), answers.len());
    let slack_columns = match norm {
        Norm::Sum => questions,
        Norm::Largest => 1,
    };
    // Rows: Q·x − t ≤ a, then −Q·x − t ≤ −a, then x ≤ 1, then −x ≤ 0.
    let (cube, rows) = (2 * questions, 2 * questions + 2 * people);
    let mut matrix = Columns::default();
    for (person, asked) in queries.transposed().subsets().enumerate() {
        asked.members().for_each(|question| matrix.push(question, 1.0));
        asked.members().for_each(|question| matrix.push(questions + question, -1.0));
        matrix.push(cube + person, 1.0);
        matrix.push(cube + people + person, -1.0);
        matrix.end_column();
    }
    match norm {
        Norm::Sum => (0..questions).for_each(|question| {
            matrix.push(question, -1.0);
            matrix.push(questions + question, -1.0);
            matrix.end_column();
        }),
        Norm::Largest => {
            (0..cube).for_each(|row| matrix.push(row, -1.0));
            matrix.end_column();
        }
    }
    let columns = people + slack_columns;
    let constraints = CscMatrix::new(rows, columns, matrix.starts, matrix.rows, matrix.values);
    let bounds: Vec<f64> = (answers.iter().copied())
        .chain(answers.iter().map(|answer| -answer))
        .chain(std::iter::repeat_n(1.0, people))
        .chain(std::iter::repeat_n(0.0, people))
        .collect();
    let cost: Vec<f64> =
        std::iter::repeat_n(0.0, people).chain(std::iter::repeat_n(1.0, slack_columns)).collect();
    let point = solve(&constraints, &bounds, &cost)?;
    let estimates: Vec<f64> = point.iter().take(people).map(|x| x.clamp(0.0, 1.0)).collect();
    let fitted = queries.times(&estimates);
    let errors = fitted.iter().zip(answers).map(|(fitted, answer)| (fitted - answer).abs());
    let objective = match norm {
        Norm::Sum => errors.sum(),
        Norm::Largest => errors.fold(0.0, f64::max),
    };
    Ok((estimates, objective))
}

fn solve(constraints: &CscMatrix<f64>, bounds: &[f64], cost: &[f64]) -> Result<Vec<f64>, AttackError> {
    let stopped = |reason: String| {
        AttackError::new(
            format!("the linear program was not solved: {reason}"),
            "use least squares, which always gives a guess",
        )
    };
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(GAP)
        .tol_gap_rel(GAP)
        .tol_feas(GAP)
        .build()
        .map_err(|error| stopped(error.to_string()))?;
    let no_squares = CscMatrix::zeros((cost.len(), cost.len()));
    let cones = [NonnegativeConeT(bounds.len())];
    let mut solver = DefaultSolver::new(&no_squares, cost, constraints, bounds, &cones, settings)
        .map_err(|error| stopped(error.to_string()))?;
    solver.solve();
    match solver.solution.status {
        // A point that is nearly optimal is as good a guess.
        SolverStatus::Solved | SolverStatus::AlmostSolved => Ok(solver.solution.x.clone()),
        status => Err(stopped(format!("{status:?}"))),
    }
}

/// A sparse matrix, column by column.
struct Columns {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl Default for Columns {
    fn default() -> Self {
        Self { starts: vec![0], rows: Vec::new(), values: Vec::new() }
    }
}

impl Columns {
    /// An entry of the current column; rows come in order.
    fn push(&mut self, row: usize, value: f64) {
        self.rows.push(row);
        self.values.push(value);
    }

    fn end_column(&mut self) {
        self.starts.push(self.rows.len());
    }
}
