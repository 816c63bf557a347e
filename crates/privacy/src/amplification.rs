//! Privacy by not knowing whose data were used: sampling and shuffling make a loss smaller.
//!
//! * [`subsampled_upper`]: a release computed on a secret random sample of the units;
//! * [`shuffled_epsilon_upper`]: local reports whose senders a shuffler hides, and
//!   [`shuffled_response_epsilon_upper`] where they are randomized responses.
//!
//! Both hold only while the randomness stays secret: whoever learns who was sampled, or who sent which
//! report, sees the loss before amplification.

mod sampling_rate;
mod shuffling;
mod subsampling;

pub use sampling_rate::SamplingRate;
pub use shuffling::{
    shuffled_delta_upper, shuffled_epsilon_upper, shuffled_response_delta_upper,
    shuffled_response_epsilon_upper,
};
pub use subsampling::{subsampled_epsilon_lower, subsampled_epsilon_upper, subsampled_upper};
