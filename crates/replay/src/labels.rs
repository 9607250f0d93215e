//! Short names of buffers: what all names of a file share is left out, and what a name repeats.
//!
//! The whole name stays in tooltips, in copied text and for screen readers. What is still too long
//! for its place loses its middle there.

use std::borrow::Cow;

use memplan_core::base::{Id, IdVec, Names};
use memplan_core::graph::Graph;
use memplan_core::problem::{BufferId, Problem};

/// Fewest names with a path that share a prefix for it to be left out.
const SHARED_BY: usize = 3;

/// Fewest rows of a list that a heading stands above, on average.
const ROWS_PER_GROUP: usize = 3;

/// Times that labels are compared with whole names, of which there are more each time.
const MAX_ROUNDS: u32 = 4;

/// The label of each buffer, and the group that its name belongs to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Labels {
    /// None if the label is the name.
    short: IdVec<BufferId, Option<Box<str>>>,
}

impl Labels {
    /// Shortens all names of a problem.
    pub fn new(problem: &Problem, graph: Option<&Graph>) -> Labels {
        let compressed: Vec<Cow<str>> = problem.buffers.iter().map(|buffer| compressed(&buffer.name)).collect();
        let prefix = shared(&compressed);
        // Names of a graph are told apart as they are.
        let is_whole = |label: &Cow<str>| matches!(label, Cow::Borrowed(_));
        if graph.is_some() && prefix.is_empty() && compressed.iter().all(is_whole) {
            return Labels::default();
        }
        let labels: Vec<&str> = compressed.iter().map(|label| label.strip_prefix(prefix).unwrap_or(label)).collect();
        // The first with the same label; itself for most.
        let mut seen: Names<&str, u32> = Names::with_capacity_and_hasher(labels.len(), Default::default());
        let firsts: Vec<u32> = (0..).zip(&labels).map(|(at, label)| *seen.entry(label).or_insert(at)).collect();
        let mut several = vec![false; labels.len()];
        (0..).zip(&firsts).filter(|(at, first)| at != *first).for_each(|(_, &first)| several[first as usize] = true);
        let label = |(id, &label): (BufferId, &&str)| {
            let buffer = &problem.buffers[id];
            let unique = if several[firsts[id.index()] as usize] {
                let maker = graph
                    .and_then(|graph| graph.nodes.get(memplan_core::base::Id::from_index(buffer.live.start as usize)));
                Cow::from(format!("{label} · {}", maker.map_or(&buffer.name, |node| &node.op)))
            } else {
                Cow::from(label)
            };
            (unique != buffer.name && !label.is_empty()).then(|| unique.into())
        };
        let mut short: IdVec<BufferId, Option<Box<str>>> = problem.buffers.ids().zip(&labels).map(label).collect();
        // An operator may be no difference either.
        let mut taken: Names<&str, u32> = Names::default();
        short.iter().flatten().for_each(|label| *taken.entry(label).or_default() += 1);
        let alike: Vec<BufferId> =
            short.ids().filter(|&id| short[id].as_deref().is_some_and(|label| taken[label] > 1)).collect();
        alike.into_iter().for_each(|id| short[id] = None);
        // Nor may a label be what another buffer is called in full.
        for round in 0.. {
            let whole: Names<&str, ()> = problem
                .buffers
                .enumerate()
                .filter(|(id, _)| short[*id].is_none())
                .map(|(_, buffer)| (buffer.name.as_str(), ()))
                .collect();
            let is_taken = |label: &str| whole.contains_key(label) || round == MAX_ROUNDS;
            let taken: Vec<BufferId> = short.ids().filter(|&id| short[id].as_deref().is_some_and(is_taken)).collect();
            if taken.is_empty() {
                break;
            }
            taken.into_iter().for_each(|id| short[id] = None);
        }
        Labels { short }
    }

    /// Returns the label, if it is shorter than the name.
    pub fn of(&self, buffer: BufferId) -> Option<&str> {
        self.short.get(buffer)?.as_deref()
    }
}

/// What PyTorch's ONNX exporter ends the name of an operator's first output with.
const FIRST_OUTPUT: &str = "_output_0";

