//! Errors of a program as sentences: where, what, and what may have been meant.

use memplan_core::base::{Message, nearest, suggest};
use rhai::{EvalAltResult, LexError, ParseError, ParseErrorType, Position};

use super::limits::{DEPTH, ELEMENTS, ENDLESS};
use super::raised::{Raised, type_word};
use super::slips::{Bare, python, slip, with_braces};
use super::values::{FUNCTIONS, fields_of};
use super::{OPTIONS, STATE};

/// Returns a sentence with its place in the program.
pub fn at(position: Position, reason: Message) -> Message {
    match (position.line(), position.position()) {
        (Some(line), Some(column)) => Message::new("own-planner.at")
            .count("line", line as u64)
            .count("column", column as u64)
            .inner("reason", reason),
        (Some(line), None) => Message::new("own-planner.at-line").count("line", line as u64).inner("reason", reason),
        (None, _) => reason,
    }
}

/// A sentence about a constant, with the line in which it is declared.
pub fn stated(code: &str, name: &str, reason: Message) -> Message {
    in_line(Bare::of(code).line_of_constant(name), reason)
}

/// A sentence about an entry of a constant that is a map, with its line.
pub fn stated_option(code: &str, name: &str, key: &str, reason: Message) -> Message {
    let bare = Bare::of(code);
    in_line(bare.line_of_constant(name).map(|from| bare.line_of_key(key, from).unwrap_or(from)), reason)
}

fn in_line(line: Option<usize>, reason: Message) -> Message {
    match line.and_then(|line| u16::try_from(line).ok()) {
        Some(line) => at(Position::new(line, 0), reason),
        None => reason,
    }
}

/// Returns the sentence of a program that cannot be read.
pub fn unreadable(error: &ParseError, code: &str) -> Message {
    if let Some((place, reason)) = slip(error.err_type(), code, error.position()) {
        return at(place, reason);
    }
    let mut place = error.position();
    let reason = match error.err_type() {
        ParseErrorType::UnexpectedEOF => Message::new("own-planner.unfinished"),
        ParseErrorType::BadInput(error) => bad_input(error),
        ParseErrorType::VariableUndefined(name) => no_variable(name, code, place),
        ParseErrorType::Reserved(word) => match python(word) {
            Some(instead) => instead,
            None => match Bare::of(code).typed_name(place) {
                Some((typed, instead)) => typed_let(&typed, &instead),
                None => Message::new("own-planner.reserved").text("word", word),
            },
        },
        ParseErrorType::AssignmentToConstant(name) => Message::new("own-planner.constant").text("name", name),
        ParseErrorType::MissingToken(..) if after(code, place).trim().is_empty() => {
            Message::new("own-planner.unfinished")
        }
        ParseErrorType::MissingToken(token, _) => {
            let bare = Bare::of(code);
            if let Some((begins, typed, instead)) = bare.typed_before(place) {
                return at(begins, typed_let(&typed, &instead));
            }
            let words = [word_before(code, place), word_at(code, place)];
            let of_python = words.iter().find_map(|word| python(word));
            if of_python.is_none() && token == ";" {
                // It is missing behind the statement before.
                place = bare.end_before(place).unwrap_or(place);
            }
            of_python.unwrap_or_else(|| Message::new("own-planner.missing-token").text("token", token))
        }
        ParseErrorType::LiteralTooLarge(..) => too_large(),
        ParseErrorType::ExprTooDeep => Message::new("own-planner.deep-expression"),
        ParseErrorType::PropertyExpected if follows_digit(code, place) => {
            let is_option = Bare::of(code).is_in_constant(OPTIONS, place);
            Message::new(if is_option { "own-planner.whole-options" } else { "own-planner.whole-numbers" })
        }
        other => unexpected(other),
    };
    at(place, reason)
}

/// A declaration as other languages write it, and as it is written here.
fn typed_let(typed: &str, instead: &str) -> Message {
    Message::new("own-planner.typed-let").text("word", typed).text("instead", instead)
}

/// What is wrong with letters that make no word of the language.
fn bad_input(error: &LexError) -> Message {
    match error {
        LexError::UnterminatedString => Message::new("own-planner.open-text"),
        LexError::UnexpectedInput(sign) | LexError::ImproperSymbol(sign, _) => {
            Message::new("own-planner.no-sign").text("sign", sign)
        }
        LexError::MalformedChar(_) => Message::new("own-planner.one-letter"),
        LexError::MalformedNumber(_) => Message::new("own-planner.no-number"),
        _ => Message::new("own-planner.syntax"),
    }
}

