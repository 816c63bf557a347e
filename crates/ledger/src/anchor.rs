//! The memory outside of the ledger: how far it had come, so that a restored backup is noticed.
//!
//! **Guarantee.** After every batch of records and before any reply, the head of the chain and what was spent
//! are written to a place of the owner's choice. A ledger that does not contain that head does not start. The
//! anchor also names the writer: one that finds another name in it stops. Servers that share a store find one another's
//! names in it, and stop where it names a record that the store does not hold (`ledger/turn.rs`).
//! **One step.** An anchor replaces the one that was found and no other ([`Witness::replace`]): of two writers that found the
//! same one, be they two copies of a folder or two databases of which both take writes, one goes on and the other stops.
//! **A ledger that moves** is named by its anchor: in which store it goes on. An older copy of the store that it left does not
//! open any more, whatever its owner accepts (`replay.rs`, `ledger/moving.rs`).
//! **Not covered.** An anchor that is copied, restored or lost together with the ledger protects nothing: keep it
//! on another disk. A file is compared and replaced under a lock of its own: storage that several machines share has to keep
//! locks between them, or two of them pass.

mod postgres;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use pointillist_privacy::{Amount, Currency};

use crate::Digest;
use crate::digest::{bytes_from_hex, hex};
use crate::permission;
use crate::record::{Account, Epoch, Spent, StoreId};
use crate::store::sync_directory;

pub use postgres::PostgresWitness;

/// Of a ledger that has never moved.
const TITLE: &str = "pointillist anchor 1";
/// With the store in which it goes on. A program that does not know of those refuses it.
const TITLE_OF_MOVED: &str = "pointillist anchor 2";

/// The ending of the file that is locked while a file of an anchor is compared and replaced.
pub(crate) const TURN: &str = ".turn";

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
    /// Where the ledger goes on, if it ever moved: records that have not arrived there are not this ledger.
    pub home: Option<LedgerHome>,
}

/// The store in which a ledger goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerHome {
    /// The store's own name.
    pub store: StoreId,
    /// What the anchor that was left and the one that is moved to have in common, and no other anchor.
    pub token: [u8; 16],
    /// What the owner calls the store.
    name: String,
}

impl LedgerHome {
    /// A store by this name.
    pub fn new(store: StoreId, token: [u8; 16], name: &str) -> Self {
        // Names are paths too, and a path may hold anything.
        let name = name.replace(char::is_control, "?");
        Self { store, token, name }
    }

    /// What the owner calls the store.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Where an [`Anchor`] is kept: a file on another disk, or a witness elsewhere.
pub trait Witness: Send {
    /// What was written last; nothing if nothing ever was.
    fn read(&mut self) -> io::Result<Option<Anchor>>;

    /// Replaces it, wholly or not at all, and returns once it survives a loss of power.
    fn write(&mut self, anchor: &Anchor) -> io::Result<()>;

    /// Replaces the one that was found, and no other: where another is there by now, nothing is written and that is an
    /// error. This compares and writes in two steps, which is enough for a witness that nobody else has; others do better.
    fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
        if self.read()?.as_ref() != found {
            return Err(changed());
        }
        self.write(anchor)
    }
}

fn changed() -> io::Error {
    io::Error::other("the anchor has changed: another writer has taken over")
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

    /// Nobody else compares or writes it while this is held. Not the lock of the one writer of a folder, which is held for as
    /// long as that lives.
    fn lock(&self) -> io::Result<File> {
        let file = permission::open_file(&permission::with_ending(&self.path, TURN))?;
        file.lock()?;
        Ok(file)
    }

    fn put(&self, anchor: &Anchor) -> io::Result<()> {
        let draft = permission::with_ending(&self.path, ".new");
        let mut file = permission::open_file(&draft)?;
        file.set_len(0)?;
        file.write_all(anchor.to_text().as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, &self.path)?;
        sync_directory(self.path.parent().unwrap_or(Path::new(".")))
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
        let _turn = self.lock()?;
        self.put(anchor)
    }

    fn replace(&mut self, found: Option<&Anchor>, anchor: &Anchor) -> io::Result<()> {
        let _turn = self.lock()?;
        if self.read()?.as_ref() != found {
            return Err(changed());
        }
        self.put(anchor)
    }
}

