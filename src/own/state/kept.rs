//! The user's programs as the browser keeps them.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// Most deleted programs that can be brought back.
pub const DELETED: usize = 10;

/// All programs of a list.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// The programs in order.
    pub programs: Vec<KeptProgram>,
    /// Position of the one in the editor.
    pub at: usize,
    /// Those that were deleted and can be brought back, the last one last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deleted: Vec<KeptProgram>,
}

/// A program of the list.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KeptProgram {
    /// What people call it.
    pub name: String,
    /// The text.
    pub code: Rc<str>,
}

impl Kept {
    /// The list of a visit of before there were lists: a program without a name.
    pub fn of_text(text: &str) -> Option<Kept> {
        let code: Rc<str> = text.into();
        Kept { programs: vec![KeptProgram { name: String::new(), code }], ..Kept::default() }.sound()
    }

    /// Reads the form in which lists are kept; none for any other text, and for an empty list.
    pub fn read(text: &str) -> Option<Kept> {
        serde_json::from_str::<Kept>(text).ok()?.sound()
    }

    fn sound(mut self) -> Option<Kept> {
        // However many and however long: what a user wrote does not vanish.
        for programs in [&mut self.programs, &mut self.deleted] {
            programs.retain(|program| !program.code.trim().is_empty());
        }
        self.deleted.drain(..self.deleted.len().saturating_sub(DELETED));
        (!self.programs.is_empty() || !self.deleted.is_empty()).then_some(self)
    }

    /// Returns the form in which it is kept.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The text of the one in the editor.
    pub fn code(&self) -> Option<&str> {
        self.programs.get(self.at).map(|program| &*program.code)
    }

    /// Returns this with the programs that another tab has written or deleted. `seen` is the list
    /// of this tab as it was read or written last: what is no longer in it was changed, deleted or
    /// brought back here. A program whose name is taken is named anew when the list is read.
    pub fn with(mut self, other: Kept, seen: &Kept) -> Kept {
        let is_new = |program: &KeptProgram| {
            !seen.programs.contains(program) && self.programs.iter().all(|own| own.code != program.code)
        };
        let added: Vec<KeptProgram> = other.programs.into_iter().filter(is_new).collect();
        self.programs.extend(added);
        let is_new = |program: &KeptProgram| !seen.deleted.contains(program) && !self.deleted.contains(program);
        let deleted: Vec<KeptProgram> = other.deleted.into_iter().filter(is_new).collect();
        self.deleted.splice(..0, deleted);
        self.deleted.drain(..self.deleted.len().saturating_sub(DELETED));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_planners::outside::MAX_CODE;

    fn kept(names: &[&str]) -> Kept {
        let program = |name: &&str| KeptProgram { name: name.to_string(), code: format!("// {name}").into() };
        Kept { programs: names.iter().map(program).collect(), ..Kept::default() }
    }

    #[test]
    fn what_is_kept_reads_back_and_nothing_else_does() {
        let list = Kept { at: 1, ..kept(&["a.rhai", "b.rhai"]) };
        assert_eq!(Kept::read(&list.text()), Some(list));
        assert_eq!(Kept::read("fn place(buffer, gaps) { 0 }"), None);
        assert_eq!(
            Kept::read("{\"programs\":[{\"name\":\"a.rhai\",\"code\":\" \"}]}"),
            None,
            "nothing is written there"
        );
        assert_eq!(Kept::of_text("// old").and_then(|old| old.code().map(String::from)).as_deref(), Some("// old"));
    }

    #[test]
    fn long_lists_and_long_programs_are_read_whole() {
        let names: Vec<String> = (0..120).map(|number| format!("{number}.rhai")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut list = kept(&names);
        list.programs[119].code = format!("// {}", "x".repeat(2 * MAX_CODE)).into();
        assert_eq!(Kept::read(&list.text()), Some(list));
    }

    #[test]
    fn programs_of_another_tab_stay_and_deleted_ones_do_not() {
        let seen = kept(&["a.rhai", "gone.rhai"]);
        let theirs = kept(&["a.rhai", "theirs.rhai", "gone.rhai"]);
        let names: Vec<String> = kept(&["a.rhai"]).with(theirs, &seen).programs.into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["a.rhai", "theirs.rhai"]);
    }

    #[test]
    fn deleted_programs_of_another_tab_stay_unless_they_were_brought_back_here() {
        let deleted = |names: &[&str]| Kept { deleted: kept(names).programs, ..kept(&["a.rhai"]) };
        let names = |list: Kept| list.deleted.into_iter().map(|it| it.name).collect::<Vec<_>>();
        let seen = deleted(&["mine.rhai", "back.rhai"]);
        let theirs = deleted(&["theirs.rhai", "mine.rhai", "back.rhai"]);
        let now = deleted(&["mine.rhai", "last.rhai"]).with(theirs, &seen);
        assert_eq!(Kept::read(&now.text()), Some(now.clone()));
        assert_eq!(names(now), ["theirs.rhai", "mine.rhai", "last.rhai"]);
        let many: Vec<String> = (0..2 * DELETED).map(|number| format!("{number}.rhai")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(names(deleted(&["last.rhai"]).with(deleted(&many), &seen))[DELETED - 2..], ["19.rhai", "last.rhai"]);
        let only = Kept { programs: Vec::new(), ..deleted(&["a.rhai"]) };
        assert_eq!(Kept::read(&only.text()), Some(only), "they are there even if nothing else is");
    }

    #[test]
    fn two_tabs_with_programs_of_one_name_lose_neither() {
        let written = |code: &str| Kept {
            programs: vec![KeptProgram { name: "my_planner.rhai".into(), code: code.into() }],
            ..Kept::default()
        };
        let codes = |list: Kept| list.programs.iter().map(|it| it.code.to_string()).collect::<Vec<_>>();
        // Both began with the same list; the other one went on.
        let seen = written("// 1");
        assert_eq!(codes(written("// 1").with(written("// 2"), &seen)), ["// 1", "// 2"]);
        // What this one wrote itself is replaced by what it writes now.
        assert_eq!(codes(written("// 3").with(written("// 1"), &seen)), ["// 3"]);
    }
}
