//! A folder of files that is there as a whole or not at all.
//!
//! **Guarantee.** Nothing that was there before is changed: the folder must be missing or empty. Files are written into a
//! folder beside it, made durable, and moved to their place in one step; a crash leaves no half of a release where
//! somebody would take it for one. The draft is made before anything is paid for, so that a folder that cannot be written
//! costs nothing.

use std::fs::{self, File, FileTimes};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pointillist_catalog::calendar;

use super::{FileBytes, FilesError};

/// A folder under way to its place. Dropped before it is there, it leaves nothing behind.
#[derive(Debug)]
pub struct Draft {
    place: PathBuf,
    draft: PathBuf,
    is_moved: bool,
}

impl Draft {
    /// A folder that can be written, and whose place is free.
    pub fn open(place: &Path) -> Result<Self, FilesError> {
        is_free(place)?;
        let name = place.file_name().ok_or_else(|| FilesError::NoFolder { folder: place.to_owned() })?;
        // The process stands in the name so that two at once do not write into one draft; it is gone with the draft.
        let name = format!(".{}.draft-{}", name.to_string_lossy(), std::process::id());
        let draft = place.with_file_name(name);
        if let Some(above) = place.parent().filter(|above| !above.as_os_str().is_empty()) {
            fs::create_dir_all(above).map_err(|source| unwritable(above, source))?;
        }
        fs::create_dir(&draft).map_err(|source| unwritable(place, source))?;
        Ok(Self { place: place.to_owned(), draft, is_moved: false })
    }

    /// Writes the files and moves the folder to its place. All files are dated to the day of the release, so that copies
    /// and archives of two writings are the same.
    pub fn finish(mut self, files: &[FileBytes], day: &str) -> Result<(), FilesError> {
        let dated = dated(day);
        for file in files {
            let path = self.draft.join(&file.name);
            write(&path, &file.bytes, dated)
                .map_err(|source| unwritable(&self.place.join(&file.name), source))?;
        }
        is_free(&self.place)?;
        let moved = sync(&self.draft).and_then(|()| fs::rename(&self.draft, &self.place));
        moved.map_err(|source| unwritable(&self.place, source))?;
        self.is_moved = true;
        // The move is done; that its folder could not be made durable too is nothing that the caller can mend.
        let _ =
            sync(self.place.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new(".")));
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_moved {
            let _ = fs::remove_dir_all(&self.draft);
        }
    }
}

fn is_free(place: &Path) -> Result<(), FilesError> {
    match fs::symlink_metadata(place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(unwritable(place, source)),
        Ok(found) if !found.is_dir() => Err(FilesError::NoFolder { folder: place.to_owned() }),
        Ok(_) => match fs::read_dir(place).map_err(|source| unwritable(place, source))?.next() {
            None => Ok(()),
            Some(_) => Err(FilesError::NotEmpty { folder: place.to_owned() }),
        },
    }
}

fn write(path: &Path, bytes: &[u8], dated: Option<SystemTime>) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    if let Some(time) = dated {
        file.set_times(FileTimes::new().set_modified(time).set_accessed(time))?;
    }
    file.sync_all()
}

fn dated(day: &str) -> Option<SystemTime> {
    let days = u64::try_from(calendar::parse_date(day)?).ok()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(days * 86_400))
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn unwritable(path: &Path, source: io::Error) -> FilesError {
    FilesError::Unwritable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pointillist_errors::Explained;

    fn files() -> Vec<FileBytes> {
        vec![FileBytes::new("a.csv", "1"), FileBytes::new("b.csv", "2")]
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_is_there_as_a_whole_and_dated_to_its_day() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("new/release");
        Draft::open(&place).unwrap().finish(&files(), "2026-12-01").unwrap();
        assert_eq!(names(&place), ["a.csv", "b.csv"]);
        assert_eq!(names(&home.path().join("new")), ["release"]);
        let modified = fs::metadata(place.join("a.csv")).unwrap().modified().unwrap();
        assert_eq!(modified, dated("2026-12-01").unwrap());
        // An empty folder is as good as none.
        let empty = home.path().join("empty");
        fs::create_dir(&empty).unwrap();
        Draft::open(&empty).unwrap().finish(&files(), "someday").unwrap();
        assert_eq!(names(&empty), ["a.csv", "b.csv"]);
    }

    #[test]
    fn what_is_there_already_is_not_touched() {
        let home = tempfile::tempdir().unwrap();
        let place = home.path().join("release");
        fs::create_dir(&place).unwrap();
        fs::write(place.join("mine.txt"), "x").unwrap();
        let refused = Draft::open(&place).unwrap_err().explanation().text();
        assert!(refused.contains("is not empty\nhint: name a folder that does not exist yet"), "{refused}");
        let file = home.path().join("file");
        fs::write(&file, "x").unwrap();
        assert!(matches!(Draft::open(&file), Err(FilesError::NoFolder { .. })));
        // Somebody was faster than we are.
        let late = home.path().join("late");
        let draft = Draft::open(&late).unwrap();
        fs::create_dir(&late).unwrap();
        fs::write(late.join("theirs.txt"), "x").unwrap();
        assert!(draft.finish(&files(), "2026-12-01").is_err());
        assert_eq!(names(&late), ["theirs.txt"]);
        assert_eq!(names(home.path()), ["file", "late", "release"], "no draft stays behind");
    }

    #[test]
    fn a_draft_that_is_given_up_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        drop(Draft::open(&home.path().join("release")).unwrap());
        assert_eq!(names(home.path()), Vec::<String>::new());
    }
}
