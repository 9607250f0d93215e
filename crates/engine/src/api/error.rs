//! Errors of calls: a code for programs, a place, and a sentence for people.

use serde::Serialize;

use super::say;
use crate::Failure;
use memplan_core::base::{Message, suggest};
use memplan_core::graph::Fault;
use memplan_core::text::Locale;
use memplan_formats::import::Document;
use memplan_planners::{Info, OptionError, PlanError};

/// The kind of an error. The names are part of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Code {
    /// The graph cannot be read: every fault is listed.
    Fault,
    /// There is no such planner.
    Planner,
    /// The planner cannot use this graph.
    NotApplicable,
    /// The planner's own rules forbid a plan.
    Refused,
    /// No plan fits the capacity asked for, as a search has proved.
    Infeasible,
    /// The budget of a search ended before it knew whether a plan fits the capacity asked for.
    Undecided,
    /// The planner has no such option, or it does not take the value.
    Option,
    /// There is no such setting, or it does not take the value, or it gives no sizes.
    Scope,
    /// There is no such frame, level or picture.
    Frame,
    /// The document holds no plan.
    NoPlan,
    /// The file may be misread: its own plan contradicts what was read, and nothing is proved or
    /// written.
    Misread,
    /// An argument is of the wrong type.
    Argument,
}

impl Code {
    /// Returns the code as programs see it.
    pub const fn name(self) -> &'static str {
        match self {
            Code::Fault => "fault",
            Code::Planner => "planner",
            Code::NotApplicable => "not-applicable",
            Code::Refused => "refused",
            Code::Infeasible => "infeasible",
            Code::Undecided => "undecided",
            Code::Option => "option",
            Code::Scope => "scope",
            Code::Frame => "frame",
            Code::NoPlan => "no-plan",
            Code::Misread => "misread",
            Code::Argument => "argument",
        }
    }
}

/// The error of a call.
#[derive(Clone, PartialEq, Debug)]
pub struct ApiError {
    /// Its kind.
    pub code: Code,
    /// Place of the (first) error as a JSON path: in the graph for [`Code::Fault`], else in the
    /// arguments, such as `options.tie`; empty = the whole.
    pub path: String,
    /// The sentence for people.
    pub message: Message,
    /// Every fault of a graph that cannot be read; empty for all other codes.
    pub faults: Vec<Fault>,
}

/// An error with its sentences, as programs see it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ErrorRecord {
    /// See [`Code::name`].
    pub code: &'static str,
    /// See [`ApiError::path`].
    pub path: String,
    /// The sentence.
    pub message: String,
    /// Every fault of a graph that cannot be read.
    pub faults: Vec<FaultRecord>,
}

/// A fault of a graph with its sentence.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FaultRecord {
    /// Place in the graph as a JSON path.
    pub path: String,
    /// The sentence.
    pub message: String,
}

impl ApiError {
    /// Returns an error without faults.
    pub fn new(code: Code, path: impl Into<String>, message: Message) -> ApiError {
        ApiError { code, path: path.into(), message, faults: Vec::new() }
    }

    /// Returns the error of a graph that cannot be read; its place and sentence are those of the
    /// first fault.
    pub fn faults(faults: Vec<Fault>) -> ApiError {
        let first = faults.first().cloned().unwrap_or_else(|| Fault::new("", Message::new("fault.empty-file")));
        ApiError { code: Code::Fault, path: first.path, message: first.message, faults }
    }

    /// Returns the error of a document that was not opened.
    pub fn unread(failure: Failure) -> ApiError {
        match failure {
            Failure::Faults(faults) => ApiError::faults(faults),
            Failure::NoReaders => ApiError::new(Code::Argument, "graph", Message::new("api.no-readers")),
            failure @ (Failure::NoDocument
            | Failure::NotRead
            | Failure::NoWriter
            | Failure::NoWords(_)
            | Failure::Large(_)) => ApiError::new(Code::Fault, "", failure.message()),
        }
    }

    /// Returns an error if a document may be misread.
    ///
    /// # Errors
    /// [`Code::Misread`].
    pub fn unless_misread(document: &Document) -> Result<(), ApiError> {
        let misread = |why: &Message| Err(ApiError::new(Code::Misread, "", why.clone()));
        document.misreading().map_or(Ok(()), misread)
    }

    /// Returns the error of a planner that makes no plan.
    pub fn of_planner(info: &Info, error: &PlanError) -> ApiError {
        match error {
            PlanError::NotApplicable(why) => {
                let message = Message::new("cli.not-applicable").text("planner", info.id);
                ApiError::new(Code::NotApplicable, "", message.inner("why", why.message()))
            }
            PlanError::Infeasible { .. } => ApiError::new(Code::Infeasible, "options.capacity", error.message()),
            PlanError::Undecided { .. } => ApiError::new(Code::Undecided, "options.capacity", error.message()),
            error => ApiError::new(Code::Refused, "", error.message()),
        }
    }

    /// Returns the error of a planner that makes no plan, of which only the reason is left.
    pub fn of_reason(why: &Message) -> ApiError {
        let (code, path) = match &*why.key {
            "fault.infeasible" | "fault.infeasible-one" | "fault.infeasible-perhaps-fewer" => {
                (Code::Infeasible, "options.capacity")
            }
            "fault.undecided" => (Code::Undecided, "options.capacity"),
            "misread.file" => (Code::Misread, ""),
            "compare.no-own-plan" => (Code::NoPlan, ""),
            _ => (Code::Refused, ""),
        };
        ApiError::new(code, path, why.clone())
    }

    /// Returns the error of an option that a planner does not have, or of a value that it does not
    /// take.
    pub fn of_option(info: &Info, error: &OptionError) -> ApiError {
        let key = match error {
            OptionError::Unknown { key, .. } | OptionError::Value { key, .. } => key,
        };
        let message = match error {
            OptionError::Unknown { key, known } if known.is_empty() => {
                Message::new("cli.no-options").text("key", key).text("planner", info.id)
            }
            OptionError::Unknown { key, known } => suggest(error.message(), key, known.iter().copied()),
            error => error.message(),
        };
        ApiError::new(Code::Option, format!("options.{key}"), message)
    }

    /// Returns the error with its sentences in a language. The sentence of a fault begins with its
    /// place.
    pub fn record(&self, locale: Locale) -> ErrorRecord {
        let words = say(&self.message, locale);
        let is_placed = self.code == Code::Fault && !self.path.is_empty();
        let fault = |fault: &Fault| FaultRecord { path: fault.path.clone(), message: say(&fault.message, locale) };
        ErrorRecord {
            code: self.code.name(),
            path: self.path.clone(),
            message: if is_placed { format!("{}: {words}", self.path) } else { words },
            faults: self.faults.iter().map(fault).collect(),
        }
    }
}
