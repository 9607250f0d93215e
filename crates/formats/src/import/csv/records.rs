//! The records of the file, one at a time: all of them as text would be a lot of memory.

use ::csv::{Reader, ReaderBuilder, StringRecord};

use super::MAX_ROWS;
use memplan_core::base::Message;
use memplan_core::graph::Fault;

/// Bytes of the shortest row that states a buffer: `a,0,1,8`.
const SHORTEST_ROW: usize = 7;

/// Reads one record after the other.
pub struct Records<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    lines: Lines<'a>,
    fields: StringRecord,
    count: usize,
}

/// A record with its line in the file.
#[derive(Clone, Copy)]
pub struct Record<'a> {
    pub line: u64,
    pub fields: &'a StringRecord,
}

impl<'a> Records<'a> {
    pub fn new(text: &'a str) -> Records<'a> {
        let mut reader = ReaderBuilder::new();
        let reader = reader.has_headers(false).flexible(true).delimiter(separator(first_line(text)));
        Records {
            text,
            reader: reader.from_reader(text.as_bytes()),
            lines: Lines { text: text.as_bytes(), at: 0, line: 1 },
            fields: StringRecord::new(),
            count: 0,
        }
    }

    /// The next record. Spreadsheets leave rows of nothing but separators, which do not count.
    pub fn read(&mut self) -> Result<Option<Record<'_>>, Vec<Fault>> {
        let line = loop {
            let more = self.reader.read_record(&mut self.fields).map_err(|error| {
                vec![Fault::new("", Message::new("fault.csv-syntax").text("reason", error.to_string()))]
            })?;
            if !more {
                return Ok(None);
            }
            let byte = self.fields.position().map_or(0, |position| position.byte() as usize);
            let line = self.lines.of_record_at(byte);
            if self.fields.iter().any(|field| !field.trim().is_empty()) {
                break line;
            }
        };
        self.count += 1;
        if self.count > MAX_ROWS {
            let message = Message::new("fault.too-many").count("limit", MAX_ROWS as u64);
            return Err(vec![Fault::new("", message)]);
        }
        Ok(Some(Record { line, fields: &self.fields }))
    }

    /// Reads the records that nothing is done with: of a file that is too long, this alone is
    /// reported.
    pub fn skip_rest(&mut self) -> Result<(), Vec<Fault>> {
        while self.read()?.is_some() {}
        Ok(())
    }

    /// The number of lines that are long enough to be a row. A hostile file gains nothing by them:
    /// rows as short take as much memory.
    pub fn likely_rows(&self) -> usize {
        let lines = self.text.as_bytes().split(|&byte| byte == b'\n');
        lines.filter(|line| line.len() >= SHORTEST_ROW).take(MAX_ROWS).count()
    }
}

/// The first line with any text.
pub fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}

/// What divides the cells of a file with this header.
pub fn separator(header: &str) -> u8 {
    [b',', b';', b'\t'].into_iter().find(|&separator| header.contains(separator as char)).unwrap_or(b',')
}

/// Counts lines up to where records begin: the positions that the parser states are those before
/// skipped line ends.
struct Lines<'a> {
    text: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn of_record_at(&mut self, byte: usize) -> u64 {
        let is_line_end = |byte: &&u8| matches!(byte, b'\r' | b'\n');
        let skipped = self.text.get(byte..).unwrap_or_default().iter().take_while(is_line_end).count();
        let passed = self.text.get(self.at..byte + skipped).unwrap_or_default();
        self.line += passed.iter().filter(|&&byte| byte == b'\n').count() as u64;
        self.at += passed.len();
        self.line
    }
}
