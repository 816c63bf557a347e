//! One currency of privacy loss in another: what a guarantee of one kind says in the words of a second
//! kind.
//!
//! Every conversion here is an inequality: the result follows from the premise and may be larger than it
//! has to be. Conversions lose a little each time, so add up first, in the currency in which the losses
//! were proven, and convert once at the end.
//!
//! | from | to | by |
//! |---|---|---|
//! | pure ε | ρ | [`crate::Rho::from_pure`] (`ε²/2`), [`pure_rho_upper`] (the smallest: `ε·tanh(ε/2)`) |
//! | η-bounded range | ρ | [`crate::Rho::from_bounded_range`] (`η²/8`) |
//! | Gaussian noise | ρ | [`gaussian_rho_upper`] (`Δ²/(2σ²)`) |
//! | Gaussian noise | δ(ε), ε(δ) | [`GaussianDp`], which loses nothing |
//! | ρ | ε at δ, δ at ε | [`zcdp_epsilon_upper`], [`zcdp_delta_upper`] |
//! | (ρ, δ) | (ε, δ) | [`approximate_zcdp_epsilon_upper`] |
//! | (ε, δ) | the ρ to spend | [`zcdp_rho_lower`] |
//! | a [`crate::Loss`] | ε at δ | [`crate::Loss::epsilon_upper`], the best of everything proven |
//! | any of them | Rényi divergences, and back | [`RenyiCurve`] |
//!
//! **Exactness.** Where a bound has a free parameter, such as the order of a Rényi divergence, a good value
//! is found with floats and the bound is then evaluated at exactly that value with certified enclosures:
//! every value of the parameter gives a true bound, so the search cannot make a claim false, only loose.
//! Results are rounded up (a ρ to spend: down). An ε below `2^-64` is reported as `2^-64`, a positive δ
//! below `1e-60` as `1e-60`, the smallest values that [`crate::Epsilon`] and [`crate::Delta`] hold.

pub(crate) mod at_order;
pub(crate) mod claim;
mod gaussian;
mod gaussian_dp;
pub(crate) mod least_epsilon;
mod loss;
mod order;
mod pure;
mod renyi;
mod renyi_laws;
mod zero_concentrated;

pub use at_order::AtOrder;
pub use gaussian::gaussian_rho_upper;
pub use gaussian_dp::GaussianDp;
pub use order::Order;
pub use pure::pure_rho_upper;
pub use renyi::RenyiCurve;
pub use zero_concentrated::{
    approximate_zcdp_epsilon_upper, zcdp_delta_classical_upper, zcdp_delta_upper,
    zcdp_epsilon_classical_upper, zcdp_epsilon_upper, zcdp_rho_lower,
};
