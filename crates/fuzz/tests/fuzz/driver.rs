//! Real inputs, mutated, until the count or the clock says stop.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use pointillist_testkit::seeded;

/// No input may be longer than this after mutation.
const LENGTH_MAX: usize = 1 << 16;
/// One input that takes longer than this is a way to stop a service.
const SLOWEST: Duration = Duration::from_secs(5);

/// Something that reads bytes from outside.
pub struct Target<'t> {
    /// What it is called in `cargo xtask fuzz NAME`.
    pub name: &'t str,
    /// Real inputs to start from.
    pub seeds: Vec<Vec<u8>>,
    /// Words of its language.
    pub words: &'t [&'t str],
    /// Inputs in an ordinary test run.
    pub inputs: u64,
    /// Reads one input, and panics where a property does not hold.
    pub read: &'t dyn Fn(&[u8]),
}

/// Feeds a target: what was found before, the seeds, then mutations, in a fixed order. `POINTILLIST_FUZZ_SECONDS` asks for
/// time instead of a count, and then begins elsewhere each time; the seed is printed.
pub fn fuzz(target: &Target<'_>) {
    let seconds: Option<u64> =
        std::env::var("POINTILLIST_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let seed = seconds.map_or(1, |_| u64::from(std::process::id()));
    let began = Instant::now();
    let is_over = |done: u64| match seconds {
        Some(seconds) => began.elapsed() >= Duration::from_secs(seconds),
        None => done >= target.inputs,
    };
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found").join(target.name);
    let mut known: Vec<Vec<u8>> = fs::read_dir(found)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| fs::read(entry.path()).ok())
        .collect();
    known.extend(target.seeds.iter().cloned());
    for input in &known {
        try_input(target, input, seed);
    }
    let mut mutation = Mutation { word: Box::new(seeded(seed)), words: target.words };
    let mut done = 0;
    while !is_over(done) {
        let input = mutation.of(&known);
        try_input(target, &input, seed);
        done += 1;
    }
    println!("{}: {done} inputs in {:.1} s, seed {seed}", target.name, began.elapsed().as_secs_f64());
}

fn try_input(target: &Target<'_>, input: &[u8], seed: u64) {
    let began = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.read)(input)));
    let taken = began.elapsed();
    if outcome.is_err() || taken > SLOWEST {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../fuzz");
        let file = folder.join(format!("{}-{seed}-{}", target.name, input.len()));
        let kept = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, input));
        panic!(
            "{}: an input of {} bytes {} ({}: {kept:?})",
            target.name,
            input.len(),
            match outcome {
                Ok(()) => format!("took {taken:?}"),
                Err(_) => "breaks a property".to_owned(),
            },
            file.display()
        );
    }
}

struct Mutation<'t> {
    word: Box<dyn FnMut() -> u64>,
    words: &'t [&'t str],
}

impl Mutation<'_> {
    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        ((self.word)() % n.max(1) as u64) as usize
    }

    /// One of the inputs, changed in one to eight places.
    fn of(&mut self, inputs: &[Vec<u8>]) -> Vec<u8> {
        let choice = self.below(inputs.len());
        let mut bytes = inputs.get(choice).cloned().unwrap_or_default();
        for _ in 0..=self.below(8) {
            self.change(&mut bytes, inputs);
        }
        bytes.truncate(LENGTH_MAX);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, inputs: &[Vec<u8>]) {
        let at = self.below(bytes.len() + 1);
        let length = self.below(bytes.len() - at + 1).min(1 + self.below(64));
        match self.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => {
                bytes[at] = [0, 0xff, b'"', b'\'', b'\n', b'\r', b',', b'\\', 0x80][self.below(9)]
            }
            2 => drop(bytes.drain(at..at + length)),
            3 => {
                let copy = bytes[at..at + length].to_vec();
                bytes.splice(at..at, copy);
            }
            4 | 5 if !self.words.is_empty() => {
                let word = self.words[self.below(self.words.len())].as_bytes().to_vec();
                bytes.splice(at..at, word);
            }
            6 => {
                let other = &inputs[self.below(inputs.len())];
                let from = self.below(other.len() + 1);
                let part = other[from..other.len().min(from + 1 + self.below(200))].to_vec();
                bytes.splice(at..at + length, part);
            }
            7 => bytes.truncate(at),
            _ => {
                let repeated = bytes[at..at + length].repeat(1 + self.below(20));
                bytes.splice(at..at + length, repeated);
            }
        }
    }
}

/// Specification: a target that breaks is noticed, and so is one that is slow to read nothing.
#[test]
fn a_broken_reader_is_noticed() {
    let read = |bytes: &[u8]| assert!(!bytes.windows(2).any(|pair| pair == b"xx"));
    let target =
        Target { name: "planted", seeds: vec![b"axb".to_vec()], words: &["x"], inputs: 5_000, read: &read };
    let noticed = catch_unwind(AssertUnwindSafe(|| fuzz(&target)));
    assert!(noticed.is_err() || std::env::var_os("POINTILLIST_FUZZ_SECONDS").is_some());
}
