//! The form of an exercise, where it asks about one buffer, about a figure, or for buffers on
//! which a planner wastes much.

use crate::learn::teacher::state::form::{Field, Form, Offered};
use memplan_core::base::Message;
use memplan_teach::exercise::activity::{Asks, Buffers, FEWEST_BUFFERS, FEWEST_STEPS};
use memplan_teach::exercise::figure::Figure;
use memplan_teach::exercise::link::read_ratio;

/// What the field of a figure may hold.
pub const ASKED: [&str; 5] = ["load", "bound", "offset", "peak", "waste"];

/// On how many sets of buffers a program runs until the teacher writes another number.
const PROGRAM_SETS: u64 = 20;

impl Form {
    /// Whether the number of questions is chosen.
    pub fn counts_questions(&self) -> bool {
        self.activity().counts_questions(self.is_seeded())
    }

    /// Whether there is one thing to reach, so that there is nothing to choose.
    pub fn is_passed_by_one(&self) -> bool {
        self.activity().is_passed_by_one(self.is_seeded())
    }

    /// Two thirds of what is asked, rounded up; empty, which is all, where its number is not known.
    pub(crate) fn usual_pass(&self) -> String {
        let of = match self.activity().questions(self.is_seeded()) {
            Some(of) => Some(of.into()),
            None if self.activity().asks == Asks::Lessons => Some(self.questions().len()),
            None => self.read(Field::Of).trim().parse::<usize>().ok(),
        };
        let of = if self.is_usual_program() { Some(PROGRAM_SETS as usize) } else { of };
        of.map_or_else(String::new, |of| self.usual_right(of as u64).to_string())
    }

    /// Whether a program is asked for, and nobody has written on how many sets of buffers it runs.
    fn is_usual_program(&self) -> bool {
        self.activity().asks == Asks::Program && !self.is_of_written
    }

    /// How many right answers are usually enough: a program has to be right everywhere.
    pub(super) fn usual_right(&self, of: u64) -> u64 {
        if self.activity().asks == Asks::Program { of } else { Form::two_thirds(of) }
    }

    /// Two thirds of what is asked, rounded up.
    fn two_thirds(of: u64) -> u64 {
        of.saturating_mul(2).div_ceil(3)
    }

    /// The number of questions until the teacher writes one: that of the form, or as many as there
    /// are.
    pub(super) fn usual_of(&self, most: u64) -> Option<u64> {
        if self.is_usual_program() {
            return Some(PROGRAM_SETS);
        }
        let usual = self.read(Field::Of).trim().parse().unwrap_or(most);
        Some(most.min(usual)).filter(|usual| !self.is_of_written && *usual > 0)
    }

    /// What a field shows where the open document is asked about.
    pub fn shown(&self, field: Field, offered: Option<&Offered>) -> String {
        let most = offered.filter(|_| !self.is_seeded() && self.counts_questions()).map(|it| it.asked.len() as u64);
        let of = most.and_then(|most| self.usual_of(most));
        match (field, of) {
            (Field::Of, _) if self.is_usual_program() => PROGRAM_SETS.to_string(),
            (Field::Of, Some(of)) => of.to_string(),
            (Field::Pass, Some(of)) if !self.is_pass_written => Form::two_thirds(of).to_string(),
            _ => self.read(field).to_string(),
        }
    }

    /// The buffers of which the offset can be asked: those of the open document, or those that
    /// every instance has.
    pub fn offsets(&self, offered: Option<&Offered>) -> Vec<String> {
        match offered.filter(|_| !self.is_seeded()) {
            Some(offered) => offered.offsets.clone(),
            None => ('A'..='Z').take(FEWEST_BUFFERS).map(String::from).collect(),
        }
    }

    /// The decision that is asked about alone.
    pub(super) fn decision(&self, offered: &Offered) -> Option<u32> {
        let is_asked = self.activity().asks == Asks::OnePlace;
        let mut asked = offered.asked.iter().map(|(decision, _)| *decision).filter(|_| is_asked);
        let first = asked.clone().next();
        asked.find(|decision| decision.to_string() == self.read(Field::Decision)).or(first)
    }

