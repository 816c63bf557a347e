//! Rényi differential privacy: a loss known at several orders, added up order by order.
//!
//! **Guarantee.** A [`RenyiCurve`] states, for each of its orders α, a bound on the Rényi divergence of
//! order α between the output distributions on neighbours, in both directions. Releases chosen one after
//! the other, with curves fixed in advance, add up order by order. From every order follows an (ε, δ); the
//! conversion takes the best.
//! **Neighbours.** Those of the mechanisms put in; the subsampled Gaussian is add/remove only.
//! **Source.** Mironov (2017), Proposition 1, arXiv:1702.07476 (adding up); `at_order.rs` (conversion). The
//! curves of the mechanisms are in `renyi_laws.rs`.
//! **Exactness.** Values are upper bounds with certified enclosures, kept to 256 bits behind the point.
//! **Not covered.** Curves chosen in the light of earlier answers: [`crate::filter::RenyiFilter`] does
//! that, at one order.

use pointillist_numbers::Rational;

use super::at_order::{
    AtOrder, delta_at_order_upper, epsilon_at_order_mironov_upper, epsilon_at_order_upper,
};
use super::claim::{delta_from_upper, epsilon_from_upper, positive_delta};
use super::order::Order;
use crate::parameter::rounded_up;
use crate::{Delta, Epsilon, ParameterError};

/// Upper bounds on the Rényi divergence at a list of orders, at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenyiCurve {
    /// Sorted by order, each order once, never empty.
    points: Vec<(Order, Rational)>,
}

impl RenyiCurve {
    /// A bound known at one order.
    pub fn point(order: Order, divergence_upper: Rational) -> Result<Self, ParameterError> {
        Self::from_points(vec![(order, divergence_upper)])
    }

    /// Bounds known at several orders. Where an order comes twice, the smaller bound counts.
    pub fn from_points(points: Vec<(Order, Rational)>) -> Result<Self, ParameterError> {
        if points.is_empty() {
            return Err(ParameterError::NothingToCompose);
        }
        if let Some((_, divergence)) = points.iter().find(|(_, divergence)| divergence.is_negative()) {
            return Err(ParameterError::Negative {
                parameter: "Rényi divergence",
                given: crate::parameter::shortened(&divergence.to_string()),
                example: "0.1",
            });
        }
        let mut points = points;
        points.sort();
        points.dedup_by(|later, earlier| later.0 == earlier.0);
        Ok(Self { points })
    }

    /// The orders and bounds, in rising order.
    pub fn points(&self) -> &[(Order, Rational)] {
        &self.points
    }

    /// The bound at one order, if it is known.
    pub fn at(&self, order: &Order) -> Option<&Rational> {
        let index = self.points.binary_search_by(|(known, _)| known.cmp(order)).ok()?;
        Some(&self.points[index].1)
    }

    /// The loss of this release and another: the sum at every order that both know.
    pub fn then(&self, next: &Self) -> Result<Self, ParameterError> {
        let sum = |(order, divergence): &(Order, Rational)| {
            let other = next.at(order)?;
            Some((order.clone(), rounded_up(divergence + other)))
        };
        let points: Vec<_> = self.points.iter().filter_map(sum).collect();
        if points.is_empty() {
            return Err(ParameterError::NoCommonOrder);
        }
        Self::from_points(points)
    }

    /// The loss of this release repeated; nothing at all for a count of zero.
    pub fn times(&self, count: u64) -> Self {
        let count = Rational::from(count);
        let multiple =
            |(order, divergence): &(Order, Rational)| (order.clone(), rounded_up(divergence * &count));
        Self { points: self.points.iter().map(multiple).collect() }
    }

    /// The smallest ε over the listed orders, at a given δ.
    pub fn epsilon_upper(&self, delta: &Delta) -> Result<AtOrder, ParameterError> {
        self.best(delta, epsilon_at_order_upper)
    }

    /// The same by the older and larger `τ + ln(1/δ)/(α − 1)`, for comparison with other libraries.
    pub fn epsilon_mironov_upper(&self, delta: &Delta) -> Result<AtOrder, ParameterError> {
        self.best(delta, epsilon_at_order_mironov_upper)
    }

