//! Where the access file of a catalog is, and the people of the made-up hospital.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pointillist_access::{Access, AccessError, Password, Role, TokenTerms};

/// Somebody of the made-up hospital, with what lets them in.
#[derive(Clone)]
pub struct DemoPerson {
    /// The name.
    pub name: &'static str,
    /// For the Postgres wire.
    pub password: Password,
    /// For HTTP.
    pub token: String,
}

/// The access file of the catalog in this folder; a new one, which lets nobody in, where there is none.
///
/// # Errors
/// When it cannot be made.
pub fn access_file(folder: &Path) -> Result<PathBuf, AccessError> {
    let home = folder.join(".pointillist");
    let path = home.join("access.toml");
    if !path.exists() {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(&home);
        made.map_err(|source| AccessError::Io { path: home, source })?;
        Access::edit(&path, |_| Ok(()))?;
    }
    Ok(path)
}

/// Lets two analysts and the owner of the made-up hospital in, with passwords and tokens that are new each time.
///
/// # Errors
/// When the file cannot be written.
pub fn let_demo_in(folder: &Path) -> Result<Vec<DemoPerson>, AccessError> {
    Access::edit(&access_file(folder)?, |access| {
        let mut people = Vec::new();
        for (name, role) in [("ana", Role::Analyst), ("ben", Role::Analyst), ("owner", Role::Owner)] {
            if access.person(name).is_some() {
                access.remove(name)?;
            }
            let password = Password::made()?;
            access.add(name, role, Some(&password))?;
            let token = access.create_token(name, TokenTerms::default(), SystemTime::now())?.text;
            people.push(DemoPerson { name, password, token });
        }
        Ok(people)
    })
}
