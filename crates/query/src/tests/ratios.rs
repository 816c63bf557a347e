//! Ratios that are means, and ratios that are not.

use pointillist_plan::{Formula, PrivatePlan};

use super::fixture::{catalog, plan};
use crate::Options;

fn parts(sql: &str) -> (Vec<&'static str>, usize) {
    let plan = plan(sql);
    (formulas(&plan), plan.releases.len())
}

fn formulas(plan: &PrivatePlan) -> Vec<&'static str> {
    let name = |formula: &Formula| match formula {
        Formula::Sum { .. } => "sum",
        Formula::CentredSum { .. } => "centred sum",
        Formula::Mean { .. } => "mean",
        Formula::Variance { .. } => "variance",
        Formula::Quantile { .. } => "quantile",
        Formula::Pair(_) => "pair",
    };
    plan.answer.aggregates.iter().map(|aggregate| name(&aggregate.formula)).collect()
}

/// Specification: each of these is one mean of two releases, whose plan shows this expression and says why.
#[test]
fn ratios_of_sums_and_counts_are_means() {
    for (ratio, shown) in [
        ("SUM(cost) / COUNT(cost)", "AVG(cost)"),
        ("SUM(cost) / COUNT(*)", "AVG(coalesce(cost, 0))"),
        (
            "100.0 * SUM(CASE WHEN smoker THEN 1 ELSE 0 END) / COUNT(*)",
            "100 * AVG(CASE WHEN smoker THEN 1 ELSE 0 END)",
        ),
        (
            "SUM(CASE WHEN smoker THEN 1.0 END) / COUNT(*)",
            "AVG(coalesce(CASE WHEN smoker THEN 1 ELSE NULL END, 0))",
        ),
        (
            "SUM(CASE WHEN smoker THEN 1 ELSE 0 END) * 100.0 / SUM(1)",
            "100 * AVG(CASE WHEN smoker THEN 1 ELSE 0 END)",
        ),
        ("1.0 * COUNT(*) FILTER (WHERE smoker) / COUNT(*)", "AVG(CASE WHEN smoker THEN 1 ELSE 0 END)"),
        (
            "COUNT(*) FILTER (WHERE smoker)::float / NULLIF(COUNT(*), 0)",
            "AVG(CASE WHEN smoker THEN 1 ELSE 0 END)",
        ),
        (
            "COUNT(*) FILTER (WHERE smoker)::float / GREATEST(COUNT(*), 1)",
            "AVG(CASE WHEN smoker THEN 1 ELSE 0 END)",
        ),
        ("COUNT(cost)::float / COUNT(*)", "AVG(CASE WHEN cost IS NOT NULL THEN 1 ELSE 0 END)"),
        (
            "SUM(cost) FILTER (WHERE smoker) / COUNT(cost) FILTER (WHERE smoker)",
            "AVG(cost) FILTER (WHERE smoker)",
        ),
        (
            "SUM(cost) FILTER (WHERE smoker AND age > 3) / COUNT(*) FILTER (WHERE smoker)",
            "AVG(CASE WHEN age > 3 THEN coalesce(cost, 0) ELSE 0 END) FILTER (WHERE smoker)",
        ),
        (
            "SUM(cost) FILTER (WHERE smoker) / COUNT(cost)",
            "AVG(CASE WHEN smoker THEN coalesce(cost, 0) ELSE 0 END)",
        ),
        // Whole numbers are cut towards zero.
        ("SUM(age) / COUNT(age)", "CAST(floor(AVG(age)) AS bigint)"),
        ("100 * COUNT(*) FILTER (WHERE smoker) / COUNT(*)", "CAST(floor(100 * AVG("),
        ("round(100 * SUM(cost) / COUNT(*), 2)", "round(100 * AVG(coalesce(cost, 0)), 2)"),
        ("1 - SUM(cost) / COUNT(cost) / 2", "AVG(cost)"),
    ] {
        let plan = plan(&format!("SELECT {ratio} AS r FROM visits"));
        assert_eq!((formulas(&plan), plan.releases.len()), (vec!["mean"], 2), "{ratio}\n{plan}");
        assert!(plan.to_string().lines().next().unwrap().contains(shown), "{ratio}\n{plan}");
        assert!(plan.notes.iter().any(|note| note.contains("is answered as AVG")), "{ratio}");
    }
}

/// Specification: HAVING and ORDER BY speak of the same mean as SELECT, and nothing is paid for what nobody uses.
#[test]
fn all_places_of_a_statement_share_the_mean() {
    let (formulas, releases) = parts(
        "SELECT region, SUM(cost) / COUNT(cost) AS r FROM visits GROUP BY region \
         HAVING SUM(cost) / COUNT(cost) > 3 ORDER BY r DESC, AVG(cost)",
    );
    assert_eq!((formulas, releases), (vec!["mean"], 2));
    let (formulas, releases) = parts("SELECT COUNT(cost), SUM(cost) / COUNT(cost) FROM visits");
    assert_eq!((formulas, releases), (vec!["sum", "mean"], 2), "the count is shared");
}