impl Anchor {
    /// Lines for people to read. Names hold no control characters, so a tab ends them.
    fn to_text(&self) -> String {
        let Self { seq, head, epoch, spent, home } = self;
        let title = if home.is_some() { TITLE_OF_MOVED } else { TITLE };
        let mut text = format!("{title}\nseq {seq}\nhead {head}\nepoch {epoch}\n");
        if let Some(LedgerHome { store, token, name }) = home {
            let _ = writeln!(text, "home\t{store}\t{}\t{name}", hex(token));
        }
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
        let title = lines.next()?;
        (title == TITLE || title == TITLE_OF_MOVED).then_some(())?;
        Some(Self {
            seq: lines.next()?.strip_prefix("seq ")?.parse().ok()?,
            head: Digest::from_hex(lines.next()?.strip_prefix("head ")?)?,
            epoch: Epoch(bytes_from_hex(lines.next()?.strip_prefix("epoch ")?)?),
            home: if title == TITLE_OF_MOVED { Some(parse_home(lines.next()?)?) } else { None },
            spent: lines.map(parse_spent).collect::<Option<_>>()?,
        })
    }
}

fn parse_home(line: &str) -> Option<LedgerHome> {
    let mut fields = line.strip_prefix("home\t")?.split('\t');
    let (store, token) = (bytes_from_hex(fields.next()?)?, bytes_from_hex(fields.next()?)?);
    let name = fields.next()?.to_owned();
    fields.next().is_none().then_some(LedgerHome { store: StoreId(store), token, name })
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
        Anchor { seq: 7, head: Digest([1; 32]), epoch: Epoch([2; 16]), spent, home: None }
    }

    fn moved() -> Anchor {
        let home = LedgerHome::new(StoreId([3; 16]), [4; 16], "postgres:main of\tthe\nhouse");
        Anchor { home: Some(home), ..anchor() }
    }

    #[test]
    fn an_anchor_reads_back_from_its_file() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = AnchorFile::new(directory.path().join("anchor"));
        assert_eq!(file.read().unwrap(), None);
        for anchor in [anchor(), Anchor { seq: 8, spent: vec![], ..anchor() }, moved()] {
            file.write(&anchor).unwrap();
            assert_eq!(file.read().unwrap(), Some(anchor));
        }
    }

    /// Specification: the words of an anchor are those that they always were; one that names a store has another title.
    #[test]
    fn an_anchor_of_a_ledger_that_never_moved_is_written_as_ever() {
        let text = |anchor: Anchor| anchor.to_text().lines().take(5).collect::<Vec<_>>().join("|");
        let (head, epoch) = ("01".repeat(32), "02".repeat(16));
        let start = format!("seq 7|head {head}|epoch {epoch}");
        let spent = format!("spent\tzcdp\t{}\t3\tall people", u128::MAX);
        assert_eq!(text(anchor()), format!("pointillist anchor 1|{start}|{spent}"));
        let home = format!("home\t{}\t{}\tpostgres:main of?the?house", "03".repeat(16), "04".repeat(16));
        assert_eq!(text(moved()), format!("pointillist anchor 2|{start}|{home}"));
    }

    /// Specification: of two writers that found the same anchor in a file one replaces it: who comes second compares when the
    /// first has written, and not before.
    #[test]
    fn a_file_is_replaced_by_one_of_those_who_found_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("anchor");
        let mut first = AnchorFile::new(&path);
        first.write(&anchor()).unwrap();
        let by = |writer: u8| Anchor { seq: 8, epoch: Epoch([writer; 16]), ..anchor() };
        // The first one has compared, and is about to write.
        let turn = first.lock().unwrap();
        let second = {
            let (path, ours) = (path.clone(), by(2));
            std::thread::spawn(move || AnchorFile::new(path).replace(Some(&anchor()), &ours))
        };
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(first.read().unwrap(), Some(anchor()), "nobody writes meanwhile");
        first.put(&by(1)).unwrap();
        drop(turn);
        assert!(second.join().unwrap().is_err());
        assert_eq!(first.read().unwrap(), Some(by(1)));
        first.replace(Some(&by(1)), &by(3)).unwrap();
        assert!(first.replace(Some(&by(1)), &by(4)).is_err());
    }

    /// Specification: a torn or altered anchor is never taken for an older one.
    #[test]
    fn every_prefix_and_every_flipped_bit_is_noticed() {
        for anchor in [anchor(), moved()] {
            let text = anchor.to_text();
            assert_eq!(Anchor::parse(&text), Some(anchor));
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
}
