//! Planners that a user writes in the page. The language is a program of its own (`writer`), which
//! the worker fetches when the first of them is asked for; the engine knows only how to ask it.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::answer::Failure;
use super::link::{pack, unpack};
use super::peaks::PeakFound;
use super::plan::{Prepared, prepare};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::{check_up_to, metrics};
use memplan_core::problem::{BufferId, Scope};
use memplan_core::trace::Silent;
use memplan_formats::import::Document;
use memplan_planners::outside::{self, Ask, Given, MAX_CODE, Sheet, Statements, Told};
use memplan_planners::{Info, Input, registered};

/// What people call a program that is written in the page, unless they name it.
pub const OWN_NAME: &str = "my_planner.rhai";

/// Begins the ids of such planners.
const OWN_ID: &str = "own-";

/// A planner that a user wrote: its program, and the id that stands for just this text under just
/// this name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OwnProgram {
    /// Id of the planner.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The text of the program.
    pub code: String,
}

impl OwnProgram {
    /// Returns the planner of a text that nobody has named.
    pub fn of(code: &str) -> OwnProgram {
        OwnProgram::named(OWN_NAME, code)
    }

    /// Returns the planner of a text: the same text has the same id under the same name.
    pub fn named(name: &str, code: &str) -> OwnProgram {
        // Two programs are compared by their names, even if one begins as a copy of the other.
        // Links of before know programs without a name.
        let salt = if name == OWN_NAME { String::new() } else { format!("{name}\0") };
        // FNV-1a in 64 bits.
        let digest = salt
            .bytes()
            .chain(code.bytes())
            .fold(0xcbf2_9ce4_8422_2325_u64, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        OwnProgram { id: format!("{OWN_ID}{digest:016x}"), name: name.to_string(), code: code.to_string() }
    }
}

/// Returns whether an id is that of a planner which a user wrote in the page.
pub fn is_own(id: &str) -> bool {
    id.starts_with(OWN_ID)
}

/// Whose statements are wanted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CodeOf {
    /// Those of a program of the user.
    Own(OwnProgram),
    /// Those of the program that equals a planner of memplan, by its id.
    Classic(String),
}

/// What is asked about programs of users.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum OwnTask {
    /// Whether a program can be read and plans the document, by these options as far as it has
    /// them.
    Check(OwnProgram, BTreeMap<String, String>),
    /// What a program states of itself, whether or not it plans the document.
    Read(OwnProgram),
    /// The statements that lead to the place of a buffer.
    Statements {
        /// Whose.
        of: CodeOf,
        /// Values of its options.
        options: BTreeMap<String, String>,
        /// The buffer; none: the statements of `order`, which run before anything is placed.
        buffer: Option<BufferId>,
    },
    /// The programs that a link carries.
    Unpack(Vec<String>),
}

/// What is known about a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum OwnAnswer {
    /// What is found out about a program, or where and why it is wrong.
    Checked(Result<OwnChecked, Message>),
    /// What a program states of itself.
    Read(OwnRead),
    /// The text of the program with its statements, or where and why it stopped.
    Followed(Result<Followed, Message>),
    /// The programs; none if one that the link carries is damaged or longer than it may be.
    Unpacked(Option<Vec<String>>),
}

/// A program that plans the open document.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OwnChecked {
    /// What it states of itself.
    pub sheet: Sheet,
    /// What its plan takes.
    pub peak: PeakFound,
    /// The program as text for a link, if it is short enough for one.
    pub packed: Option<String>,
}

/// A program that stands beside others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OwnRead {
    /// What it states of itself; nothing if it cannot be read, which it says when it plans.
    pub sheet: Sheet,
    /// The program as text for a link, if it is short enough for one.
    pub packed: Option<String>,
}

/// What a program does for one buffer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Followed {
    /// The text of the program.
    pub code: String,
    /// Its statements.
    pub statements: Statements,
}

/// Where a program is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistake {
    /// Line, from 1; 0 if it has no place.
    pub line: u64,
    /// Column, from 1; 0 if it is the whole line.
    pub column: u64,
    /// What is wrong.
    pub reason: Message,
    /// A word of the program, and what was probably meant.
    pub remedy: Option<(String, String)>,
}

