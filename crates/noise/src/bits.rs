//! Where random bits come from, as a capability.

/// A source of independent, uniformly random 64-bit words.
///
/// Any `FnMut() -> u64` is one, which is how tests bring scripted and seeded words. Samplers and mechanisms take any
/// source; whoever answers strangers must ask for [`SecureBits`], which no test has.
pub trait BitSource {
    /// The next 64 bits.
    fn word(&mut self) -> u64;

    /// The next `count` bits, at most 128, as the low bits of the result.
    #[inline]
    fn take(&mut self, count: u32) -> u128 {
        debug_assert!(count <= 128);
        match count {
            0 => 0,
            1..=64 => u128::from(self.word() >> (64 - count)),
            _ => (u128::from(self.word() >> (128 - count)) << 64) | u128::from(self.word()),
        }
    }

    /// A fair coin.
    #[inline]
    fn coin(&mut self) -> bool {
        self.word() >> 63 == 1
    }
}

impl<F: FnMut() -> u64 + ?Sized> BitSource for F {
    #[inline]
    fn word(&mut self) -> u64 {
        self()
    }
}

/// A bit source that nobody can predict, repeat or choose. Sealed: only the operating system's generator is one.
pub trait SecureBits: BitSource + sealed::Sealed {}

pub(crate) mod sealed {
    pub trait Sealed {}
}
