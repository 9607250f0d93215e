//! Which arena a tensor goes to, by the operator that makes it or by its kind: what a custom memory
//! pool pass states.

use crate::{MAX_NAMES, PlanError};
use memplan_core::base::Message;
use memplan_core::graph::{Graph, Kind};
use memplan_core::problem::{Buffer, Problem};

/// One line of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    what: What,
    mem_id: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    Kind(Kind),
    /// Lower-case name of an operator or of one of its parts; with `open`, only the beginning of
    /// one.
    Op {
        name: String,
        open: bool,
    },
}

/// A table of rules; the first one that fits decides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    rules: Vec<Rule>,
}

impl Rules {
    /// Reads `conv*=2;kind:input=3`: operator or kind, `=`, arena. Lines are divided by commas,
    /// semicolons or blanks. An operator fits by its whole name or by a part of it between dots and
    /// colons, whatever the case; a `*` at the end stands for any ending.
    ///
    /// # Errors
    /// [`PlanError::Refused`] with every line that is not understood.
    pub fn read(text: &str) -> Result<Rules, PlanError> {
        let unknown: Vec<&str> = lines(text).filter(|line| rule(line).is_none()).collect();
        if !unknown.is_empty() {
            let message = Message::new("fault.executorch-rule").count("n", unknown.len() as u64);
            return Err(PlanError::Refused(message.text("lines", quoted(&unknown))));
        }
        Ok(Rules { rules: lines(text).filter_map(rule).collect() })
    }

    /// Returns the rules that match no buffer when used alone, and those that cannot be read.
    pub fn idle<'a>(text: &'a str, problem: &Problem, graph: Option<&Graph>) -> Vec<&'a str> {
        let fits = |line: &&str| {
            let arenas = Rules::read(line).map(|rules| rules.arenas(problem.buffers.iter(), graph));
            arenas.is_ok_and(|arenas| arenas.iter().any(Option::is_some))
        };
        lines(text).filter(|line| !fits(line)).collect()
    }

    /// The arena for a buffer made by the operator `op`, if some rule fits.
    pub fn arena(&self, kind: Kind, op: Option<&str>) -> Option<u32> {
        let op = op.map(str::to_lowercase);
        let fits = |rule: &&Rule| match (&rule.what, &op) {
            (What::Kind(wanted), _) => *wanted == kind,
            (What::Op { name, open }, Some(op)) => {
                let same = |part: &str| if *open { part.starts_with(name) } else { part == name };
                same(op) || op.split(['.', ':']).any(same)
            }
            (What::Op { .. }, None) => false,
        };
        self.rules.iter().find(fits).map(|rule| rule.mem_id)
    }

    /// Returns an entry for each buffer, in order: the arena of the first rule that fits, or none.
    /// Arenas count from 1.
    pub fn arenas<'a>(&self, buffers: impl Iterator<Item = &'a Buffer>, graph: Option<&Graph>) -> Vec<Option<u32>> {
        if self.rules.is_empty() {
            return buffers.map(|_| None).collect();
        }
        let mut makers: Vec<Option<&str>> = Vec::new();
        if let Some(graph) = graph {
            makers.resize(graph.tensors.len(), None);
            for node in graph.nodes.iter().filter(|node| !node.is_placeholder()) {
                node.outputs.iter().for_each(|tensor| makers[tensor.0 as usize] = Some(&node.op));
            }
        }
        let maker = |buffer: &Buffer| makers.get(buffer.tensors.first()?.0 as usize).copied().flatten();
        buffers.map(|buffer| self.arena(buffer.kind, maker(buffer))).collect()
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|line| !line.is_empty())
}

/// What was not understood, as it is reported; of many only the first ones.
pub fn quoted(words: &[&str]) -> String {
    let shown = words.iter().take(MAX_NAMES).map(|word| format!("“{word}”"));
    let more = (words.len() > MAX_NAMES).then(|| "…".to_string());
    shown.chain(more).collect::<Vec<_>>().join(", ")
}

fn rule(line: &str) -> Option<Rule> {
    let (what, mem_id) = line.split_once('=')?;
    let mem_id = mem_id.parse().ok().filter(|mem_id| *mem_id > 0)?;
    let what = match what.strip_prefix("kind:") {
        Some(kind) => What::Kind(Kind::ALL.into_iter().find(|known| known.name() == kind)?),
        None if what.is_empty() => return None,
        None => {
            let open = what.ends_with('*');
            What::Op { name: what.trim_end_matches('*').to_lowercase(), open }
        }
    };
    Some(Rule { what, mem_id })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_fits_decides() {
        let rules = Rules::read("mul=1, conv*=2;kind:input=3 aten.add.out=4").expect("understood");
        let arena = |op| rules.arena(Kind::Intermediate, Some(op));
        assert_eq!(arena("aten.mul.out"), Some(1));
        assert_eq!(arena("MUL"), Some(1));
        assert_eq!(arena("aten::convolution"), Some(2));
        assert_eq!(arena("aten.add.out"), Some(4));
        assert_eq!(arena("aten.addmm.out"), None);
        assert_eq!(rules.arena(Kind::Input, None), Some(3));
    }

    #[test]
    fn a_line_that_is_not_understood_is_named() {
        for line in ["mul", "=2", "mul=0", "mul=x", "kind:other=2"] {
            let error = Rules::read(&format!("add=1,{line}")).expect_err("not understood");
            let message = Message::new("fault.executorch-rule").count("n", 1u64).text("lines", format!("“{line}”"));
            assert_eq!(error, PlanError::Refused(message));
        }
        let error = Rules::read("mul;add=1 =2,kind:other=3").expect_err("three are not understood");
        let message =
            Message::new("fault.executorch-rule").count("n", 3u64).text("lines", "“mul”, “=2”, “kind:other=3”");
        assert_eq!(error, PlanError::Refused(message));
        assert_eq!(Rules::read(" ; "), Ok(Rules::default()));
    }
}
