//! The classic planners as programs. Tests prove each equal to the planner of memplan.

/// A classic planner as a program.
#[derive(Clone, Copy, Debug)]
pub struct Classic {
    /// Id of the planner of memplan that it equals.
    pub planner: &'static str,
    /// Options of that planner with values other than the defaults.
    pub options: &'static [(&'static str, &'static str)],
    /// The program.
    pub code: &'static str,
}

macro_rules! classics {
    ($($planner:literal $options:expr, $file:literal;)*) => {
        /// All of them.
        pub const CLASSICS: &[Classic] = &[$(Classic {
            planner: $planner,
            options: &$options,
            code: include_str!(concat!("../classics/", $file, ".rhai")),
        },)*];
    };
}

classics! {
    "first-fit" [], "first_fit";
    "best-fit" [], "best_fit";
    "worst-fit" [], "worst_fit";
    "greedy-by-size" [], "greedy_by_size";
    "greedy-by-breadth" [], "greedy_by_breadth";
    "tflm-greedy" [], "tflm_greedy";
    "beam" [("k", "1")], "beam_of_width_1";
}
