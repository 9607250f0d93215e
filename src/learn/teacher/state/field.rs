//! The fields of the forms in the teacher's corner.

/// A field of the forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// What is done: a kind of links.
    Kind,
    /// `seed`, `open` for the document that is open, or `own` for buffers that are typed in.
    Source,
    /// The buffers that are typed in.
    Own,
    /// Id of the planner of instances.
    Planner,
    /// The seed.
    Seed,
    /// How hard instances are.
    Difficulty,
    /// The decision that is asked about alone; empty = the first one with a choice.
    Decision,
    /// The figure that is asked about.
    Ask,
    /// The step whose load is asked about.
    Step,
    /// The buffer whose offset is asked about; empty = the first one.
    Buffer,
    /// The ratio to be beaten.
    Beat,
    /// The largest peak over the bound that a program may have; empty = its places are compared.
    Most,
    /// What a program begins with; empty = a function without a body.
    Template,
    /// Number of questions.
    Of,
    /// Right answers that are needed; empty = all.
    Pass,
    /// What is kept off the picture: names between commas.
    Hide,
    /// What may be looked at.
    Help,
    /// Attempts; empty = any number.
    Tries,
    /// The questions of lessons: `1.a,2.c`.
    Questions,
    /// Name of the exercise.
    Id,
    /// Language; empty = the student's.
    Lang,
    /// Links to check against.
    Links,
    /// Lines that students sent.
    Lines,
    /// Second planner of a worksheet.
    Second,
    /// Third planner of a worksheet.
    Third,
    /// Decisions that a worksheet gives.
    Given,
    /// `a4` or `letter`.
    Paper,
}

impl Field {
    /// Whether the link of an exercise depends on it.
    pub const fn is_of_link(self) -> bool {
        !matches!(self, Field::Links | Field::Lines | Field::Second | Field::Third | Field::Given | Field::Paper)
    }
}

/// Number of fields.
pub const FIELDS: usize = Field::Paper as usize + 1;
