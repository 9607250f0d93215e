//! Groups of names that share a storage, and the clock that counts wrapper lines.
//!
//! From `torch/_inductor/codegen/memory_planning.py`, `MemoryPlanner.compute_buffer_groups` and
//! `compute_live_ranges`.

use std::collections::{HashMap, HashSet};

use crate::wrapper_lines::Line;

/// The names that share one storage, and the range in steps of memory lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineGroup {
    /// All names, the representative first.
    pub names: Vec<usize>,
    /// Line that allocates it.
    pub begin: u32,
    /// Excluded. Equal to `begin` for a group that is never freed and is no output.
    pub end: u32,
    /// Whether the graph returns it.
    pub is_output: bool,
}

/// Groups in order of their allocation lines, with their ranges.
pub fn groups(lines: &[Line], removed: &HashSet<usize>, outputs: &HashSet<usize>) -> Vec<LineGroup> {
    let drop_removed = |line: &Line| match *line {
        Line::Alloc { buffer, .. } | Line::Free { buffer, .. } if removed.contains(&buffer) => Line::Null,
        Line::Reuse { old, .. } if removed.contains(&old) => Line::Null,
        line => line,
    };
    let lines: Vec<Line> = lines.iter().map(drop_removed).collect();
    let mut groups: Vec<LineGroup> = Vec::new();
    let mut group_of: HashMap<usize, usize> = HashMap::new();
    for line in &lines {
        match *line {
            Line::Alloc { buffer, .. } => {
                group_of.insert(buffer, groups.len());
                groups.push(LineGroup { names: vec![buffer], begin: 0, end: 0, is_output: false });
            }
            Line::Reuse { old, new } => {
                // Storage out of an extern kernel has no group and stays outside.
                if let Some(&group) = group_of.get(&old) {
                    groups[group].names.push(new);
                    group_of.insert(new, group);
                }
            }
            _ => {}
        }
    }
    for group in &mut groups {
        group.is_output = group.names.iter().any(|name| outputs.contains(name));
    }
    let last_step = ranges(&lines, &group_of, &mut groups);
    for group in groups.iter_mut().filter(|group| group.is_output) {
        group.end = last_step + 1;
    }
    groups
}

/// Every maximal run of memory lines is one step. Returns the last step.
fn ranges(lines: &[Line], group_of: &HashMap<usize, usize>, groups: &mut [LineGroup]) -> u32 {
    let mut step = 0;
    let mut in_run = false;
    let mut seen = vec![false; groups.len()];
    for line in lines {
        if line.is_memory_line() && !in_run {
            step += 1;
        }
        in_run = line.is_memory_line();
        let touched = match *line {
            Line::Alloc { buffer, .. } | Line::Free { buffer, .. } => group_of.get(&buffer),
            _ => None,
        };
        if let Some(&index) = touched {
            let group = &mut groups[index];
            if !std::mem::replace(&mut seen[index], true) {
                group.begin = step;
            }
            group.end = step;
        }
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_memory_lines_are_steps_and_outputs_outlive_them() {
        use Line::*;
        let alloc = |buffer| Alloc { buffer, node: buffer };
        let lines = [alloc(0), Other, Other, alloc(1), Null, Free { buffer: 0, node: 1 }, Other, Null];
        let found = groups(&lines, &HashSet::new(), &HashSet::from([1]));
        assert_eq!(
            found,
            [
                LineGroup { names: vec![0], begin: 1, end: 2, is_output: false },
                LineGroup { names: vec![1], begin: 2, end: 4, is_output: true },
            ]
        );
    }
}
