//! A trained model: what it says of rows, and its file.

use std::ops::Range;
use std::path::PathBuf;
use std::thread;

use arrow::array::RecordBatch;
use numpy::ndarray::{Array2, Axis, Slice};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pointillist_learn::gram::Constant;
use pointillist_learn::{ColumnEncoding, Fitted, Model, TargetKind};
use pointillist_publication::{ModelFile, Trusted, largest};
use pyo3::prelude::*;
use pyo3_arrow::PyTable;
use serde_json::{Value, json};

use super::coded_rows::{check_array, codes_of_array, codes_of_batch, places};
use crate::curator::Outcome;
use crate::errors::{explained, raised, wrong};

/// Rows between two looks at signals.
const BLOCK: usize = 1 << 16;
/// Fewer rows than this are not worth another thread.
const SHARE_LEAST: usize = 1 << 12;
/// The largest numbers of a model, which are drawn.
const DRAWN: usize = 24;

/// A model, with its file where it has one: those that a server trained are here without theirs.
#[pyclass(frozen, module = "pointillist._native.models")]
pub struct TrainedModel {
    source: Source,
}

enum Source {
    Bare(Box<Model>),
    File(Box<ModelFile>),
}

/// What a model is asked for.
#[derive(Clone, Copy)]
enum Wanted {
    /// The number of a class.
    Class,
    /// How likely each class is.
    Probabilities,
    /// The predicted number.
    Number,
    /// What rises with the second class; one for each class where there are more.
    Score,
    /// The number of a cluster.
    Cluster,
}

/// Mean and covariance of columns, from 0 to 1 between their bounds: how many rows, both, and the deviation of the noise in a sum of
/// products of two of them.
type Moments<'py> = (f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, f64);

#[pymethods]
impl TrainedModel {
    /// The model of an answer, and of the quote of the same statement.
    #[staticmethod]
    fn of_outcome(answer: &Outcome, quote: &Outcome) -> PyResult<Self> {
        let made = || ModelFile::new(answer.reply.as_deref()?, quote.quote.as_deref()?, &answer.sql, None);
        let file =
            made().ok_or_else(|| wrong("the answer has no model", "ask with SELECT * FROM learn(...)"))?;
        Ok(Self { source: Source::File(Box::new(file)) })
    }

    /// The model in the JSON of an answer.
    #[staticmethod]
    fn from_json(json: &str) -> PyResult<Self> {
        let model = serde_json::from_str(json);
        let model =
            model.map_err(|error| wrong(format!("this is no model: {error}"), "give an answer's model"))?;
        Ok(Self { source: Source::Bare(Box::new(model)) })
    }

    /// The model of a file's text.
    #[staticmethod]
    fn parse(text: String) -> PyResult<Self> {
        let file = ModelFile::parse(text).map_err(|error| raised(&error))?;
        Ok(Self { source: Source::File(Box::new(file)) })
    }

