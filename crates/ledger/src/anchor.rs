//! The memory outside of the ledger: how far it had come, so that a restored backup is noticed.
//!
//! **Guarantee.** After every batch of records and before any reply, the head of the chain and what was spent
//! are written to a place of the owner's choice. A ledger that does not contain that head does not start. The
//! anchor also names the writer: one that finds another name in it stops. Servers that share a store find one another's
//! names in it, and stop where it names a record that the store does not hold (`ledger/turn.rs`).
//! **Not covered.** An anchor that is copied, restored or lost together with the ledger protects nothing: keep it
//! on another disk. Two writers on two machines are told apart by the name alone, which leaves the time between
//! a look at the anchor and the next write of it; on one machine locks exclude it.

mod postgres;

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use pointillist_privacy::{Amount, Currency};

use crate::Digest;
use crate::digest::bytes_from_hex;
use crate::permission;
use crate::record::{Account, Epoch, Spent};
use crate::store::sync_directory;

pub use postgres::PostgresWitness;

const TITLE: &str = "pointillist anchor 1";

/// What the ledger was known to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// The number of the last record.
    pub seq: u64,
    /// Its hash.
    pub head: Digest,
    /// Who wrote it.
    pub epoch: Epoch,
    /// What every account had spent.
    pub spent: Vec<Spent>,
}

/// Where an [`Anchor`] is kept: a file on another disk, or a witness elsewhere.
pub trait Witness: Send {
    /// What was written last; nothing if nothing ever was.
    fn read(&mut self) -> io::Result<Option<Anchor>>;

    /// Replaces it, wholly or not at all, and returns once it survives a loss of power.
    fn write(&mut self, anchor: &Anchor) -> io::Result<()>;

    /// Replaces the one that was found, and no other: where another is there by now, nothing is written and that is an
    /// error. A place that can compare and write in one step does so; one that cannot relies on the turn of the store.
    fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
        if self.read()?.as_ref() != found {
            return Err(io::Error::other("the anchor has changed: another writer has taken over"));
        }
        self.write(anchor)
    }
}

/// An anchor in a small text file with a checksum.
pub struct AnchorFile {
    path: PathBuf,
}

impl AnchorFile {
    /// The file need not exist yet; its directory must.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }
}

impl Witness for AnchorFile {
    fn read(&mut self) -> io::Result<Option<Anchor>> {
        match fs::read_to_string(&self.path) {
            Ok(text) => Anchor::parse(&text).map(Some).ok_or_else(|| {
                io::Error::new(io::ErrorKind::InvalidData, "its contents do not match its checksum")
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn write(&mut self, anchor: &Anchor) -> io::Result<()> {
        let draft = permission::with_ending(&self.path, ".new");
        let mut file = permission::open_file(&draft)?;
        file.set_len(0)?;
        file.write_all(anchor.to_text().as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, &self.path)?;
        sync_directory(self.path.parent().unwrap_or(Path::new(".")))
    }
}

impl Anchor {
    /// Lines for people to read. Names hold no control characters, so a tab ends them.
    fn to_text(&self) -> String {
        let Self { seq, head, epoch, spent } = self;
        let mut text = format!("{TITLE}\nseq {seq}\nhead {head}\nepoch {epoch}\n");
        for Spent { account: Account { scope, analyst }, currency, amount } in spent {
            let Amount { loss_units, delta_units } = amount;
            let _ = write!(text, "spent\t{}\t{loss_units}\t{delta_units}\t{scope}", word(*currency));
            if let Some(analyst) = analyst {
                let _ = write!(text, "\t{analyst}");
            }
            text.push('\n');
        }
        let checksum = checksum(&text);
        text + &format!("checksum {checksum}\n")
    }

    fn parse(text: &str) -> Option<Self> {
        let (body, _) = text.split_at_checked(text.rfind("checksum ")?)?;
        if text != format!("{body}checksum {}\n", checksum(body)) {
            return None;
        }
        let mut lines = body.lines();
        (lines.next()? == TITLE).then_some(())?;
        Some(Self {
            seq: lines.next()?.strip_prefix("seq ")?.parse().ok()?,
            head: Digest::from_hex(lines.next()?.strip_prefix("head ")?)?,
            epoch: Epoch(bytes_from_hex(lines.next()?.strip_prefix("epoch ")?)?),
            spent: lines.map(parse_spent).collect::<Option<_>>()?,
        })
    }
}

fn parse_spent(line: &str) -> Option<Spent> {
    let mut fields = line.strip_prefix("spent\t")?.split('\t');
    let currency =
        [Currency::Zcdp, Currency::Pure].into_iter().find(|c| Some(word(*c)) == fields.clone().next());
    fields.next();
    let amount =
        Amount { loss_units: fields.next()?.parse().ok()?, delta_units: fields.next()?.parse().ok()? };
    let account = Account { scope: fields.next()?.to_owned(), analyst: fields.next().map(str::to_owned) };
    fields.next().is_none().then_some(Spent { account, currency: currency?, amount })
}

fn word(currency: Currency) -> &'static str {
    match currency {
        Currency::Zcdp => "zcdp",
        Currency::Pure => "pure",
    }
}

fn checksum(body: &str) -> Digest {
    Digest::of("pointillist anchor", &[body.as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchor() -> Anchor {
        let line = |analyst: Option<&str>, currency| Spent {
            account: Account { scope: "all people".into(), analyst: analyst.map(Into::into) },
            currency,
            amount: Amount { loss_units: u128::MAX, delta_units: 3 },
        };
        let spent = vec![line(None, Currency::Zcdp), line(Some("ada \"l\""), Currency::Pure)];
        Anchor { seq: 7, head: Digest([1; 32]), epoch: Epoch([2; 16]), spent }
    }

    #[test]
    fn an_anchor_reads_back_from_its_file() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = AnchorFile::new(directory.path().join("anchor"));
        assert_eq!(file.read().unwrap(), None);
        for anchor in [anchor(), Anchor { seq: 8, spent: vec![], ..anchor() }] {
            file.write(&anchor).unwrap();
            assert_eq!(file.read().unwrap(), Some(anchor));
        }
    }

    /// Specification: a torn or altered anchor is never taken for an older one.
    #[test]
    fn every_prefix_and_every_flipped_bit_is_noticed() {
        let text = anchor().to_text();
        assert_eq!(Anchor::parse(&text), Some(anchor()));
        for length in 0..text.len() {
            assert_eq!(Anchor::parse(&text[..length]), None);
        }
        for bit in 0..8 * text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let flipped = String::from_utf8(bytes);
            assert_eq!(flipped.ok().as_deref().and_then(Anchor::parse), None);
        }
    }
}