    /// The figure that is asked about, as a link has it; empty for other kinds.
    pub(crate) fn ask(&self, offered: Option<&Offered>) -> Result<String, Message> {
        if self.activity().asks == Asks::Lessons {
            let asked = self.questions();
            return Ok(asked.iter().map(|(lesson, id)| format!("{lesson}.{id}")).collect::<Vec<_>>().join(","));
        }
        if self.activity().asks != Asks::Figures {
            return Ok(String::new());
        }
        let steps = offered.map_or(FEWEST_STEPS, |offered| offered.steps);
        if steps == 0 {
            return Err(Message::new("number.too-many").count("most", memplan_teach::exercise::figure::MOST));
        }
        let figure = match self.read(Field::Ask) {
            "load" => Figure::Load(self.whole(Field::Step, "teach.bad-step", 0, u64::from(steps) - 1)? as u32),
            "offset" => {
                let names = self.offsets(offered);
                let chosen = names.iter().find(|name| *name == self.read(Field::Buffer)).or(names.first());
                Figure::Offset(chosen.cloned().ok_or_else(|| Message::new("teach.no-offsets"))?)
            }
            "peak" => Figure::Peak,
            "waste" => Figure::Waste,
            _ => Figure::Bound,
        };
        Ok(figure.write())
    }

    /// The largest peak over the bound that a program may have; none where its places are compared.
    pub(crate) fn most(&self) -> Result<Option<u16>, Message> {
        let most = Some(self.read(Field::Most).trim()).filter(|most| !most.is_empty());
        let most = most.filter(|_| self.activity().asks == Asks::Program);
        most.map(|most| read_ratio("most", most)).transpose().map_err(|_| Message::new("teach.bad-most"))
    }

    /// What a program begins with; empty for other kinds.
    pub(crate) fn template(&self) -> String {
        if self.activity().asks == Asks::Program { self.read(Field::Template).to_string() } else { String::new() }
    }

