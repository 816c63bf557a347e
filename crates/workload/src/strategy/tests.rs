use pointillist_privacy::Rho;

use super::*;

fn rho(text: &str) -> Budget {
    Budget::Given(Spend::Concentrated(Rho::parse(text).unwrap()))
}

fn wanted(depths: &[usize], ranges: bool) -> Wanted {
    Wanted { depths: depths.to_vec(), goal: Goal::Weight(1.0), ranges }
}

#[test]
fn a_single_histogram_of_cells_is_measured_as_it_is() {
    let moved = Moved { bounded_at: vec![1], groups: 1, each: 1 };
    for axis in [Axis::Categories(12), Axis::Ordered(12)] {
        let choice = choose(&[axis], &[wanted(&[1], false)], &moved, &rho("0.5")).unwrap();
        assert_eq!(choice.chosen().name, "flat");
        assert!((choice.chosen().expected[0] - 1.0).abs() < 0.01);
    }
}
