//! What stands between the fields of a text file, by its header line.
//!
//! A file is comma- or tab-separated by its name, unless its header says otherwise: many programs write semicolons or
//! tabs into `.csv`. The sign that stands most often between the names wins, and the one that the file's name says on a
//! tie. **Neighbours.** The header is the owner's and holds no row, so the choice is the same for neighbours.

use std::io::{BufReader, Read};

use flate2::bufread::MultiGzDecoder;

use super::csv::CsvForm;

/// Longer header lines are not looked at to their end.
const HEADER_MAX: u64 = 1 << 20;
/// What programs separate fields with.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// The form that the header says.
pub(super) fn of_header(file: impl Read, form: CsvForm) -> CsvForm {
    let input: Box<dyn Read> = match form.gzip {
        true => Box::new(MultiGzDecoder::new(BufReader::new(file))),
        false => Box::new(BufReader::new(file)),
    };
    CsvForm { delimiter: most_frequent(input.take(HEADER_MAX), form.delimiter), ..form }
}

/// Where a header is being read.
enum Field {
    Begins,
    Plain,
    Quoted,
    QuoteEnds,
}

fn most_frequent(header: impl Read, usual: u8) -> u8 {
    let (mut counts, mut field) = ([0u64; DELIMITERS.len()], Field::Begins);
    for (index, byte) in BufReader::new(header).bytes().map_while(Result::ok).enumerate() {
        let place = DELIMITERS.iter().position(|sign| *sign == byte);
        field = match (field, byte) {
            (Field::Quoted, b'"') => Field::QuoteEnds,
            (Field::Quoted, _) => Field::Quoted,
            // A quote opens a field where one begins, and goes on after itself; anywhere else it is a letter. A quote that
            // opened anything else would let rows say what separates them.
            (Field::Begins | Field::QuoteEnds, b'"') => Field::Quoted,
            // The mark by which some programs begin a file is no letter of its first name.
            (Field::Begins, _) if BYTE_ORDER_MARK.get(index) == Some(&byte) => Field::Begins,
            (_, b'\n' | b'\r') => break,
            (_, _) if place.is_some() => Field::Begins,
            (_, _) => Field::Plain,
        };
        if let (Some(place), Field::Begins) = (place, &field) {
            counts[place] += 1;
        }
    }
    let of =
        |sign: u8| DELIMITERS.iter().zip(&counts).find(|(other, _)| **other == sign).map_or(0, |(_, n)| *n);
    let best = DELIMITERS.into_iter().max_by_key(|sign| (of(*sign), *sign == usual));
    best.filter(|sign| of(*sign) > 0).unwrap_or(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_says_what_separates_fields() {
        for (header, usual, found) in [
            ("a,b,c\n1;2;3;4;5\n", b',', b','),
            ("a;b;c\n1,2,3,4,5\n", b',', b';'),
            ("a\tb\r\n1,2,3\r\n", b',', b'\t'),
            ("a;b;\"price, net, in EUR, total\"\n", b',', b';'),
            ("a;b;c, d\n", b',', b';'),
            // A quote inside a name opens nothing: rows below it do not count.
            ("a,b \"net\nx;y;z\";1;2;3\n", b',', b','),
            ("\"a \"\"b;c;d\"\"\",e\n1;2;3\n", b',', b','),
            ("one\n1;2\n", b',', b','),
            ("one\n", b'\t', b'\t'),
            ("a,b;c\n", b';', b';'),
            ("a,b;c\n", b',', b','),
            ("\u{feff}\"a;b;c;d\",e\n", b',', b','),
            ("", b',', b','),
        ] {
            assert_eq!(most_frequent(header.as_bytes(), usual), found, "{header:?}");
        }
    }
}
