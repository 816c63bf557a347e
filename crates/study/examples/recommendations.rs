//! Recommendations by hand: learn from made-up ratings at a price, then predict for one person from their own ratings.
//!
//! ```text
//! cargo run --release -p pointillist-study --example recommendations
//! ```
//!
//! A study in a folder, with its ledger and its report, is `pointillist study recommendations`; this is what happens inside.

use std::error::Error;

use pointillist_noise::with_system_bits;
use pointillist_privacy::conversion::zcdp_rho_lower;
use pointillist_privacy::{Delta, Epsilon};
use pointillist_study::recommendations::{Evaluation, Learner, MadeUp, Method, Neighbours, Settings, Unit};

fn main() -> Result<(), Box<dyn Error>> {
    // 20,000 people who do not exist, and 2,000 items. A fifth of the ratings is held back.
    let population = MadeUp::new(20_000);
    let catalogue = population.catalogue();
    let (kept, held) = population.ratings().split(0);

    // All ratings of a person are the secret; the settings are fixed before anything is read.
    let rho = zcdp_rho_lower(&Epsilon::parse("2")?, &Delta::parse("1e-6")?)?;
    let learner = Learner::new(&catalogue, Settings::dense(Unit::Person, 2.0))?;
    let released = with_system_bits(|bits| learner.release(&kept, &rho, bits))??;
    println!(
        "{} numbers about items were released with noise, and those of some pairs of items",
        released.items.len()
    );

    // From here on only released numbers count, and for each person their own ratings.
    let model = learner.model(&released);
    let own = kept.of(7);
    let predictor = model.predictor(own, Method::Factors);
    let neighbours = Neighbours::new(&model, own);
    for item in 0..5 {
        println!(
            "item {item}: mean {:.1}, for this person {:.1} (nearest neighbours: {:.1})",
            model.mean() + model.effect(item),
            predictor.predict(item),
            neighbours.predict(item),
        );
    }

    // How good that is, on ratings that nobody learnt from: for the owner alone, as it is exact.
    let evaluation = Evaluation::new(&kept, &held, catalogue.len());
    for method in [Method::GlobalMean, Method::ItemMean, Method::PersonAndItem, Method::Factors] {
        println!("{:16} error {:.3}", method.name(), evaluation.scores(&model, method).top_500);
    }
    Ok(())
}
