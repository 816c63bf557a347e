//! Accuracy of models against ε, as the chart of `docs/benchmarks.md`.
//!
//! `cargo run -p pointillist-render --example accuracy_chart -- target/benches/tmp/learn-adult.csv > docs/images/adult-accuracy.svg`, after
//! `cargo xtask bench learn-adult` has written that file: lines of a series, an ε and an accuracy, with commas between.

use pointillist_render::chart::{Chart, Mark, Scale, Series};
use pointillist_render::svg::Drawing;

/// What is compared with: the same at every ε.
const REFERENCES: [&str; 2] = ["without privacy", "majority"];

fn main() {
    let Some(file) = std::env::args().nth(1) else {
        eprintln!("name the file of figures, such as target/benches/tmp/learn-adult.csv");
        std::process::exit(2);
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{file} cannot be read: {error}; `cargo xtask bench learn-adult` writes it");
            std::process::exit(1);
        }
    };
    let mut series: Vec<Series> = Vec::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        let [name, epsilon, accuracy] = cells[..] else { continue };
        let (Ok(epsilon), Ok(accuracy)) = (epsilon.parse(), accuracy.parse()) else { continue };
        // The file has times, too, which belong to no chart of accuracy.
        if name == "seconds" {
            continue;
        }
        let at = series.iter().position(|known| known.name == name).unwrap_or_else(|| {
            let mark = if REFERENCES.contains(&name) { Mark::Reference } else { Mark::DottedLine };
            series.push(Series::new(mark, name, Vec::new()));
            series.len() - 1
        });
        series[at].points.push((epsilon, accuracy));
    }
    // Where a reference is, its label says: all of them are dashed and grey.
    for series in &mut series {
        if series.mark == Mark::Reference {
            series.labels = vec![std::mem::take(&mut series.name)];
        }
    }
    let chart = Chart {
        title: "Logistic regression on Adult: accuracy on test rows".to_owned(),
        x_name: "ε".to_owned(),
        y_name: "share that is predicted rightly".to_owned(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Tight,
        series,
    };
    println!("{}", chart.to_svg());
}