/// What the language expected in place of what stands there.
fn unexpected(error: &ParseErrorType) -> Message {
    match error {
        ParseErrorType::UnknownOperator(sign) => Message::new("own-planner.no-sign").text("sign", sign),
        ParseErrorType::ExprExpected(_) => Message::new("own-planner.no-value"),
        ParseErrorType::PropertyExpected => Message::new("own-planner.no-field-name"),
        ParseErrorType::VariableExpected => Message::new("own-planner.no-variable-name"),
        ParseErrorType::FnMissingName => Message::new("own-planner.no-function-name"),
        ParseErrorType::FnMissingParams(name) => Message::new("own-planner.no-parameters").text("name", name),
        ParseErrorType::FnMissingBody(_) => with_braces("own-planner.no-body"),
        ParseErrorType::FnDuplicatedDefinition(name, _) => {
            Message::new("own-planner.function-twice").text("name", name)
        }
        ParseErrorType::FnDuplicatedParam(_, name) => Message::new("own-planner.parameter-twice").text("name", name),
        ParseErrorType::DuplicatedProperty(name) => Message::new("own-planner.key-twice").text("name", name),
        ParseErrorType::WrongFnDefinition => with_braces("own-planner.function-inside"),
        ParseErrorType::AssignmentToInvalidLHS(_) => Message::new("own-planner.not-assignable"),
        ParseErrorType::LoopBreak => Message::new("own-planner.no-loop-around"),
        _ => Message::new("own-planner.syntax"),
    }
}

fn line_before(code: &str, position: Position) -> String {
    let line = position.line().and_then(|line| code.lines().nth(line - 1)).unwrap_or_default();
    line.chars().take(position.position().unwrap_or(1).saturating_sub(1)).collect()
}

/// The word that ends before a place in the program.
fn word_before(code: &str, position: Position) -> String {
    let before = line_before(code, position);
    before.trim_end().rsplit(|char: char| !char.is_alphanumeric() && char != '_').next().unwrap_or_default().to_string()
}

/// What follows a place in the program.
fn after(code: &str, position: Position) -> String {
    let line = position.line().unwrap_or(1) - 1;
    let rest: String = code.lines().skip(line).collect::<Vec<_>>().join("\n");
    rest.chars().skip(position.position().unwrap_or(1).saturating_sub(1)).collect()
}

/// The word that begins at a place in the program.
fn word_at(code: &str, position: Position) -> String {
    after(code, position).chars().take_while(|char| char.is_alphanumeric() || *char == '_').collect()
}

fn follows_digit(code: &str, position: Position) -> bool {
    let before = line_before(code, position);
    before.trim_end_matches('.').ends_with(|char: char| char.is_ascii_digit())
}

fn no_variable(name: &str, code: &str, place: Position) -> Message {
    let missing = || Message::new("own-planner.no-variable").text("name", name);
    if name == STATE {
        return Message::new("own-planner.state-is-this");
    }
    let declares = format!("const {name} ");
    if code.lines().any(|line| line.starts_with(&declares)) {
        return Message::new("own-planner.constant-inside").text("name", name);
    }
    let found = python(name).unwrap_or_else(|| suggest(missing(), name, words(code)));
    if found == missing() && Bare::of(code).is_assigned(name, place) {
        return Message::new("own-planner.no-let").text("word", name).text("instead", format!("let {name}"));
    }
    found
}

/// The names in a program.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|char: char| !char.is_alphanumeric() && char != '_')
        .filter(|word| word.starts_with(|first: char| first.is_alphabetic() || first == '_'))
}

fn too_large() -> Message {
    Message::new("own-planner.too-large").count("n", ELEMENTS as u64)
}

/// Returns the sentence of a program that stopped while it ran. `line` is the last line that ran,
/// for errors that have no place of their own.
pub fn stopped(error: EvalAltResult, code: &str, line: u32) -> Message {
    let (mut position, reason) = reason(error, code);
    if reason.key == ENDLESS {
        // The line where it was stopped is any of the loop; the one that never ends is its first.
        let stopped =
            if position.is_none() { Position::new(line.clamp(1, u16::MAX.into()) as u16, 0) } else { position };
        let first = Bare::of(code).loop_around(stopped).and_then(|line| u16::try_from(line).ok());
        position = first.map_or(position, |first| Position::new(first, 0));
    }
    match position.is_none() {
        true if line > 0 => Message::new("own-planner.at-line").count("line", line).inner("reason", reason),
        _ => at(position, reason),
    }
}