    /// The model of a file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        let file = ModelFile::read(&path).map_err(|error| raised(&error))?;
        Ok(Self { source: Source::File(Box::new(file)) })
    }

    /// The whole file, where it has one.
    fn text(&self) -> Option<&str> {
        match &self.source {
            Source::Bare(_) => None,
            Source::File(file) => Some(file.text()),
        }
    }

    /// The model alone, as answers have it.
    fn json(&self) -> String {
        serde_json::to_string(self.model()).unwrap_or_default()
    }

    /// Writes the file, over an earlier model or into a new one.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        match &self.source {
            Source::Bare(_) => Err(wrong(
                "this model has no file: only who trained it is told what a file says",
                "keep its to_json(), or train it where the data are",
            )),
            Source::File(file) => file.write(&path).map_err(|error| raised(&error)),
        }
    }

    /// What it is, as JSON: recipe, encoding, classes and numbers; of a file also the statement, what was protected and paid.
    fn describe(&self) -> PyResult<String> {
        let model = self.model();
        let mut object = match &self.source {
            Source::File(file) => {
                let signer =
                    file.signer(Trusted { key: None, home: None }).map_err(|error| raised(&error))?;
                file.to_json(signer)
            }
            Source::Bare(_) => json!({ "model": model, "numbers": numbers(model) }),
        };
        if let Value::Object(members) = &mut object {
            members.insert("about".to_owned(), json!(model.recipe().family.about()));
            members.insert("kind".to_owned(), json!(model.recipe().family.name()));
            members.insert("classes".to_owned(), json!(model.classes()));
            members.insert("intervals".to_owned(), json!(model.interval_words()));
        }
        Ok(object.to_string())
    }

    /// The model as an expression of SQL.
    fn sql(&self) -> PyResult<String> {
        match &self.source {
            Source::File(file) => file.sql().map_err(|error| raised(&error)),
            Source::Bare(model) => pointillist_query::model_expression(model)
                .map_err(|problem| wrong(format!("this model {problem}"), "predict from rows instead")),
        }
    }

    /// A drawing of its largest numbers.
    fn svg(&self, price: &str) -> PyResult<String> {
        let answer = largest(&pointillist_curator::Answer::of_model(self.model()), DRAWN);
        Ok(answer.plot(price).map_err(|said| explained(&said))?.to_svg())
    }

    /// What it says of rows of numbers in the order of its columns: one row of results for each.
    fn predict_array<'py>(
        &self,
        py: Python<'py>,
        rows: PyReadonlyArray2<'py, f64>,
        wanted: &str,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let columns = self.model().encoding().columns();
        let rows = rows.as_array();
        check_array(columns, rows.ncols())?;
        self.predicted(py, wanted, rows.nrows(), |block| {
            // A copy, because whoever holds the array may write to it while the lock is not held.
            let own: Array2<f64> = rows.slice_axis(Axis(0), Slice::from(block)).to_owned();
            move |columns: &[ColumnEncoding]| codes_of_array(columns, own.view())
        })
    }

    /// What it says of the rows of a frame, whose columns are found by name.
    fn predict_frame<'py>(
        &self,
        py: Python<'py>,
        frame: PyTable,
        wanted: &str,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (batches, schema) = frame.into_inner();
        let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
        let places = places(self.model().encoding().columns(), &names)?;
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        self.predicted(py, wanted, rows, |block| {
            let (own, places) = (slices(&batches, block), places.clone());
            move |columns: &[ColumnEncoding]| {
                own.iter().flat_map(|batch| codes_of_batch(columns, &places, batch)).collect()
            }
        })
    }

    /// How many rows there are about, and where and how far apart they are.
    fn moments<'py>(&self, py: Python<'py>) -> PyResult<Moments<'py>> {
        let Fitted::Moments(release) = self.model().fitted() else {
            return Err(wrong("this model has no moments", "train a model of the kind 'moments'"));
        };
        let factor = self.model().encoding().factor();
        // The last feature is the constant.
        let d = release.dimension().saturating_sub(1);
        let moments = release.moments(Constant { column: d, value: factor });
        let mean: Vec<f64> = moments.mean.iter().take(d).map(|mean| mean / factor).collect();
        let entry = |(i, j): (usize, usize)| moments.covariance[i * (d + 1) + j] / factor.powi(2);
        let covariance = Array2::from_shape_fn((d, d), entry);
        let noise = release.noise_variance().sqrt() / factor.powi(2);
        Ok((moments.count, mean.into_pyarray(py), covariance.into_pyarray(py), noise))
    }
}

impl TrainedModel {
    fn model(&self) -> &Model {
        match &self.source {
            Source::Bare(model) => model,
            Source::File(file) => file.model(),
        }
    }

    /// Goes through rows block by block. A block is taken with the interpreter's lock, and coded and looked at without.
    fn predicted<'py, C>(
        &self,
        py: Python<'py>,
        wanted: &str,
        rows: usize,
        block: impl Fn(Range<usize>) -> C,
    ) -> PyResult<Bound<'py, PyArray2<f64>>>
    where
        C: FnOnce(&[ColumnEncoding]) -> Vec<u32> + Send,
    {
        let model = self.model();
        let wanted = Wanted::read(wanted, model)?;
        let width = wanted.width(model);
        let mut said = Vec::with_capacity(rows.saturating_mul(width));
        for start in (0..rows).step_by(BLOCK) {
            let codes = block(start..rows.min(start + BLOCK));
            said.extend(py.detach(|| all_said(model, wanted, &codes(model.encoding().columns()))));
            py.check_signals()?;
        }
        said.into_pyarray(py).reshape([rows, width])
    }
}