impl Mistake {
    /// Takes a sentence about a program apart.
    pub fn of(message: &Message) -> Mistake {
        let count = |name: &str| match message.arg(name) {
            Some(Arg::Count(count)) => *count,
            _ => 0,
        };
        let inner = match message.arg("reason") {
            Some(Arg::Inner(inner)) => Some(&**inner),
            _ => None,
        };
        match (&*message.key, inner) {
            ("own-planner.at" | "own-planner.at-line", Some(reason)) => {
                Mistake { line: count("line"), column: count("column"), reason: reason.clone(), remedy: remedy(reason) }
            }
            ("own-planner.of", Some(reason)) => Mistake::of(reason),
            _ => Mistake { line: 0, column: 0, reason: message.clone(), remedy: remedy(message) },
        }
    }
}

/// What was probably meant in place of a word.
fn remedy(reason: &Message) -> Option<(String, String)> {
    let text = |message: &Message, name: &str| match message.arg(name) {
        Some(Arg::Text(text) | Arg::Name(text)) => Some(text.clone()),
        _ => None,
    };
    match (&*reason.key, reason.arg("reason")) {
        ("fault.did-you-mean", Some(Arg::Inner(inner))) => Some((text(inner, "name")?, text(reason, "name")?)),
        // What stands for a word of Python may be a pattern, which nobody could run.
        ("own-planner.python", _) => {
            let instead = text(reason, "instead").filter(|instead| !instead.contains(['.', '…', '(']))?;
            Some((text(reason, "word")?, instead))
        }
        ("own-planner.full-width" | "own-planner.remark" | "own-planner.no-let" | "own-planner.typed-let", _) => {
            Some((text(reason, "word")?, text(reason, "instead")?))
        }
        _ => None,
    }
}

/// Registers the planner of a program that states this of itself, in place of what was known, and
/// returns its data sheet.
pub fn know_own(program: &OwnProgram, sheet: &Sheet) -> &'static Info {
    outside::register(&program.id, &program.name, &program.code, sheet, asked)
}

/// Registers the planner of a program, unless it is known. One that cannot be read says so when it
/// plans.
///
/// # Errors
/// [`Failure::NoWriter`].
pub fn register_own(program: &OwnProgram) -> Result<(), Failure> {
    if registered::find(&program.id).is_some() {
        return Ok(());
    }
    if !is_writer_here() {
        return Err(Failure::NoWriter);
    }
    match asked(&Ask::Read(program.code.as_str().into())) {
        Ok(Told::Read(Ok(sheet))) => know_own(program, &sheet),
        _ => know_own(program, &Sheet::default()),
    };
    Ok(())
}

/// Answers a task about programs.
///
/// # Errors
/// [`Failure::NoWriter`].
pub(super) fn answered(task: &OwnTask, document: &Document, scope: &Scope) -> Result<OwnAnswer, Failure> {
    if !is_writer_here() && !matches!(task, OwnTask::Unpack(_)) {
        return Err(Failure::NoWriter);
    }
    Ok(match task {
        OwnTask::Unpack(packed) => {
            let text = |packed: &String| {
                let bytes = unpack(packed.as_bytes()).filter(|bytes| bytes.len() <= MAX_CODE)?;
                String::from_utf8(bytes).ok()
            };
            OwnAnswer::Unpacked(packed.iter().map(text).collect())
        }
        OwnTask::Check(program, options) => OwnAnswer::Checked(check(program, options, document, scope)),
        OwnTask::Read(program) => {
            let sheet = read_program(&program.code).unwrap_or_default();
            know_own(program, &sheet);
            OwnAnswer::Read(OwnRead { sheet, packed: pack(program.code.as_bytes()) })
        }
        OwnTask::Statements { of, options, buffer } => {
            OwnAnswer::Followed(followed(of, options, *buffer, document, scope))
        }
    })
}

/// What a program states of itself.
///
/// # Errors
/// Where and why it cannot be read.
pub(super) fn read_program(code: &str) -> Result<Sheet, Message> {
    match asked(&Ask::Read(code.into()))? {
        Told::Read(read) => read,
        _ => Err(no_answer()),
    }
}

