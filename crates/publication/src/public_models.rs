//! Models beside a catalog, which SQL may name: `evaluate('income', ...)`, `predict('income')`.
//!
//! **Guarantee.** What lies in the folder of models is public, because the owner has put it there, as a table that is declared public
//! is. A file that is no model, or was changed after somebody signed it, is left out, and told. Models are read each time a door
//! opens a home; who asks can neither add one nor change one.
//! **Why any model.** What a model says of a row is a function of that row, whatever its numbers are: asking about a hostile model is
//! as safe as asking about a hostile condition, and is charged alike.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pointillist_curator::Home;
use pointillist_render::text::shown;

use crate::model_file::{ModelFile, ModelFileError};

/// Where models lie.
const FOLDER: &str = "models";
const ENDING: &str = "json";
/// A larger file is no model of ours.
const BYTES_MAX: u64 = 1 << 28;
/// The longest name.
const NAME_MAX: usize = 63;

/// The home with the models in its folder, and in words what was left out.
pub(crate) fn with_models(mut home: Home) -> (Home, Vec<String>) {
    let mut warnings = Vec::new();
    for path in files(&home.folder.join(FOLDER)) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match model(&path, &name) {
            Ok(model) => drop(home.catalog.models.insert(name, Arc::new(model))),
            Err(why) => warnings.push(format!("the model in {FOLDER}/{} is left out: {why}", shown(&name))),
        }
    }
    (home, warnings)
}

fn model(path: &Path, name: &str) -> Result<pointillist_learn::Model, String> {
    if !is_name(name) {
        return Err(name_rule());
    }
    if fs::metadata(path).is_ok_and(|file| file.len() > BYTES_MAX) {
        return Err("it is too large to be a model".to_owned());
    }
    ModelFile::read(path).map(|file| file.model().clone()).map_err(|error| error.to_string())
}

/// The files that may hold a model, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == ENDING) && path.is_file())
        .collect();
    files.sort_unstable();
    files
}

fn is_name(name: &str) -> bool {
    let plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '_';
    name.starts_with(|sign: char| sign.is_ascii_lowercase())
        && name.len() <= NAME_MAX
        && name.chars().all(plain)
}

fn name_rule() -> String {
    format!(
        "a model's name has small letters, digits and underscores, begins with a letter and has at most {NAME_MAX} signs"
    )
}

impl ModelFile {
    /// Makes this model one that SQL may name: a copy in the folder of models beside the catalog. Over another model of the
    /// name it is written only where `replace` says so.
    ///
    /// # Errors
    /// When it is no name, there is another model of this name, or nothing can be written there.
    pub fn publish(&self, home: &Home, name: &str, replace: bool) -> Result<PathBuf, ModelFileError> {
        if !is_name(name) {
            return Err(ModelFileError::Name { name: name.to_owned(), rule: name_rule() });
        }
        let folder = home.folder.join(FOLDER);
        let path = folder.join(format!("{name}.{ENDING}"));
        if path.exists()
            && !replace
            && ModelFile::read(&path).ok().is_none_or(|there| there.model() != self.model())
        {
            return Err(ModelFileError::Taken { name: name.to_owned() });
        }
        fs::create_dir_all(&folder)
            .map_err(|source| ModelFileError::Unwritable { path: folder.clone(), source })?;
        self.write(&path)?;
        Ok(path)
    }
}