    /// The ratio that is to be beaten; none for other kinds.
    pub(crate) fn beat(&self) -> Result<Option<u16>, Message> {
        let is_asked = self.activity().buffers == Buffers::Board;
        let ratio = is_asked.then(|| read_ratio("beat", self.read(Field::Beat).trim())).transpose();
        ratio.map_err(|_| Message::new("teach.bad-beat"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_teach::exercise::activity::Kind;
    use memplan_teach::exercise::link::{ExerciseLink, Help, Source};

    fn with(fields: &[(Field, &str)]) -> Form {
        let mut form = Form::default();
        fields.iter().for_each(|(field, text)| form.write(*field, text.to_string()));
        form
    }

    fn read(form: &Form, offered: Option<&Offered>) -> ExerciseLink {
        ExerciseLink::read(&form.link(offered).expect("a link")).expect("an exercise")
    }

    #[test]
    fn the_right_answers_that_are_needed_follow_the_kind() {
        let pass = |fields: &[(Field, &str)]| with(fields).read(Field::Pass).to_string();
        for (kind, needed) in [
            ("predict", "4"),
            ("number", "4"),
            ("place", "1"),
            ("lesson", "2"),
            ("write", "20"),
            ("pack", "2"),
            ("tetris", "2"),
            ("order", "2"),
            ("debug", "1"),
            ("break", "1"),
        ] {
            assert_eq!(pass(&[(Field::Kind, kind)]), needed, "{kind}");
            if kind != "place" {
                assert!(with(&[(Field::Kind, kind)]).link(None).is_ok(), "{kind}");
            }
        }
        assert_eq!(pass(&[(Field::Of, "10")]), "7");
        assert_eq!(pass(&[(Field::Of, "many")]), "");
        // What is written stays, and is refused where it is too large.
        let written = with(&[(Field::Pass, "4"), (Field::Kind, "order")]);
        assert_eq!((written.read(Field::Pass), why(&written, None).as_str()), ("4", "teach.bad-goals"));
        let written = with(&[(Field::Pass, "4"), (Field::Kind, "lesson")]);
        assert_eq!(why(&written, None), "teach.bad-pass");
    }

    fn why(form: &Form, offered: Option<&Offered>) -> String {
        form.link(offered).expect_err("refused").key.into_owned()
    }

    #[test]
    fn a_figure_of_instances_is_asked_as_often_as_wanted() {
        let seeded = |ask: &str, more: (Field, &str)| {
            with(&[(Field::Kind, "number"), (Field::Of, "3"), (Field::Pass, "2"), (Field::Ask, ask), more])
        };
        let bound = read(&seeded("bound", (Field::Id, "")), None);
        assert_eq!(
            (bound.kind, bound.ask.as_str(), bound.of, bound.pass, bound.bits),
            (Kind::Number, "bound", 3, 2, true)
        );
        assert_eq!(read(&seeded("load", (Field::Step, "4")), None).ask, "load@4");
        assert_eq!(
            why(&seeded("load", (Field::Step, "5")), None),
            "teach.bad-step",
            "not every instance has that step"
        );
        assert_eq!(read(&seeded("offset", (Field::Buffer, "F")), None).ask, "offset:F");
        assert_eq!(read(&seeded("offset", (Field::Buffer, "G")), None).ask, "offset:A", "not every instance has G");
        for asked in ASKED {
            let form = seeded(asked, (Field::Id, ""));
            assert!(Figure::list(&read(&form, None).ask).is_some_and(|list| list.len() == 1), "{asked}");
        }
    }

    #[test]
    fn a_figure_of_the_open_document_is_one_question() {
        let offered = Offered {
            doc: "ex:teaching".into(),
            planner: "naive".into(),
            offsets: vec!["x:1".into(), "y".into()],
            steps: 8,
            ..Offered::default()
        };
        let open = |ask: &str, more: (Field, &str)| {
            with(&[(Field::Kind, "number"), (Field::Source, "open"), (Field::Ask, ask), more])
        };
        let peak = read(&open("peak", (Field::Id, "")), Some(&offered));
        // Nothing is to be predicted of that planner, and the usual number of right answers is not
        // asked for.
        assert_eq!((peak.planner.as_str(), peak.of, peak.pass, peak.bits), ("naive", 1, 1, false));
        assert_eq!(read(&open("load", (Field::Step, "7")), Some(&offered)).ask, "load@7");
        assert_eq!(read(&open("offset", (Field::Buffer, "")), Some(&offered)).ask, "offset:x%3A1");
        assert_eq!(why(&open("bound", (Field::Id, "")), None), "teach.no-document");
        let large = Offered { steps: 0, ..offered.clone() };
        assert_eq!(why(&open("bound", (Field::Id, "")), Some(&large)), "number.too-many");
        let storages = Offered { offsets: Vec::new(), ..offered };
        assert_eq!(why(&open("offset", (Field::Id, "")), Some(&storages)), "teach.no-offsets");
    }

    #[test]
    fn a_board_needs_a_planner_and_a_ratio() {
        let form =
            with(&[(Field::Kind, "break"), (Field::Planner, "best-fit"), (Field::Beat, " 1.8 "), (Field::Tries, "2")]);
        let link = read(&form, None);
        assert_eq!(
            (link.source, link.planner.as_str(), link.beat, link.tries),
            (Source::Board, "best-fit", Some(180), Some(2))
        );
        assert_eq!((link.of, link.pass, link.help, link.bits), (1, 1, Help::None, false));
        assert!(!form.is_seeded());
        let wrong = with(&[(Field::Kind, "break"), (Field::Beat, "much")]);
        assert_eq!(why(&wrong, None), "teach.bad-beat");
    }
}