fn check(
    program: &OwnProgram,
    options: &BTreeMap<String, String>,
    document: &Document,
    scope: &Scope,
) -> Result<OwnChecked, Message> {
    let sheet = read_program(&program.code)?;
    let info = know_own(program, &sheet);
    let given = options.iter().filter(|(key, value)| info.options([(key.as_str(), value.as_str())]).is_ok());
    let given = given.map(|(key, value)| (key.clone(), value.clone())).collect();
    let Prepared { planner, options, problem, reordered } = prepare(document, scope, &program.id, &given)?;
    let input = Input { problem: &problem, graph: reordered.as_ref().or(document.graph()) };
    let plan = planner.plan(input, &options, &mut Silent).map_err(|error| error.message())?;
    let is_sound = check_up_to(&problem, &plan, 1).is_empty();
    let peak = PeakFound::of(&metrics(&problem, &plan), is_sound);
    Ok(OwnChecked { sheet, peak, packed: pack(program.code.as_bytes()) })
}

fn followed(
    of: &CodeOf,
    options: &BTreeMap<String, String>,
    buffer: Option<BufferId>,
    document: &Document,
    scope: &Scope,
) -> Result<Followed, Message> {
    let (id, code) = match of {
        CodeOf::Own(program) => (&program.id, program.code.clone()),
        CodeOf::Classic(id) => match asked(&Ask::Classic(id.as_str().into()))? {
            Told::Classic(Some(code)) => (id, code),
            _ => return Err(no_answer()),
        },
    };
    let Prepared { options, problem, reordered, .. } = prepare(document, scope, id, options)?;
    let input = Input { problem: &problem, graph: reordered.as_ref().or(document.graph()) };
    let mut given = Given::of(&code, input, &options);
    if matches!(of, CodeOf::Classic(_)) {
        // Its program has the values of the planner built in.
        given.options.clear();
    }
    match asked(&Ask::Statements { given, buffer })? {
        Told::Statements(statements) => statements.map(|statements| Followed { code: code.clone(), statements }),
        _ => Err(no_answer()),
    }
}

/// The program `writer` answers what it is asked, unless it has a bug.
fn no_answer() -> Message {
    Message::new("notice.crashed")
}

/// Takes a question, and returns the answer, both as bytes.
pub type Writer = fn(&[u8]) -> Vec<u8>;

static WRITER: OnceLock<Writer> = OnceLock::new();

/// Passes on how the program `writer` is asked.
pub fn use_writer(writer: Writer) {
    // The first one is as good as a second.
    let _ = WRITER.set(writer);
}

/// Returns whether the program `writer` can be asked.
pub fn is_writer_here() -> bool {
    WRITER.get().is_some()
}

fn asked(ask: &Ask) -> Result<Told, Message> {
    let writer = WRITER.get().ok_or_else(|| Failure::NoWriter.message())?;
    // Plain values: writing them cannot fail.
    let answer = writer(&postcard::to_stdvec(ask).unwrap_or_default());
    postcard::from_bytes(&answer).map_err(|_| no_answer())
}

#[cfg(target_arch = "wasm32")]
pub use beside::fetch_writer;

#[cfg(target_arch = "wasm32")]
mod beside {
    use wasm_bindgen::prelude::*;

    use crate::BUILD;

    #[wasm_bindgen(module = "/src/own.js")]
    extern "C" {
        #[wasm_bindgen(catch, js_name = fetchWriter)]
        async fn fetch(build: f64) -> Result<JsValue, JsValue>;
        /// Calls `answer`. The question is passed as a view of this program's memory.
        #[wasm_bindgen(catch, js_name = askWriter)]
        fn ask_writer(ask: &[u8]) -> Result<Vec<u8>, JsValue>;
    }

    /// Fetches the program `writer`, which lies beside the engine's.
    ///
    /// # Errors
    /// The browser's error.
    pub async fn fetch_writer() -> Result<(), JsValue> {
        fetch(BUILD as f64).await?;
        // It throws only if it has a bug, which ends this program like one of its own.
        super::use_writer(|ask| ask_writer(ask).unwrap_or_else(|thrown| wasm_bindgen::throw_val(thrown)));
        Ok(())
    }
}
