//! Why a call gives nothing: a code for programs, a place, and the sentence for people.

use serde::Serialize;

use super::say;
use crate::base::Message;
use crate::engine::Failure;
use crate::graph::Fault;
use crate::planner::{Info, OptionError, PlanError};
use crate::text::Locale;

/// What kind of mistake it is. The names are part of the interface.
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
    /// An argument is of the wrong type.
    Argument,
}

impl Code {
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
            Code::Argument => "argument",
        }
    }
}

/// Why a call gives nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct Refusal {
    pub code: Code,
    /// Place of the (first) mistake as a JSON path: in the graph for [`Code::Fault`], else in the arguments, such as
    /// `options.tie`; empty = the whole.
    pub path: String,
    pub message: Message,
    /// Every fault of a graph that cannot be read; empty for all other codes.
    pub faults: Vec<Fault>,
}

/// A refusal in words.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Told {
    pub code: &'static str,
    pub path: String,
    pub message: String,
    pub faults: Vec<ToldFault>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ToldFault {
    pub path: String,
    pub message: String,
}

impl Refusal {
    pub fn new(code: Code, path: impl Into<String>, message: Message) -> Refusal {
        Refusal { code, path: path.into(), message, faults: Vec::new() }
    }

    /// A graph that cannot be read; the first fault stands for all.
    pub fn faults(faults: Vec<Fault>) -> Refusal {
        let first = faults.first().cloned().unwrap_or_else(|| Fault::new("", Message::new("fault.empty-file")));
        Refusal { code: Code::Fault, path: first.path, message: first.message, faults }
    }

    /// A document that was not read.
    pub fn unread(failure: Failure) -> Refusal {
        match failure {
            Failure::Faults(faults) => Refusal::faults(faults),
            Failure::NoReaders => Refusal::new(Code::Argument, "graph", Message::new("api.no-readers")),
            failure @ (Failure::NoDocument | Failure::Large(_)) => Refusal::new(Code::Fault, "", failure.message()),
        }
    }

    /// A planner that gives no plan.
    pub fn of_planner(info: &Info, error: &PlanError) -> Refusal {
        match error {
            PlanError::NotApplicable(why) => {
                let message = Message::new("cli.not-applicable").text("planner", info.id);
                Refusal::new(Code::NotApplicable, "", message.inner("why", why.message()))
            }
            PlanError::Infeasible { .. } => Refusal::new(Code::Infeasible, "options.capacity", error.message()),
            PlanError::Undecided { .. } => Refusal::new(Code::Undecided, "options.capacity", error.message()),
            error => Refusal::new(Code::Refused, "", error.message()),
        }
    }

    /// An option that a planner does not have, or a value that it does not take.
    pub fn of_option(info: &Info, error: &OptionError) -> Refusal {
        let key = match error {
            OptionError::Unknown { key, .. } | OptionError::Value { key, .. } => key,
        };
        let message = match error {
            OptionError::Unknown { key, known } if known.is_empty() => {
                Message::new("cli.no-options").text("key", key).text("planner", info.id)
            }
            error => error.message(),
        };
        Refusal::new(Code::Option, format!("options.{key}"), message)
    }

    /// The refusal in the words of a language. The sentence of a fault begins with its place.
    pub fn told(&self, locale: Locale) -> Told {
        let words = say(&self.message, locale);
        let is_placed = self.code == Code::Fault && !self.path.is_empty();
        let fault = |fault: &Fault| ToldFault { path: fault.path.clone(), message: say(&fault.message, locale) };
        Told {
            code: self.code.name(),
            path: self.path.clone(),
            message: if is_placed { format!("{}: {words}", self.path) } else { words },
            faults: self.faults.iter().map(fault).collect(),
        }
    }
}
