//! A table of texts, as files have it: named columns, rows of equal length.
//!
//! Files are read by the grammar that every other table is read by (`pointillist-records`); where that grammar skips a
//! damaged record, a table of an attack is refused, because whoever runs an attack can mend the file.

mod named;
mod new_file;

use pointillist_records::{Next, Records as CsvRecords, csv_record};

use crate::AttackError;

pub use named::NamedRecords;
pub(crate) use named::listed;
pub use new_file::check_new_file;

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
        let mut reader = CsvRecords::new(text.as_bytes(), b',');
        let columns =
            next_record(&mut reader, 0)?.filter(|header| header.iter().any(|name| !name.is_empty()));
        let columns = columns.ok_or_else(|| {
            AttackError::new("the table has no header", "write the names of the columns in the first line")
        })?;
        let mut rows = Vec::new();
        while let Some(row) = next_record(&mut reader, rows.len() + 1)? {
            rows.push(row);
        }
        Self::new(columns, rows)
    }

    /// The table as a CSV file with a header. A field without a text is a field without a value.
    pub fn to_csv(&self) -> String {
        let line = |fields: &[String]| {
            csv_record(fields.iter().map(|field| Some(field.as_str()).filter(|text| !text.is_empty()))) + "\n"
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

/// The next record of a file; row 0 is its header.
fn next_record(reader: &mut CsvRecords<&[u8]>, row: usize) -> Result<Option<Vec<String>>, AttackError> {
    match reader.next() {
        Next::End => Ok(None),
        Next::Malformed => {
            let which = if row == 0 { "the header".to_owned() } else { format!("row {row}") };
            Err(AttackError::new(
                format!("{which} has a quote where none belongs, or one that is never closed"),
                "put fields that hold quotes, commas or line ends in quotes, and double the quotes inside",
            ))
        }
        Next::Record => {
            let mut scratch = Vec::new();
            let field = |field| String::from_utf8_lossy(reader.bytes(field, &mut scratch)).into_owned();
            Ok(Some(reader.fields().iter().copied().map(field).collect()))
        }
    }
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
        for (text, words) in [
            ("a,b\n1\n", "row 1 has 1 fields"),
            ("a,b\n1,2\n3,x\"y\n", "row 2 has a quote"),
            ("a,b\n1,\"x\n", "row 1 has a quote"),
            ("\"a\"b,c\n", "the header has a quote"),
        ] {
            let error = Records::from_csv(text).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
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