    /// The smallest δ over the listed orders, at a given ε.
    pub fn delta_upper(&self, epsilon: &Epsilon) -> Result<Delta, ParameterError> {
        let deltas = self
            .points
            .iter()
            .map(|(order, divergence)| delta_at_order_upper(order, divergence, epsilon.value()));
        delta_from_upper(deltas.min().unwrap_or_else(Rational::one))
    }

    fn best(
        &self,
        delta: &Delta,
        at_order: impl Fn(&Order, &Rational, &Rational) -> Rational,
    ) -> Result<AtOrder, ParameterError> {
        let delta = positive_delta(delta)?;
        let candidates = self.points.iter().map(|(order, divergence)| {
            let epsilon = at_order(order, divergence, delta);
            (epsilon, order)
        });
        let (epsilon, order) = candidates.min().ok_or(ParameterError::NothingToCompose)?;
        Ok(AtOrder { epsilon: epsilon_from_upper(epsilon)?, order: order.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rho;
    use crate::conversion::zcdp_epsilon_upper;
    use pointillist_errors::Explained as _;

    fn rational(text: &str) -> Rational {
        Rational::parse(text).unwrap()
    }

    fn order(text: &str) -> Order {
        Order::parse(text).unwrap()
    }

    #[test]
    fn curves_add_up_where_they_meet() {
        let [a, b] = [["2", "3"], ["3", "4"]].map(|orders| {
            RenyiCurve::from_points(orders.map(|text| (order(text), rational("0.5"))).to_vec()).unwrap()
        });
        let both = a.then(&b).unwrap();
        assert_eq!(both.points(), [(order("3"), rational("1"))]);
        assert_eq!(both.at(&order("2")), None);
        let apart = RenyiCurve::point(order("7"), rational("1")).unwrap();
        assert_eq!(a.then(&apart), Err(ParameterError::NoCommonOrder));
        assert_eq!(a.times(4).at(&order("2")), Some(&rational("2")));
        assert_eq!(a.times(0).at(&order("2")), Some(&Rational::zero()));
    }

    #[test]
    fn the_smaller_bound_at_an_order_counts() {
        let points =
            vec![(order("3"), rational("2")), (order("2"), rational("1")), (order("3"), rational("1"))];
        let curve = RenyiCurve::from_points(points).unwrap();
        assert_eq!(curve.at(&order("3")), Some(&rational("1")));
        assert_eq!(curve.points().len(), 2);
    }

    /// With the best real order among its own, a curve converts as zCDP does, and never better.
    #[test]
    fn a_list_of_orders_never_beats_all_orders() {
        let (rho, delta) = (Rho::parse("0.1").unwrap(), Delta::parse("1e-6").unwrap());
        let best = zcdp_epsilon_upper(&rho, &delta).unwrap();
        let listed = RenyiCurve::zcdp(&rho, &Order::usual()).unwrap().epsilon_upper(&delta).unwrap();
        assert!(listed.epsilon > best.epsilon);
        let own = RenyiCurve::zcdp(&rho, std::slice::from_ref(&best.order)).unwrap();
        assert_eq!(own.epsilon_upper(&delta).unwrap(), best);
        assert!(own.epsilon_mironov_upper(&delta).unwrap().epsilon > best.epsilon);
        assert!(own.delta_upper(&best.epsilon).unwrap() <= Delta::parse("1.0000000001e-6").unwrap());
    }

    #[test]
    fn impossible_curves_are_refused_with_a_hint() {
        let one = RenyiCurve::point(order("2"), rational("1")).unwrap();
        for refusal in [
            RenyiCurve::from_points(Vec::new()).unwrap_err(),
            RenyiCurve::point(order("2"), rational("-1")).unwrap_err(),
            one.epsilon_upper(&Delta::zero()).unwrap_err(),
            one.then(&RenyiCurve::point(order("3"), rational("1")).unwrap()).unwrap_err(),
            one.times(u64::MAX).epsilon_upper(&Delta::parse("1e-6").unwrap()).unwrap_err(),
        ] {
            assert!(refusal.explanation().text().contains("\nhint: "), "{refusal}");
        }
    }
}
