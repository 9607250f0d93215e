//! Operators by their number in the file, and what the interpreter lets them do to an input.

use super::schema::OperatorCode;
use memplan_core::graph::tflite_operator;

const CUSTOM: i32 = 32;

/// An operator by its name: the custom one, or the number of an unknown operator.
pub struct Named {
    pub name: String,
    /// Whether it is none of the interpreter's own.
    pub is_custom: bool,
}

/// The operators of the file.
pub fn names<'a>(codes: impl Iterator<Item = OperatorCode<'a>>) -> Vec<Named> {
    let name = |code: OperatorCode| {
        // Old files have only the first number, new ones both; where the old field is too small it
        // holds 127.
        let number = code.builtin_code().max(i32::from(code.deprecated_builtin_code()));
        if number == CUSTOM {
            let name = code.custom_code().filter(|name| !name.is_empty()).unwrap_or("CUSTOM").to_string();
            return Named { name, is_custom: true };
        }
        match tflite_operator(number) {
            Some(name) => Named { name: name.to_string(), is_custom: false },
            None => Named { name: format!("BUILTIN_{number}"), is_custom: true },
        }
    };
    codes.map(name).collect()
}

/// What `TfLiteRegistration.inplace_operator` of a built-in operator permits for its first output.
///
/// **From**: tensorflow/tensorflow v2.21.0, the `Register_*` functions in
/// `tensorflow/lite/kernels/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    No,
    /// The output holds the very bytes of the first input.
    Same,
    /// The output may overwrite one of so many first inputs.
    Overwrite(usize),
}

pub fn sharing(operator: &str) -> Sharing {
    match operator {
        "RESHAPE" | "SQUEEZE" | "EXPAND_DIMS" | "BITCAST" => Sharing::Same,
        "ADD" | "SUB" | "MUL" | "DIV" => Sharing::Overwrite(2),
        "SOFTMAX" | "DYNAMIC_UPDATE_SLICE" => Sharing::Overwrite(1),
        _ => Sharing::No,
    }
}

/// Whether an operator runs other subgraphs of the file, whose memory is planned apart.
pub fn runs_subgraphs(operator: &str) -> bool {
    matches!(
        operator,
        "CALL" | "IF" | "WHILE" | "CALL_ONCE" | "STABLEHLO_WHILE" | "STABLEHLO_COMPOSITE" | "STABLEHLO_CASE"
    )
}
