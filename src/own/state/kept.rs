//! The user's programs as the browser keeps them.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// All programs of a list.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// The programs in order.
    pub programs: Vec<KeptProgram>,
    /// Position of the one in the editor.
    pub at: usize,
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
        self.programs.retain(|program| !program.code.trim().is_empty());
        (!self.programs.is_empty()).then_some(self)
    }

    /// Returns the form in which it is kept.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The text of the one in the editor.
    pub fn code(&self) -> Option<&str> {
        self.programs.get(self.at).map(|program| &*program.code)
    }

    /// Returns this with the programs that another tab has written. `seen` is the list of this tab
    /// as it was read or written last: what is no longer in it was changed or deleted here. A
    /// program whose name is taken is named anew when the list is read.
    pub fn with(mut self, other: Kept, seen: &[KeptProgram]) -> Kept {
        let is_new =
            |program: &KeptProgram| !seen.contains(program) && self.programs.iter().all(|own| own.code != program.code);
        let added: Vec<KeptProgram> = other.programs.into_iter().filter(is_new).collect();
        self.programs.extend(added);
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
        let seen = kept(&["a.rhai", "gone.rhai"]).programs;
        let theirs = kept(&["a.rhai", "theirs.rhai", "gone.rhai"]);
        let names: Vec<String> = kept(&["a.rhai"]).with(theirs, &seen).programs.into_iter().map(|it| it.name).collect();
        assert_eq!(names, ["a.rhai", "theirs.rhai"]);
    }

    #[test]
    fn two_tabs_with_programs_of_one_name_lose_neither() {
        let written = |code: &str| Kept {
            programs: vec![KeptProgram { name: "my_planner.rhai".into(), code: code.into() }],
            ..Kept::default()
        };
        let codes = |list: Kept| list.programs.iter().map(|it| it.code.to_string()).collect::<Vec<_>>();
        // Both began with the same list; the other one went on.
        let seen = written("// 1").programs;
        assert_eq!(codes(written("// 1").with(written("// 2"), &seen)), ["// 1", "// 2"]);
        // What this one wrote itself is replaced by what it writes now.
        assert_eq!(codes(written("// 3").with(written("// 1"), &seen)), ["// 3"]);
    }
}
