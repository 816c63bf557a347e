//! Values that are made up from a column's declaration: for rehearsals, audits and tests, where data must be about nobody.

use pointillist_catalog::{Column, ColumnType, Value};

/// A value of a column, chosen by a number: one of its public keys, or something between its bounds.
pub fn value(kind: &ColumnType, declared: Option<&Column>, choice: u64) -> Value {
    if let Some(keys) =
        declared.and_then(|declared| declared.public_keys.as_ref()).filter(|keys| !keys.is_empty())
    {
        return keys[(choice % keys.len() as u64) as usize].clone();
    }
    // Between zero and one; the sum of two makes middling values more common than extreme ones.
    let fraction = ((choice >> 40) as f64 + ((choice >> 8) & 0xff_ffff) as f64) / f64::from(1u32 << 25);
    let between = |lower: i64, upper: i64| {
        let width = (i128::from(upper) - i128::from(lower)) as f64;
        lower.saturating_add((width * fraction) as i64).clamp(lower, upper)
    };
    match kind {
        ColumnType::Boolean => Value::Boolean(choice.is_multiple_of(2)),
        ColumnType::Integer { bounds } => {
            let (lower, upper) = bounds.unwrap_or((0, 100));
            Value::Integer(between(lower, upper))
        }
        ColumnType::Number { bounds, .. } => {
            let (lower, upper) = match bounds {
                Some((lower, upper)) => (lower.to_f64_upper(), upper.to_f64_lower()),
                None => (0.0, 100.0),
            };
            Value::number(lower + (upper - lower) * fraction).unwrap_or(Value::Number(0.0))
        }
        ColumnType::Text => {
            Value::Text(["alpha", "beta", "gamma", "delta"][(choice % 4) as usize].to_owned())
        }
        ColumnType::Date { bounds } => {
            // 2025, unless the owner said otherwise.
            let (first, last) = bounds.unwrap_or((20_089, 20_453));
            Value::Date(between(i64::from(first), i64::from(last)) as i32)
        }
        ColumnType::Timestamp { bounds } => {
            const DAY: i64 = 86_400_000_000;
            let (first, last) = bounds.unwrap_or((20_089 * DAY, 20_453 * DAY));
            Value::Timestamp(between(first, last))
        }
    }
}

/// A number that looks random, from two: splitmix64's finisher. Made-up rows need variety, not secrecy.
pub fn mixed(row: u64, column: u64) -> u64 {
    let mut z =
        row.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(column.wrapping_mul(0xd1b5_4a32_d192_ed03));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
