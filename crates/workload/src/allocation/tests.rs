use super::*;
use crate::Attribute;

fn rho(text: &str) -> Spend {
    Spend::Concentrated(Rho::parse(text).unwrap())
}

fn pair() -> Cube {
    Cube::new(vec![Attribute::categories(3).unwrap(), Attribute::categories(4).unwrap()])
}

fn wanted(depths: &[usize], goal: Goal) -> Wanted {
    Wanted { depths: depths.to_vec(), goal, ranges: false }
}

fn total(spends: &[(What, Spend)]) -> Rational {
    spends.iter().fold(Rational::zero(), |sum, (_, spend)| match spend {
        Spend::Pure(epsilon) => sum + epsilon.value().clone(),
        Spend::Concentrated(rho) => sum + rho.value().clone(),
    })
}

#[test]
fn prices_add_up_to_the_budget_exactly() {
    let cube = pair();
    let tables = [wanted(&[1, 1], Goal::Weight(1.0)), wanted(&[1, 0], Goal::Weight(3.0))];
    for spend in [rho("1/3"), Spend::Pure(Epsilon::parse("1/7").unwrap())] {
        let exact = match &spend {
            Spend::Pure(epsilon) => epsilon.value().clone(),
            Spend::Concentrated(rho) => rho.value().clone(),
        };
        let parts = allocate(&cube, &tables, &Moved::one_row(&cube), &Budget::Given(spend)).unwrap();
        assert_eq!((parts.len(), total(&parts)), (4, exact));
    }
}
