//! One table of SmartNoise metadata, and its columns.

use pointillist_errors::Explained;
use pointillist_numbers::Rational;

use super::yaml::Node;
use super::{ImportError, entries, unescaped};
use crate::name;
use crate::write::{key, number, quoted};

/// Options of a table without a counterpart, and why that is fine.
const WITHOUT_COUNTERPART: [(&str, &str); 7] = [
    ("rows", "no row count is declared here"),
    ("rows_exact", "no row count is declared here"),
    ("sample_max_ids", "contributions are always bounded here"),
    ("clamp_counts", "counts are released with their error and never clamped"),
    ("clamp_columns", "what is added up is always moved to the nearest bound here"),
    ("use_dpsu", "keys are public or earned here"),
    ("censor_dims", "keys are public or earned here"),
];

type Entries<'n> = [(String, usize, &'n Node)];

/// The text of one `[table.NAME]`.
pub(super) fn table(
    table: &str,
    scope: &str,
    options: &Entries<'_>,
    notes: &mut Vec<String>,
) -> Result<String, ImportError> {
    let mut columns = Vec::new();
    let mut units = Vec::new();
    let (mut row_privacy, mut max_ids) = (false, None);
    for (option, line, node) in options {
        if let Some((_, why)) = WITHOUT_COUNTERPART.iter().find(|(known, _)| known == option) {
            notes.push(format!("table `{table}`: `{option}` has no counterpart: {why}"));
        } else if option == "row_privacy" {
            row_privacy = flag(node)?;
        } else if option == "max_ids" {
            max_ids = Some(count(node)?);
        } else {
            let column = column(table, option, *line, node, notes)?;
            units.extend(column.private_id.then(|| column.name.clone()));
            columns.push(column.text);
        }
    }
    let unit = unit(table, row_privacy, &units, notes);
    let table_key = key(table);
    let source = quoted(&format!("{table}.csv"));
    let scope = quoted(scope);
    let mut out = format!(
        "[table.{table_key}]\nscope = {scope}\n\
         source = {source}   # where the rows are: SmartNoise does not say\n{unit}\n"
    );
    notes.push(format!(
        "table `{table}`: the source is a placeholder: SmartNoise does not say where the rows are"
    ));
    if !row_privacy {
        // SmartNoise keeps this many rows a person in all: at most so many groups, and so many rows in one of them.
        let rows = max_ids.unwrap_or(1);
        out.push_str(&format!("max_groups = {rows}\nmax_contributions = {rows}\n"));
        if rows > 1 {
            notes.push(format!(
                "table `{table}`: max_ids = {rows} bounds a person's rows in all; here groups and rows in each group \
                 are bounded, by {rows} each: lower them for less noise"
            ));
        }
    }
    if !columns.is_empty() {
        out.push_str(&format!("\n[table.{table_key}.columns]\n{}", columns.concat()));
    }
    Ok(out)
}

fn unit(table: &str, row_privacy: bool, units: &[String], notes: &mut Vec<String>) -> String {
    match units {
        _ if row_privacy => {
            if !units.is_empty() {
                notes.push(format!("table `{table}`: row_privacy wins over private_id, as in SmartNoise"));
            }
            "privacy_unit = \"row\"   # every row counts as another person".to_owned()
        }
        [unit] => format!("privacy_unit = {}", quoted(unit)),
        [] => {
            notes.push(format!("table `{table}`: nothing says whose rows these are; fill in privacy_unit"));
            format!("privacy_unit = \"{}\"   # no private_id and no row_privacy was given", name::PLACEHOLDER)
        }
        several => {
            notes.push(format!(
                "table `{table}`: a private_id of several columns ({}) has no counterpart; fill in privacy_unit",
                several.join(", ")
            ));
            format!("privacy_unit = \"{}\"   # the private_id had several columns", name::PLACEHOLDER)
        }
    }
}

struct ImportedColumn {
    name: String,
    private_id: bool,
    text: String,
}

