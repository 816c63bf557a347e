//! A table of texts, as files have it: named columns, rows of equal length.

use crate::AttackError;

/// A table of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Records {
    /// A table; every row has one text for every column.
    pub fn new(columns: Vec<String>, rows: Vec<Vec<String>>) -> Result<Self, AttackError> {
        match rows.iter().position(|row| row.len() != columns.len()) {
            None => Ok(Self { columns, rows }),
            Some(row) => Err(AttackError::new(
                format!(
                    "row {} has {} fields, and there are {} columns",
                    row + 1,
                    rows[row].len(),
                    columns.len()
                ),
                "look at the quotes and commas of that row",
            )),
        }
    }

    /// A table from the text of a CSV file with a header. Fields may stand in double quotes, doubled inside.
    pub fn from_csv(text: &str) -> Result<Self, AttackError> {
        let mut rows = csv_rows(text.strip_prefix('\u{feff}').unwrap_or(text)).into_iter();
        let columns = rows.next().filter(|header| header.iter().any(|name| !name.is_empty()));
        let columns = columns.ok_or_else(|| {
            AttackError::new("the table has no header", "write the names of the columns in the first line")
        })?;
        Self::new(columns, rows.collect())
    }

    /// The table as a CSV file with a header.
    pub fn to_csv(&self) -> String {
        let line = |fields: &[String]| {
            let fields: Vec<String> = fields.iter().map(|field| csv_field(field)).collect();
            // A row of one empty field would be an empty line, which is no row.
            if fields == [""] { "\"\"\n".to_owned() } else { fields.join(",") + "\n" }
        };
        std::iter::once(&self.columns).chain(&self.rows).map(|fields| line(fields)).collect()
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// The table with only these columns, in this order.
    pub fn only(&self, names: &[&str]) -> Result<Self, AttackError> {
        let places = names.iter().map(|name| self.column(name)).collect::<Result<Vec<_>, _>>()?;
        let row = |row: &Vec<String>| places.iter().map(|place| row[*place].clone()).collect();
        Self::new(names.iter().map(|name| (*name).to_owned()).collect(), self.rows.iter().map(row).collect())
    }

    /// The position of a column.
    pub fn column(&self, name: &str) -> Result<usize, AttackError> {
        self.columns.iter().position(|column| column == name).ok_or_else(|| {
            AttackError::new(
                format!("there is no column `{name}`"),
                format!("the columns are {}", self.columns.join(", ")),
            )
        })
    }
}

fn csv_field(field: &str) -> String {
    if field.contains(['"', ',', '\n', '\r']) || field.starts_with('\u{feff}') {
        return format!("\"{}\"", field.replace('"', "\"\""));
    }
    field.to_owned()
}

/// The fields of every line that is not empty.
fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut any) = (false, false);
    let mut signs = text.chars().peekable();
    while let Some(sign) = signs.next() {
        any |= !matches!(sign, '\n' | '\r');
        match sign {
            '"' if quoted && signs.peek() == Some(&'"') => {
                signs.next();
                field.push('"');
            }
            '"' if quoted || field.is_empty() => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut field)),
            '\r' if !quoted && signs.peek() == Some(&'\n') => {}
            '\n' if !quoted => {
                row.push(std::mem::take(&mut field));
                let done = std::mem::take(&mut row);
                if std::mem::take(&mut any) {
                    rows.push(done);
                }
            }
            other => field.push(other),
        }
    }
    if any {
        row.push(field);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_commas_and_line_ends_are_read() {
        let table = Records::from_csv("\u{feff}a,b\r\n1,\"x, \"\"y\"\"\nz\"\r\n\r\n2,\n").unwrap();
        assert_eq!(table.columns(), ["a", "b"]);
        assert_eq!(table.rows(), [["1", "x, \"y\"\nz"], ["2", ""]]);
    }

    #[test]
    fn columns_are_chosen_by_name() {
        let table = Records::from_csv("a,b,c\n1,2,3\n").unwrap();
        assert_eq!(table.only(&["c", "a"]).unwrap().to_csv(), "c,a\n3,1\n");
        assert!(table.only(&["d"]).is_err());
    }

    #[test]
    fn what_is_written_is_read_back() {
        let table = Records::from_csv("a,\"b,c\"\n1,\"x \"\"y\"\"\nz\"\n2,\n\"\r\",\u{feff}\n").unwrap();
        assert_eq!(Records::from_csv(&table.to_csv()).unwrap(), table);
        let empty =
            Records::new(vec!["a".to_owned()], vec![vec![String::new()], vec!["1".to_owned()]]).unwrap();
        assert_eq!(Records::from_csv(&empty.to_csv()).unwrap(), empty);
        assert_eq!(Records::from_csv("a,b\n").unwrap().to_csv(), "a,b\n");
    }

    #[test]
    fn tables_that_are_none_are_refused() {
        for text in ["", "\n\n", ",\n1,2"] {
            assert!(Records::from_csv(text).is_err(), "{text:?}");
        }
        let error = Records::from_csv("a,b\n1\n").unwrap_err();
        assert!(error.to_string().contains("row 1 has 1 fields"), "{error}");
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::Records;

    /// A table from lines with commas.
    pub(crate) fn records(columns: &str, rows: &[&str]) -> Records {
        let split = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        Records::new(split(columns), rows.iter().map(|row| split(row)).collect()).unwrap()
    }
}
