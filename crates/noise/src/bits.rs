//! Where random bits come from, as a capability.
//!
//! Two traits. Samplers of this crate draw from any [`BitSource`]; whatever publishes something about people asks for
//! [`SecureBits`], which in production one type alone has: [`SystemBits`](crate::SystemBits). So a program that calls
//! `mechanism.release(count, &mut || 7)` does not compile.
//!
//! **Scripted bits.** Tests need words they chose: a seed, a script. The feature `scripted-bits` makes every
//! `FnMut() -> u64` a source, a secure one too. It belongs to the test kit, which is a dependency of tests alone, and a
//! check of the project refuses it elsewhere. So no program that ships has it, the `pointillist` command neither; `cargo
//! xtask test` compiles one that tries to pass a closure. What answers strangers, the curator, names the type
//! [`SystemBits`](crate::SystemBits) and not the trait, so that no feature reaches it even in tests. Audits that plant a
//! broken generator draw from samplers, and add what they drew by hand.

/// A source of independent, uniformly random 64-bit words.
///
/// The samplers of this crate take any source; whoever publishes asks for [`SecureBits`].
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

/// A bit source that nobody can predict, repeat or choose. Sealed: only the operating system's generator is one, and in
/// builds with `scripted-bits`, for tests, every closure.
pub trait SecureBits: BitSource + sealed::Sealed {}

pub(crate) mod sealed {
    pub trait Sealed {}
}

#[cfg(feature = "scripted-bits")]
mod scripted {
    use super::{BitSource, SecureBits, sealed};

    impl<F: FnMut() -> u64 + ?Sized> BitSource for F {
        #[inline]
        fn word(&mut self) -> u64 {
            self()
        }
    }

    impl<F: FnMut() -> u64 + ?Sized> sealed::Sealed for F {}
    impl<F: FnMut() -> u64 + ?Sized> SecureBits for F {}
}