/// A name without what it repeats: TFLite's fused names end at the first `;`, the first slash means
/// nothing, and a part of a path goes that the next one begins with
/// (`features/features.18/features.18.0` of ONNX). Of the outputs of an operator of ONNX only those
/// behind the first are numbered.
pub fn compressed(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|byte| matches!(byte, b';' | b'/')) {
        return name.into();
    }
    let first = name.split(';').find(|part| !part.trim().is_empty()).unwrap_or(name);
    let parts: Vec<&str> = first.split('/').collect();
    let repeated = |(part, next): (&&str, &&str)| next.strip_prefix(*part).is_some_and(|rest| rest.starts_with('.'));
    let kept = (0..parts.len()).filter(|&at| {
        let next = parts.get(at + 1);
        let is_empty_first = at == 0 && parts[at].is_empty() && parts.len() > 1;
        !is_empty_first && !next.is_some_and(|next| repeated((&parts[at], next)))
    });
    let whole = kept.map(|at| parts[at]).collect::<Vec<_>>().join("/");
    match whole.strip_suffix(FIRST_OUTPUT) {
        Some(operator) if !operator.is_empty() && !operator.ends_with('/') => operator.to_string().into(),
        _ => whole.into(),
    }
}

/// The longest prefix of whole parts that all names with a path share, unless a label would be a
/// number without it.
fn shared<'l>(labels: &'l [Cow<str>]) -> &'l str {
    let is_cut = |letter: char| matches!(letter, '/' | '.');
    let with_path: Vec<&str> = labels.iter().map(|label| &**label).filter(|label| has_path(label)).collect();
    let Some((first, others)) = with_path.split_first() else { return "" };
    if with_path.len() < SHARED_BY || 2 * with_path.len() < labels.len() {
        return "";
    }
    let mut length = first.len();
    for other in others {
        let same = first.bytes().zip(other.bytes()).take(length).take_while(|(a, b)| a == b).count();
        length = same;
    }
    // A byte at which letters differ may lie inside a letter; a cut never does.
    let mut cuts = first.match_indices(is_cut).map(|(at, cut)| at + cut.len()).filter(|&end| end <= length);
    let is_clear =
        |&end: &usize| with_path.iter().all(|label| label[end..].starts_with(|next: char| !next.is_ascii_digit()));
    cuts.rfind(is_clear).map_or("", |end| &first[..end])
}

/// Where the parts of a path end. A cut is one byte, and no part of another letter: bytes are read
/// quicker than letters.
fn cuts(label: &str) -> impl Iterator<Item = usize> {
    label.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'/' | b'.')).map(|(at, _)| at)
}

fn has_path(label: &str) -> bool {
    cuts(label).next().is_some()
}

/// The headings of a list of labels: for each row that a heading stands above, the row and the path
/// that the rows below share. None where fewer than half of the labels have a path, or where the
/// headings would be many for few rows.
pub fn headings(labels: &[&str]) -> Vec<(usize, String)> {
    let depths: Vec<usize> = labels.iter().map(|label| cuts(label).count()).collect();
    if 2 * depths.iter().filter(|depth| **depth > 0).count() < labels.len() {
        return Vec::new();
    }
    let most = labels.len() / ROWS_PER_GROUP;
    let at_depth = |depth: usize| {
        let mut headings: Vec<(usize, &str)> = Vec::new();
        for (row, label) in labels.iter().enumerate() {
            let end = cuts(label).take(depth).last().unwrap_or(0);
            if headings.last().is_none_or(|(_, path)| *path != &label[..end]) {
                headings.push((row, &label[..end]));
            }
            if headings.len() > most {
                break;
            }
        }
        headings
    };
    let fits = |headings: &Vec<(usize, &str)>| headings.len() > 1 && headings.len() <= most;
    let deepest = depths.into_iter().max().unwrap_or(0);
    let found = (1..=deepest.min(12)).rev().map(at_depth).find(fits).unwrap_or_default();
    found.into_iter().map(|(row, path)| (row, path.to_string())).collect()
}

/// A label under a heading: without the path that stands there. Where a number would be left, the
/// parts before it that say of what it is the number stay.
pub fn under<'l>(label: &'l str, heading: &str) -> &'l str {
    let is_cut = |letter: char| matches!(letter, '/' | '.');
    let is_under = !heading.is_empty() && label.strip_prefix(heading).is_some_and(|rest| rest.starts_with(is_cut));
    let Some(shown) = label.get(..heading.len() + 1).filter(|_| is_under) else { return label };
    let mut starts = shown.match_indices(is_cut).map(|(at, cut)| &label[at + cut.len()..]).rev();
    starts.find(|rest| rest.starts_with(|first: char| !first.is_ascii_digit())).unwrap_or(label)
}

