//! Questions that are answered, with what their plans say.

use pointillist_catalog::Value;
use pointillist_mechanisms::number::additive_noise::NoiseLaw;
use pointillist_numbers::Rational;
use pointillist_plan::{
    Comparison, Excess, Form, Formula, KeyColumn, Owner, PrivatePlan, Quantity, Role, Scalar, Type,
};

use super::fixture::{plan, try_plan};

#[test]
fn a_plan_reads_top_down() {
    let sql = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.05) region, COUNT(*) AS n, SUM(cost) FROM visits \
               WHERE age > 18 GROUP BY region HAVING COUNT(*) > 10 ORDER BY n DESC LIMIT 3";
    let expected = "\
Answer region, COUNT(*) AS n, SUM(cost) AS sum  having COUNT(*) > 10  order by COUNT(*) desc  limit 3
  Release COUNT(*)  discrete_gaussian  sensitivity_l2=40  sigma=178.886  rho=0.025  error_95=±351
  Release SUM(clamp(cost, 0, 10000))  discrete_gaussian  sensitivity_l2=400000  sigma=1788860  rho=0.025  error_95=±3506100
    Aggregate COUNT(*), SUM(clamp(cost, 0, 10000)) BY region [public keys: 4 groups]
      BoundContributions unit=patient_id  groups<=4  rows_per_group<=20
        Filter age > 18
          Scan visits
cost: rho = 0.05, delta = 0
error of COUNT(*): ±447 with 95 %
error of SUM(cost): ±4468040 with 95 %
note: a person (patient_id) counts with at most 20 rows in at most 4 groups
note: values of cost are clamped to [0, 10000] as declared and rounded to steps of 0.01
note: conditions and keys see values as they are, outside of their bounds too
note: the keys are public: all 4 groups are shown, empty ones too, and rows with NULL or another key are left out
note: noisy numbers pick the groups that are shown, so each error bar is wide enough for all 4 groups at once
";
    assert_eq!(plan(sql).to_string(), expected);
}

fn text(value: &str) -> Scalar {
    Scalar::Constant(Value::Text(value.to_owned()))
}

#[test]
fn a_grouped_count_has_the_contract_of_the_engine() {
    let plan = plan("SELECT COUNT(*), region FROM visits WHERE age > 18 GROUP BY region ORDER BY region");
    let aggregation = &plan.aggregation;
    let scan = aggregation.relation.table().unwrap();
    let names: Vec<&str> = scan.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((scan.table.as_str(), names), ("visits", vec!["age", "region"]));
    assert_eq!(scan.owner, Owner::Column("patient_id".to_owned()));
    assert_eq!(aggregation.keys, [KeyColumn { value: Scalar::Column(1), kind: Type::Text }]);
    let greater = Scalar::Compare(
        Comparison::Greater,
        Box::new(Scalar::Column(0)),
        Box::new(Scalar::Constant(Value::Integer(18))),
    );
    assert_eq!(aggregation.filter, Some(greater));
    let domain = aggregation.domain.as_ref().unwrap();
    assert_eq!(domain[0], [Some(Value::Text("north".to_owned()))]);
    assert_eq!(plan.answer.columns[0].role, Role::Aggregate(0));
    assert_eq!(plan.answer.columns[0].value, Scalar::Column(1));
    assert_eq!(
        (plan.answer.columns[0].name.as_str(), plan.answer.columns[1].name.as_str()),
        ("count", "region")
    );
    assert_eq!(plan.answer.columns[1].role, Role::Key(0));
    assert_eq!(plan.answer.order[0].by, Scalar::Column(0));
    assert!(!plan.answer.order[0].nulls_first);
}

#[test]
fn an_answer_without_keys_is_one_group() {
    let plan = plan("SELECT COUNT(*) FROM visits");
    assert_eq!(plan.aggregation.domain, Some(vec![vec![]]));
    assert_eq!(plan.aggregation.bound.groups_max(), 1);
}

#[test]
fn aggregates_share_their_measures() {
    let plan = plan("SELECT AVG(cost), COUNT(cost), STDDEV(cost), VAR_POP(cost), avg(cost) FROM visits");
    assert_eq!(plan.answer.aggregates.len(), 4);
    assert_eq!(plan.aggregation.measures.len(), 3);
    assert_eq!(plan.releases.len(), 3);
}

