//! The crate as a program of its own: questions and answers as bytes.

use std::cell::RefCell;

use memplan_core::base::Message;
use memplan_core::trace::Recorder;
use memplan_planners::outside::{Ask, Given, Told};
use memplan_planners::{Info, Options, branches};

use crate::classics::CLASSICS;
use crate::script;

thread_local! {
    /// The program that was asked about last, with its data sheet: sheets are kept for the rest of
    /// the run, and one program is asked again and again.
    static LAST: RefCell<Option<(String, &'static Info)>> = const { RefCell::new(None) };
}

/// Answers a question that was written as bytes; an empty answer to bytes that are none.
pub fn answer_packed(ask: &[u8]) -> Vec<u8> {
    // Plain values: writing them cannot fail.
    postcard::from_bytes(ask).map_or_else(|_| Vec::new(), |ask| postcard::to_stdvec(&answer(ask)).unwrap_or_default())
}

/// Answers a question.
pub fn answer(ask: Ask) -> Told {
    match ask {
        Ask::Read(code) => Told::Read(script::declared(&code).map(|declared| declared.sheet())),
        Ask::Classic(id) => {
            let classic = CLASSICS.iter().find(|classic| classic.planner == id);
            Told::Classic(classic.map(|classic| classic.code.to_string()))
        }
        Ask::Plan { given, window } => Told::Planned(options_of(&given).and_then(|options| {
            let mut recorder = window.map_or_else(Recorder::default, |(from, to)| Recorder::window(from..to));
            let planned = branches(given.input(), &options)
                .and_then(|branches| script::run(&given.code, given.input(), &options, branches, &mut recorder));
            planned.map(|plan| (plan, recorder.events)).map_err(|error| error.message())
        })),
        Ask::Statements { given, buffer } => Told::Statements(options_of(&given).and_then(|options| {
            let found = branches(given.input(), &options)
                .and_then(|branches| script::statements(&given.code, given.input(), &options, branches, buffer));
            found.map_err(|error| error.message())
        })),
    }
}

/// The options that are given to a program.
fn options_of(given: &Given) -> Result<Options, Message> {
    let known = LAST.with_borrow(|last| last.as_ref().filter(|(code, _)| *code == given.code).map(|(_, info)| *info));
    let info = match known {
        Some(info) => info,
        None => {
            let info = script::declared(&given.code)?.sheet().info("", "");
            LAST.replace(Some((given.code.to_string(), info)));
            info
        }
    };
    let given = given.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    info.options(given).map_err(|error| error.message())
}
