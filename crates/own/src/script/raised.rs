//! Sentences of ours that pass through the language, and its words for types.

use memplan_core::base::Message;
use rhai::{Dynamic, EvalAltResult, Position};

/// A sentence of ours on its way through the language.
#[derive(Clone)]
pub struct Raised(pub Message);

/// Returns an error with a sentence of ours; the language adds the place.
pub fn raise(message: Message) -> Box<EvalAltResult> {
    Box::new(EvalAltResult::ErrorRuntime(Dynamic::from(Raised(message)), Position::NONE))
}

/// What the documentation calls a type of the language.
pub fn type_word(name: &str) -> &str {
    let name = name.rsplit("::").next().unwrap_or(name);
    match name {
        "i64" | "INT" => "integer",
        "&str | ImmutableString | String" | "ImmutableString" | "string" | "&str" | "String" => "string",
        "Array" | "array" => "array",
        "Map" | "map" => "map",
        "()" | "unit" => "()",
        "FnPtr" | "Fn" => "function",
        "BufferValue" => "Buffer",
        "GapValue" => "Gap",
        other => other,
    }
}
