//! Many clients, one budget.

use std::sync::atomic::{AtomicUsize, Ordering};

use pointillist_errors::Explained;

use crate::clinic::{CATALOG, Clinic, ask, visits};

/// Specification: 64 clients of three askers on a budget for exactly 50 questions get exactly 50 answers, whoever is
/// first; what is spent is exactly the budget.
#[test]
fn a_budget_for_fifty_questions_gives_fifty_answers_to_sixty_four_clients() {
    let catalog = CATALOG.replace("rho = 50, delta = 1e-6", "rho = 0.5, delta = 1e-6");
    for round in 0..4 {
        let clinic = Clinic::with_catalog(&catalog, &visits(30));
        let answers = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for client in 0..64 {
                let (clinic, answers) = (&clinic, &answers);
                scope.spawn(move || {
                    // Every client asks something else, so that no answer is a repetition.
                    let sql = format!(
                        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (rho = 0.01) count(*) FROM visits WHERE age > {client}"
                    );
                    let analyst = ["ana", "ben", "owner"][client % 3];
                    match clinic.curator.ask(&ask(analyst, &sql, Some(&format!("{round}-{client}")))) {
                        Ok(_) => {
                            answers.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(error) => assert_eq!(error.kind().sqlstate(), "53400", "{error}"),
                    }
                });
            }
        });
        assert_eq!(answers.into_inner(), 50, "round {round}");
        let balance = clinic.curator.ledger().balance("patients").unwrap().unwrap();
        assert_eq!(Some(balance.spent.loss_units), balance.granted.map(|granted| granted.loss_units));
        assert_eq!(balance.unreleased.loss_units, 0);
    }
}