fn column(
    table: &str,
    header: &str,
    line: usize,
    node: &Node,
    notes: &mut Vec<String>,
) -> Result<ImportedColumn, ImportError> {
    let header = unescaped(header);
    let place = format!("column `{table}.{}`", name::shown(header));
    let (mut kind, mut private_id) = (None, false);
    let (mut lower, mut upper) = (None, None);
    for (option, line, node) in entries(node, "a column")? {
        match option.as_str() {
            "type" => kind = Some(node),
            "private_id" => private_id = flag(node)?,
            "lower" => lower = bound(node)?,
            "upper" => upper = bound(node)?,
            "name" | "bounded" => {}
            "nullable" | "missing_value" => {
                notes.push(format!(
                    "{place}: `{option}` has no counterpart: NULL is a value like any other here"
                ));
            }
            "cardinality" | "card" => {
                notes.push(format!(
                    "{place}: `{option}` has no counterpart; list public_keys if they are public"
                ));
            }
            "sensitivity" => {
                notes.push(format!(
                    "{place}: `sensitivity` has no counterpart: it follows from the bounds here"
                ));
            }
            other => {
                let what = format!("a column has no option `{}`", name::shown(other));
                let known =
                    ["type", "private_id", "lower", "upper", "nullable", "missing_value", "sensitivity"];
                return Err(ImportError::at(line, what, crate::suggestion::hint(other, known)));
            }
        }
    }
    let Some(kind) = kind else {
        let hint = "write type: int, float, string, boolean or datetime";
        return Err(ImportError::at(line, format!("{place} has no type"), hint));
    };
    let (word, whole) = match kind.text().unwrap_or_default() {
        "int" => ("integer", true),
        "float" => ("decimal", false),
        "string" => ("text", false),
        "boolean" => ("boolean", false),
        "datetime" => ("timestamp", false),
        "unknown" => {
            notes.push(format!("{place}: a column of unknown type is left out, as in SmartNoise"));
            return Ok(ImportedColumn { name: header.to_owned(), private_id, text: String::new() });
        }
        other => {
            let what = format!("there is no type `{}`", name::shown(other));
            let known = ["int", "float", "string", "boolean", "datetime", "unknown"];
            return Err(ImportError::at(kind.line(), what, crate::suggestion::hint(other, known)));
        }
    };
    let bounds = bounds(&place, word, whole, lower, upper, notes);
    let declared = format!("{} = {{ type = \"{word}\"{bounds} }}", key(header));
    let text = if private_id {
        // SmartNoise analysts can name the identifier; here it is for bounding and for COUNT(DISTINCT) alone.
        format!("# {declared}   # names people: left out\n")
    } else if let Some(complaint) = name::complaint(header) {
        notes.push(format!(
            "{place}: the name {complaint}; the column is left out until it is renamed in the file"
        ));
        format!("# {declared}   # the name {complaint}\n")
    } else {
        format!("{declared}\n")
    };
    Ok(ImportedColumn { name: header.to_owned(), private_id, text })
}

/// Both bounds as typed, or none: half a range bounds nothing.
fn bounds(
    place: &str,
    word: &str,
    whole: bool,
    lower: Option<Rational>,
    upper: Option<Rational>,
    notes: &mut Vec<String>,
) -> String {
    let (Some(lower), Some(upper)) = (&lower, &upper) else {
        if lower.is_some() || upper.is_some() {
            notes.push(format!("{place}: one bound alone bounds nothing; it is left out"));
        }
        return String::new();
    };
    if !["integer", "decimal"].contains(&word) {
        notes.push(format!("{place}: bounds of a column that is no number are left out"));
        return String::new();
    }
    if lower >= upper {
        notes.push(format!("{place}: `lower` is not below `upper`; both are left out"));
        return String::new();
    }
    if whole && !(lower.is_integer() && upper.is_integer()) {
        notes.push(format!("{place}: bounds of whole numbers are not whole; both are left out"));
        return String::new();
    }
    format!(", lower = {}, upper = {}", number(lower), number(upper))
}

fn bound(node: &Node) -> Result<Option<Rational>, ImportError> {
    let text = node.text().unwrap_or_default();
    if ["", "~", "null", "Null", "NULL", "None"].contains(&text) {
        return Ok(None);
    }
    let digits = text.replace('_', "");
    Rational::parse(&digits).map(Some).map_err(|error| {
        let hint = error.hint().unwrap_or_else(|| "write a number".to_owned());
        ImportError::at(node.line(), error.to_string(), hint)
    })
}

/// The words for true and false of YAML 1.1, which SmartNoise reads.
fn flag(node: &Node) -> Result<bool, ImportError> {
    match node.text().unwrap_or_default().to_lowercase().as_str() {
        "true" | "yes" | "on" => Ok(true),
        "false" | "no" | "off" => Ok(false),
        _ => Err(ImportError::at(node.line(), "this is neither true nor false", "write True or False")),
    }
}

fn count(node: &Node) -> Result<u64, ImportError> {
    let value: Option<u64> = node.text().and_then(|text| text.parse().ok());
    value.filter(|count| (1..=1_000_000).contains(count)).ok_or_else(|| {
        ImportError::at(node.line(), "this is no count", "write a whole number from 1 to 1000000")
    })
}