fn reason(error: EvalAltResult, code: &str) -> (Position, Message) {
    let position = error.position();
    let text = |key: &'static str, text: String| Message::new(key).text("reason", text);
    let reason = match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, outside) => {
            let (inside, found) = self::reason(*inner, code);
            return (if inside.is_none() { outside } else { inside }, found);
        }
        EvalAltResult::ErrorRuntime(value, _) | EvalAltResult::ErrorTerminated(value, _) => {
            match value.clone().try_cast::<Raised>() {
                Some(Raised(message)) => message,
                None => Message::new("own-planner.thrown").text("text", value.to_string()),
            }
        }
        EvalAltResult::ErrorVariableNotFound(name, _) => no_variable(&name, code, position),
        EvalAltResult::ErrorFunctionNotFound(signature, _) => no_function(&signature, code),
        EvalAltResult::ErrorPropertyNotFound(name, _) => {
            suggest(Message::new("own-planner.no-key").text("name", &name), &name, words(code))
        }
        EvalAltResult::ErrorDotExpr(words, _) => no_field(&words),
        EvalAltResult::ErrorMismatchDataType(wanted, found, _)
        | EvalAltResult::ErrorMismatchOutputType(wanted, found, _) => {
            Message::new("own-planner.other-type").text("wanted", type_word(&wanted)).text("found", type_word(&found))
        }
        EvalAltResult::ErrorAssignmentToConstant(name, _)
        | EvalAltResult::ErrorNonPureMethodCallOnConstant(name, _) => {
            Message::new("own-planner.constant").text("name", name)
        }
        EvalAltResult::ErrorStackOverflow(_) => Message::new("own-planner.too-deep").count("n", DEPTH as u64),
        EvalAltResult::ErrorDataTooLarge(..) => too_large(),
        EvalAltResult::ErrorArrayBounds(length, index, _) => {
            Message::new("own-planner.index").text("index", index.to_string()).count("n", length as u64)
        }
        EvalAltResult::ErrorUnboundThis(_) => Message::new("own-planner.no-this"),
        EvalAltResult::ErrorFor(_) => Message::new("own-planner.no-loop"),
        EvalAltResult::ErrorArithmetic(words, _) => arithmetic(&words),
        EvalAltResult::ErrorTooManyVariables(_) => Message::new("own-planner.too-many-variables"),
        other => text("own-planner.stopped", other.to_string()),
    };
    (position, reason)
}

/// Of `Division by zero: 1 / 0` and the like.
fn arithmetic(words: &str) -> Message {
    let key = match () {
        () if words.contains("zero") => "own-planner.by-zero",
        () if words.contains("overflow") => "own-planner.overflow",
        () => return Message::new("own-planner.arithmetic"),
    };
    Message::new(key).text("term", words.rsplit(": ").next().unwrap_or(words))
}

/// A name with the types of its arguments, as in `place (Buffer, i64)`.
fn no_function(signature: &str, code: &str) -> Message {
    let (name, types) = signature.split_once(" (").unwrap_or((signature, ""));
    let types: Vec<&str> =
        types.trim_end_matches(')').split(", ").filter(|word| !word.is_empty()).map(type_word).collect();
    let is_operator = !name.starts_with(|first: char| first.is_alphabetic() || first == '_');
    if is_operator {
        return Message::new("own-planner.no-operator").text("operator", name).text("types", types.join(", "));
    }
    if name.starts_with("anon$") {
        return Message::new("own-planner.bars");
    }
    let missing = Message::new("own-planner.no-function").text("name", name).text("types", types.join(", "));
    let is_known = FUNCTIONS.contains(&name) || words(code).filter(|word| *word == name).count() > 1;
    match python(name) {
        Some(instead) => instead,
        None if is_known => missing,
        None => suggest(missing, name, FUNCTIONS.into_iter().chain(words(code).filter(|word| *word != name))),
    }
}

/// Of `Unknown property 'x' - a getter is not registered for type 'T'`.
fn no_field(words: &str) -> Message {
    let quoted: Vec<&str> = words.split('\'').skip(1).step_by(2).collect();
    let (Some(name), Some(kind)) = (quoted.first(), quoted.last()) else {
        return Message::new("own-planner.stopped").text("reason", words);
    };
    let known = fields_of(kind);
    let missing = Message::new("own-planner.no-field")
        .text("name", *name)
        .text("type", type_word(kind))
        .text("known", known.join(", "));
    match nearest(name, known.iter().copied()) {
        Some(near) => Message::new("fault.did-you-mean").inner("reason", missing).text("name", near),
        None => missing,
    }
}
