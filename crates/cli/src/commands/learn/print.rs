//! A model for people: bars of its largest numbers, on a screen and as a drawing.

use std::path::Path;

use pointillist_catalog::Value;
use pointillist_curator::Answer;
use pointillist_publication::largest;
use pointillist_render::text::shown;
use pointillist_render::text_bar::signed_bars;

use crate::failure::Failure;
use crate::message::say;
use crate::output_file::write_output;

/// Numbers that a screen shows.
const ON_SCREEN: usize = 12;
/// Numbers that a drawing shows.
const DRAWN: usize = 40;

/// The largest numbers as bars to both sides of zero.
pub fn bars(answer: &Answer) -> Vec<String> {
    let text = |value: Option<&Option<Value>>| match value {
        Some(Some(Value::Text(text))) => shown(text),
        _ => String::new(),
    };
    let shown = largest(answer, ON_SCREEN);
    let rows = shown.rows.iter().filter_map(|row| match row.values.get(2) {
        Some(Some(Value::Number(value))) => {
            let (part, feature) = (text(row.values.first()), text(row.values.get(1)));
            Some((format!("{part} · {feature}"), *value))
        }
        _ => None,
    });
    signed_bars(&rows.collect::<Vec<_>>())
}

/// Writes a drawing of the largest numbers.
pub fn draw(answer: &Answer, price: &str, path: &Path) -> Result<(), Failure> {
    let drawing = largest(answer, DRAWN).plot(price).map_err(Failure::explained)?;
    write_output(path, &drawing.to_svg())?;
    say(format_args!("plot written to {}", path.display()));
    Ok(())
}
