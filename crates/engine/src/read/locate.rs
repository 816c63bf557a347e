//! From the word in the catalog to files: one file, the files of a folder, or those that match a pattern.
//!
//! **Guarantee.** Every file found is a regular file of a format known by its name, all of one format, in the order
//! of their paths. A link that the owner wrote down is followed once, to the file or folder that it stands for. Links
//! are not followed where files are searched for: what a folder or a pattern finds lies where it seems to lie. Names that begin with `.` or `_`, by which writers mark what is not data, are passed over, and
//! so is what a folder holds besides data files.

use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};

use super::SourceError;
use super::contents::Format;
use super::memory_rows::MEMORY;

/// The files of a source, relative to the catalog's folder.
pub(super) fn locate(folder: &Path, source: &str) -> Result<Vec<(PathBuf, Format)>, SourceError> {
    if source.contains("://") {
        return Err(SourceError::Address { source_text: source.to_string() });
    }
    if source.starts_with(MEMORY) {
        // Never a file, even if there is one of that name: it would be a second way to rows that somebody else pays for.
        let what = "they are in the memory of another program".to_owned();
        return Err(SourceError::Memory { name: source.to_string(), what });
    }
    let path = folder.join(source);
    // A name that is there is that name, even if it looks like a pattern.
    let files = match fs::symlink_metadata(&path) {
        Ok(metadata) if metadata.is_dir() => inside(&path)?,
        // A link that the owner wrote down to a folder is as good as the folder.
        Ok(metadata) if metadata.is_symlink() && path.is_dir() => inside(&path)?,
        Ok(_) => return Ok(vec![named(&path)?]),
        Err(_) if source.contains(['*', '?', '[']) => matching(folder, source)?,
        Err(error) => return Err(SourceError::unreadable(&path, error)),
    };
    one_format(files)
}

/// The paths of a source's files, relative to the catalog's folder, in order. No file is opened.
pub fn source_files(folder: &Path, source: &str) -> Result<Vec<PathBuf>, SourceError> {
    Ok(locate(folder, source)?.into_iter().map(|(path, _)| path).collect())
}

/// The file that the owner named, perhaps by a link; its format is known by that name, or else by the file's own.
pub(super) fn named(path: &Path) -> Result<(PathBuf, Format), SourceError> {
    let unreadable = |error| SourceError::unreadable(path, error);
    let is_link = fs::symlink_metadata(path).map_err(unreadable)?.is_symlink();
    let file = if is_link { fs::canonicalize(path).map_err(unreadable)? } else { path.to_owned() };
    regular(path, fs::symlink_metadata(&file).map_err(unreadable)?.file_type())?;
    let format = Format::of(path).or_else(|| Format::of(&file));
    let format = format.ok_or_else(|| SourceError::UnknownFormat { path: path.to_owned() })?;
    Ok((file, format))
}

/// Refuses everything but a regular file.
pub(super) fn regular(path: &Path, kind: FileType) -> Result<(), SourceError> {
    let what = if kind.is_file() {
        return Ok(());
    } else if kind.is_symlink() {
        "a symbolic link"
    } else if kind.is_dir() {
        "a folder"
    } else {
        "not a file (a device, a pipe or a socket)"
    };
    Err(SourceError::NotRegular { path: path.to_path_buf(), what })
}

fn inside(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let unreadable = |error| SourceError::unreadable(folder, error);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
        if !hidden(&path) && !kind.is_dir() && Format::of(&path).is_some() {
            regular(&path, kind)?;
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(SourceError::EmptyFolder { path: folder.to_path_buf() });
    }
    Ok(files)
}

fn matching(folder: &Path, source: &str) -> Result<Vec<PathBuf>, SourceError> {
    let pattern_error =
        |reason: &str| SourceError::Pattern { pattern: source.to_string(), reason: reason.to_string() };
    let base =
        folder.to_str().ok_or_else(|| pattern_error("the catalog's folder has a name that is not UTF-8"))?;
    let whole = match Path::new(source).is_absolute() || base.is_empty() {
        true => source.to_string(),
        false => format!("{}/{source}", Pattern::escape(base)),
    };
    let options = MatchOptions {
        case_sensitive: true,
        require_literal_separator: true,
        require_literal_leading_dot: true,
    };
    let mut files = Vec::new();
    for path in glob::glob_with(&whole, options).map_err(|error| pattern_error(error.msg))? {
        let path = path.map_err(|error| {
            let path = error.path().to_path_buf();
            SourceError::unreadable(&path, error.into())
        })?;
        let kind =
            fs::symlink_metadata(&path).map_err(|error| SourceError::unreadable(&path, error))?.file_type();
        if hidden(&path) || kind.is_dir() {
            continue;
        }
        regular(&path, kind)?;
        let literal = folder.join(literal_prefix(source));
        for ancestor in path.ancestors().skip(1).take_while(|ancestor| *ancestor != literal) {
            if ancestor.is_symlink() {
                return Err(SourceError::NotRegular {
                    path: ancestor.to_path_buf(),
                    what: "a symbolic link",
                });
            }
        }
        files.push(path);
    }
    if files.is_empty() {
        return Err(SourceError::NoMatch { pattern: source.to_string() });
    }
    Ok(files)
}

/// The folders of a pattern before its first sign.
fn literal_prefix(source: &str) -> PathBuf {
    let signs = |part: &std::path::Component| part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    Path::new(source).components().take_while(|part| !signs(part)).collect()
}

fn hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(['.', '_']))
}

fn one_format(mut files: Vec<PathBuf>) -> Result<Vec<(PathBuf, Format)>, SourceError> {
    files.sort_unstable();
    let known = |path: PathBuf| match Format::of(&path) {
        Some(format) => Ok((path, format)),
        None => Err(SourceError::UnknownFormat { path }),
    };
    let files = files.into_iter().map(known).collect::<Result<Vec<_>, _>>()?;
    for pair in files.windows(2) {
        if pair[0].1 != pair[1].1 {
            return Err(SourceError::MixedFormats { first: pair[0].0.clone(), second: pair[1].0.clone() });
        }
    }
    Ok(files)
}