impl Wanted {
    fn read(word: &str, model: &Model) -> PyResult<Self> {
        let wanted = match word {
            "class" => Self::Class,
            "probabilities" => Self::Probabilities,
            "number" => Self::Number,
            "score" => Self::Score,
            "cluster" => Self::Cluster,
            other => return Err(wrong(format!("a model has no `{other}`"), "ask for a class or a number")),
        };
        let family = model.recipe().family;
        let target = model.encoding().target_kind();
        let is_number = matches!(target, Some(TargetKind::Number));
        let has_it = match wanted {
            Self::Class | Self::Probabilities => family.has_target() && !is_number,
            Self::Number => is_number,
            Self::Score => {
                matches!(target, Some(TargetKind::TwoClasses(_)))
                    || matches!((model.fitted(), target), (Fitted::Gradient(_), Some(TargetKind::Classes(_))))
            }
            Self::Cluster => matches!(model.fitted(), Fitted::Clusters(_)),
        };
        match has_it {
            true => Ok(wanted),
            false => Err(wrong(
                format!("`{family}` of this target has no {word}"),
                "models of classes have classes and probabilities, regressions numbers, and clusters clusters",
            )),
        }
    }

    /// How many numbers there are for each row.
    fn width(self, model: &Model) -> usize {
        let classes = model.classes().len();
        match self {
            Self::Class | Self::Number | Self::Cluster => 1,
            Self::Probabilities => classes,
            Self::Score => {
                if classes > 2 {
                    classes
                } else {
                    1
                }
            }
        }
    }

    /// What the model says of a row, into its place.
    fn say(self, model: &Model, row: &[f64], place: &mut [f64]) {
        match self {
            Self::Class => place[0] = model.class_number(row) as f64,
            Self::Probabilities => {
                let likely = model.probabilities(row).unwrap_or_default();
                place.iter_mut().zip(likely).for_each(|(place, likely)| *place = likely);
            }
            Self::Number => {
                let number = model.value(row).and_then(|value| model.encoding().number_of(value));
                place[0] = number.unwrap_or(f64::NAN);
            }
            Self::Score => match model.fitted() {
                Fitted::Gradient(gradient) if place.len() > 1 => {
                    let scores = gradient.scores(row);
                    place.iter_mut().zip(scores).for_each(|(place, score)| *place = score);
                }
                _ => place[0] = model.score(row),
            },
            Self::Cluster => {
                if let Fitted::Clusters(clusters) = model.fitted() {
                    place[0] = clusters.cluster(row) as f64;
                }
            }
        }
    }
}

/// What a model says of coded rows, over all cores.
fn all_said(model: &Model, wanted: Wanted, codes: &[u32]) -> Vec<f64> {
    let (columns, width) = (model.encoding().columns().len().max(1), wanted.width(model).max(1));
    let rows = codes.len() / columns;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let share = rows.div_ceil(cores).max(SHARE_LEAST);
    let mut said = vec![0.0; rows * width];
    thread::scope(|scope| {
        for (codes, places) in codes.chunks(share * columns).zip(said.chunks_mut(share * width)) {
            scope.spawn(move || {
                let mut features = vec![0.0; model.encoding().dimension()];
                for (codes, place) in codes.chunks_exact(columns).zip(places.chunks_exact_mut(width)) {
                    model.encoding().features(codes, &mut features);
                    wanted.say(model, &features, place);
                }
            });
        }
    });
    said
}

/// The rows of this range, which may be of several batches.
fn slices(batches: &[RecordBatch], block: Range<usize>) -> Vec<RecordBatch> {
    let (mut start, mut own) = (0, Vec::new());
    for batch in batches {
        let end = start + batch.num_rows();
        let (from, to) = (block.start.max(start), block.end.min(end));
        if from < to {
            own.push(batch.slice(from - start, to - from));
        }
        start = end;
    }
    own
}

fn numbers(model: &Model) -> Vec<Value> {
    let number = |it: pointillist_learn::ModelNumber| {
        let interval = it.interval.map(|(lower, upper)| [lower, upper]);
        json!({ "part": it.part, "feature": it.feature, "value": it.value, "interval": interval })
    };
    model.numbers().into_iter().map(number).collect()
}