/// The path of whole parts that all of some labels share, without the cut behind it; empty for a
/// single label.
pub fn common_path<'l>(mut labels: impl Iterator<Item = &'l str>) -> &'l str {
    let Some(first) = labels.next() else { return "" };
    let mut rest = labels.peekable();
    if rest.peek().is_none() {
        return "";
    }
    let last = first.match_indices(['/', '.']).map(|(at, _)| at).next_back();
    let mut path = last.map_or("", |at| &first[..at]);
    for label in rest {
        while !path.is_empty() && !label.strip_prefix(path).is_some_and(|rest| rest.starts_with(['/', '.'])) {
            path = path.rfind(['/', '.']).map_or("", |at| &path[..at]);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use memplan_core::problem::{Buffer, Live};

    #[test]
    fn repeated_parts_and_fused_names_go() {
        assert_eq!(compressed("/features/features.18/features.18.0/Conv_output_0"), "features.18.0/Conv");
        assert_eq!(compressed("/GlobalAveragePool_output_0"), "GlobalAveragePool");
        assert_eq!(compressed("/Split_output_1"), "Split_output_1");
        assert_eq!(compressed("x_output_0"), "x_output_0");
        assert_eq!(compressed("/a/_output_0"), "a/_output_0");
        assert_eq!(compressed("net/out_relu/Relu6;net/Conv_1/convolution"), "net/out_relu/Relu6");
        assert_eq!((compressed("a"), compressed("/"), compressed(";")), ("a".into(), "".into(), ";".into()));
    }

    #[test]
    fn no_two_buffers_have_one_label() {
        let sets: [&[&str]; 4] = [
            &["net/a/x", "net/a/y", "net/b/z", "a/x", "x"],
            &["/f/c_output_0", "f/c", "c", "/c_output_0"],
            &["net/x", "net/y", "net/z", "x · x", "x", "x · net/x"],
            &["a;b", "a", "a;c", "/a", "a/", "//a"],
        ];
        for names in sets {
            let buffers = names.iter().map(|name| Buffer::of(*name, 8, Live::new(0, 1))).collect();
            let problem = Problem { buffers, steps: 1, ..Problem::default() };
            let labels = Labels::new(&problem, None);
            let shown = |id: BufferId| labels.of(id).unwrap_or(&problem.buffers[id].name).to_string();
            let all: BTreeSet<String> = problem.buffers.ids().map(shown).collect();
            assert_eq!(all.len(), names.len(), "{names:?}: {all:?}");
        }
    }

    #[test]
    fn a_prefix_of_whole_parts_goes_if_no_number_is_left() {
        let shared =
            |names: &[&str]| shared(&names.iter().map(|&name| Cow::from(name)).collect::<Vec<_>>()).to_string();
        assert_eq!(shared(&["net_1/a/x", "net_1/a/y", "net_1/b", "input"]), "net_1/");
        assert_eq!(shared(&["net.0.a", "net.1.b", "net.2.c"]), "");
        assert_eq!(shared(&["unet.down.0", "unet.up.0", "unet.mid"]), "unet.");
        assert_eq!(shared(&["split.a", "b", "c", "d", "e"]), "");
        assert_eq!(shared(&["模型/甲/a", "模型/乙/b", "模型/丙/c"]), "模型/");
    }

    #[test]
    fn headings_stand_above_rows_that_share_a_path() {
        let labels = ["in", "f.0/a", "f.0/b", "f.0/c", "f.1/a", "f.1/b", "f.1/c", "f.1/d", "g/x", "g/y", "g/z", "g/w"];
        let found = headings(&labels);
        let expected = [(0, ""), (1, "f.0"), (4, "f.1"), (8, "g")].map(|(row, path)| (row, path.to_string()));
        assert_eq!(found, expected);
        assert_eq!(headings(&["a", "b", "c.d"]), []);
        assert_eq!((under("f.0/a", "f.0"), under("f.0/a", "f"), under("in", "")), ("a", "f.0/a", "in"));
        assert_eq!(
            under("f.2/conv.0.0/out", "f.2/conv"),
            "conv.0.0/out",
            "no number alone, and no more than is needed"
        );
        assert_eq!(under("f.22/a", "f.2"), "f.22/a", "whole parts only");
        let common = |labels: &[&'static str]| common_path(labels.iter().copied());
        assert_eq!(common(&["f.2/conv.0.0/out", "f.2/conv.0.2/out", "f.2/conv.0/x"]), "f.2/conv.0");
        assert_eq!([common(&["f/a", "g/b"]), common(&["f/a"]), common(&[]), common(&["a", "f/b"])], [""; 4]);
    }
}