fn total(plan: &PrivatePlan) -> (&pointillist_plan::Units, Excess) {
    plan.aggregation
        .measures
        .iter()
        .find_map(|measure| match &measure.quantity {
            Quantity::Total { units, excess, .. } => Some((units, *excess)),
            _ => None,
        })
        .unwrap()
}

#[test]
fn sums_count_from_zero_and_means_from_the_middle() {
    let sum = plan("SELECT SUM(cost) FROM visits");
    let (units, excess) = total(&sum);
    assert_eq!((units.form, excess), (Form::Linear { offset: 0, factor: 1 }, Excess::Clamp));
    let Formula::Sum { unit, .. } = &sum.answer.aggregates[0].formula else { panic!("a sum") };
    assert_eq!(*unit, Rational::ratio(1, 100));
    let mean = plan("SELECT AVG(cost) FROM visits");
    let (units, excess) = total(&mean);
    assert_eq!(
        (units.form, excess),
        (Form::Linear { offset: -1_000_000, factor: 2 }, Excess::Thin { refinement: 1 })
    );
}

#[test]
fn grids_for_squares_stay_small_enough() {
    let plan = plan("SELECT VAR_POP(LEAST(GREATEST(stay, 0), 1000000000000)) FROM visits");
    let (units, _) = total(&plan);
    assert!(units.grid.last_index() < 1 << 31);
    assert_eq!(units.form, Form::CentredSquare);
}

/// Q16: what the parser read is what the engine compares with, byte for byte.
#[test]
fn literals_keep_their_exact_value() {
    for (literal, value) in [
        ("'it''s'", "it's"),
        (r"'\'", r"\"),
        (r"'\'' OR 1=1 --'", r"\' OR 1=1 --"),
        (r"E'a\'b\n'", "a'b\n"),
        ("$$a'b$$", "a'b"),
        ("$x$a$$b$x$", "a$$b"),
        ("'-- no comment'", "-- no comment"),
        ("'/* none */'", "/* none */"),
        ("'\"; DROP TABLE visits; --'", "\"; DROP TABLE visits; --"),
        ("''", ""),
        ("'  é\u{202e}'", "  é\u{202e}"),
    ] {
        let plan = try_plan(&format!("SELECT COUNT(*) FROM visits WHERE ward = {literal} /* a */ -- b"));
        let filter =
            plan.unwrap_or_else(|refusal| panic!("{literal}: {refusal}")).aggregation.filter.unwrap();
        let Scalar::Compare(Comparison::Equal, _, right) = filter else { panic!("a comparison") };
        assert_eq!(*right, text(value), "{literal}");
    }
}

#[test]
fn names_fold_to_lower_case_unless_quoted() {
    for sql in
        ["SELECT COUNT(*) FROM VISITS WHERE AGE > 1", "SELECT COUNT(*) FROM \"visits\" WHERE \"age\" > 1"]
    {
        plan(sql);
    }
    for (sql, hint) in [
        ("SELECT COUNT(*) FROM \"VISITS\"", "did you mean `visits`?"),
        ("SELECT COUNT(*) FROM upper", "write it in quotes: \"Upper\""),
        ("SELECT COUNT(*) FROM visits WHERE \"AGE\" > 1", "write it in quotes: \"age\""),
    ] {
        let refusal = try_plan(sql).unwrap_err();
        assert!(refusal.hint().contains(hint) || refusal.hint().contains("visits"), "{sql}: {refusal}");
    }
}

#[test]
fn noise_has_numbers_for_programs() {
    let plan = plan("SELECT region, SUM(cost), AVG(age) FROM visits GROUP BY region");
    let aggregates = plan.aggregate_noises();
    assert_eq!(aggregates[0].law, pointillist_plan::Law::Noise(NoiseLaw::DiscreteGaussian));
    assert_eq!((&aggregates[0].step, &aggregates[1].step), (&Rational::ratio(1, 100), &Rational::one()));
    assert!(aggregates[0].error_95.is_some() && aggregates[0].scale_upper.is_positive());
    assert!(aggregates[1].error_95.is_none());
    assert_eq!((aggregates[0].measures.len(), aggregates[1].measures.len()), (1, 2));
    let measures = plan.measure_noises();
    assert_eq!(measures.len(), 3);
    // The scale of an aggregate of one measure is the measure's own.
    assert_eq!(measures[aggregates[0].measures[0]].scale_upper, aggregates[0].scale_upper);
}
