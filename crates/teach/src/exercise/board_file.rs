//! A file of boards of Break: the planner, and boards as links have them.
//!
//! `{"format":"memplan-boards/1","planner":"first-fit","boards":["A.112.0.3_B.16.0.6"]}`

use serde_json::Value;

use super::board::{Board, can_be_broken};
use memplan_core::base::Message;
use memplan_core::base::shown::json_text;
use memplan_planners as planner;

/// Name and version of the format.
pub const FORMAT: &str = "memplan-boards/1";

/// Most boards of a file.
pub const MAX_BOARDS: usize = 100;

/// Most bytes of a file: so many boards of eight buffers with the longest names are about half of
/// it.
pub const MAX_BYTES: usize = 64 * 1024;

/// Returns the text of a file with these boards.
pub fn write<'a>(planner: &str, boards: impl Iterator<Item = &'a str>) -> String {
    let boards: Vec<String> = boards.map(json_text).collect();
    format!("{{\"format\":\"{FORMAT}\",\"planner\":{},\"boards\":[\n{}\n]}}\n", json_text(planner), boards.join(",\n"))
}

/// Reads the planner and the boards of a file.
///
/// # Errors
/// Why the file has no boards that can be used.
pub fn read(text: &[u8]) -> Result<(String, Vec<Board>), Message> {
    let other = || Message::new("board-file.other").text("format", FORMAT);
    if text.len() > MAX_BYTES {
        return Err(other());
    }
    let file: Value = serde_json::from_slice(text).map_err(|_| other())?;
    let word = |key: &str| file.get(key).and_then(Value::as_str);
    match word("format") {
        Some(FORMAT) => {}
        Some(found) if found.split('/').next() == FORMAT.split('/').next() => {
            return Err(Message::new("board-file.version").text("found", found).text("known", FORMAT));
        }
        _ => return Err(other()),
    }
    let id = word("planner").unwrap_or_default();
    planner::find(id)
        .filter(|planner| can_be_broken(*planner))
        .ok_or_else(|| Message::new("board-file.planner").text("id", id))?;
    let texts = file.get("boards").and_then(Value::as_array).filter(|texts| !texts.is_empty());
    let texts = texts.ok_or_else(|| Message::new("board-file.none"))?;
    if texts.len() > MAX_BOARDS {
        return Err(Message::new("board-file.many").count("n", texts.len()).count("most", MAX_BOARDS));
    }
    let board = |text: &Value| Board::read(text.as_str().unwrap_or_default()).map_err(|fault| fault.message());
    Ok((id.to_string(), texts.iter().map(board).collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_back() {
        let boards = ["A.80.0.1_B.16.0.3", "A.1.0.8"];
        let (planner, read) = self::read(write("best-fit", boards.into_iter()).as_bytes()).expect("a file");
        assert_eq!(
            (planner.as_str(), read.iter().map(Board::write).collect::<Vec<_>>()),
            ("best-fit", boards.map(String::from).into())
        );
    }

    #[test]
    fn what_is_no_file_of_boards_is_refused_with_the_reason() {
        let good = write("first-fit", ["A.80.0.1"].into_iter());
        let many = write("first-fit", std::iter::repeat_n("A.1.0.1", MAX_BOARDS + 1));
        for (text, key) in [
            (String::new(), "board-file.other"),
            ("{\"format\":\"memory-graph/1\"}".into(), "board-file.other"),
            ("[1]".into(), "board-file.other"),
            (good.replace("boards/1", "boards/2"), "board-file.version"),
            (good.replace("first-fit", "nobody"), "board-file.planner"),
            (good.replace("first-fit", "naive"), "board-file.planner"),
            (good.replace("\"A.80.0.1\"", ""), "board-file.none"),
            (good.replace("A.80.0.1", "A.800.0.1"), "board.size"),
            (good.replace("\"A.80.0.1\"", "7"), "board.empty"),
            (many, "board-file.many"),
            (good + &" ".repeat(MAX_BYTES), "board-file.other"),
        ] {
            let why = read(text.as_bytes()).expect_err(&text);
            assert_eq!(why.key, key, "{text}");
            assert!(!memplan_core::text::Speech::default().say(&why).contains('{'), "{why:?}");
        }
    }
}