/// Specification: what is no mean stays, with a note where a person may have several rows.
#[test]
fn other_ratios_stay_and_say_so() {
    for ratio in [
        "SUM(cost) / SUM(age)",
        "1.0 * COUNT(*) FILTER (WHERE smoker) / COUNT(*) FILTER (WHERE age > 3)",
        "SUM(cost) / (COUNT(*) + 1)",
        "SUM(cost) / COUNT(age)",
    ] {
        let told = plan(&format!("SELECT {ratio} FROM visits"));
        assert!(!formulas(&told).contains(&"mean"), "{ratio}");
        assert!(told.notes.iter().any(|note| note.contains("is no mean")), "{ratio}: {:?}", told.notes);
        let alone = plan(&format!("SELECT {ratio} FROM events"));
        assert!(!alone.notes.iter().any(|note| note.contains("is no mean")), "{ratio}");
    }
    for other in ["AVG(cost) / AVG(age)", "SUM(cost) / COUNT(DISTINCT patient_id)", "SUM(cost) / 2"] {
        let plan = plan(&format!("SELECT {other} FROM visits"));
        assert!(!plan.notes.iter().any(|note| note.contains("mean")), "{other}: {:?}", plan.notes);
    }
}

/// The catalog of the fixture with a column that is never missing.
fn required(sql: &str, required: &[&str]) -> PrivatePlan {
    let mut catalog = catalog();
    for table in catalog.tables.values_mut() {
        for column in &mut table.columns {
            column.nullable = !required.contains(&column.name.as_str());
        }
    }
    crate::plan(&catalog, sql, &Options::default()).unwrap_or_else(|refusal| panic!("{sql}\n{refusal}"))
}

/// Specification: what is the same is released once. Where nobody can be cut, the sum is the mean's total.
#[test]
fn equal_measures_are_paid_once() {
    let sql = |table: &str| format!("SELECT COUNT(*), SUM(cost), AVG(cost) FROM {table}");
    assert_eq!(required(&sql("events"), &["cost"]).releases.len(), 2);
    assert_eq!(required(&sql("events"), &[]).releases.len(), 3);
    assert_eq!(required(&sql("visits"), &["cost"]).releases.len(), 3);
    assert_eq!(required(&sql("visits"), &[]).releases.len(), 4);
    assert_eq!(formulas(&required(&sql("events"), &["cost"])), ["sum", "centred sum", "mean"]);
    assert_eq!(
        required("SELECT COUNT(*), COUNT(cost), COUNT(age) FROM visits", &["cost", "age"]).releases.len(),
        1
    );
    // Alone, a sum is one number; with its count it is two either way, and less noisy from the middle.
    assert_eq!(formulas(&required("SELECT SUM(cost) FROM events", &["cost"])), ["sum"]);
    assert_eq!(
        formulas(&required("SELECT SUM(cost), COUNT(*) FROM events", &["cost"])),
        ["centred sum", "sum"]
    );
    assert_eq!(formulas(&required("SELECT SUM(cost), COUNT(*) FROM events", &[])), ["sum", "sum"]);
    assert_eq!(formulas(&required("SELECT SUM(cost), COUNT(*) FROM visits", &["cost"])), ["sum", "sum"]);
}

/// Specification: the declaration is enforced by a filter of the plan, in every question that uses the column.
#[test]
fn rows_without_a_required_value_are_left_out() {
    for sql in [
        "SELECT COUNT(cost) FROM visits",
        "SELECT COUNT(*) FROM visits WHERE cost > 3 OR smoker",
        "SELECT smoker, COUNT(*) FILTER (WHERE cost > 3) FROM visits GROUP BY smoker",
        "SELECT AVG(cost) FROM events",
        "SELECT SUM(age) / COUNT(cost) FROM events",
    ] {
        let plan = required(sql, &["cost"]).to_string();
        assert!(plan.contains("cost IS NOT NULL"), "{sql}\n{plan}");
        assert!(!required(sql, &[]).to_string().contains("Filter cost IS NOT NULL"), "{sql}");
    }
    let plan = required("SELECT COUNT(*) FROM visits", &["cost"]).to_string();
    assert!(!plan.contains("Filter"), "a column that is not used is not looked at\n{plan}");
    let plan = required("SELECT smoker, COUNT(*) FROM visits GROUP BY smoker", &["smoker"]).to_string();
    assert!(plan.contains("Filter smoker IS NOT NULL") && plan.contains("[public keys: 2 groups]"), "{plan}");
}
