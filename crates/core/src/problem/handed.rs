//! Bytes that one buffer hands over to another in place: in the step that both have in common they
//! count once.

use std::collections::{BTreeMap, BTreeSet};

use super::{Buffer, BufferId, Gap, Inplace, Live, Problem, Span};
use crate::base::IdVec;
use crate::graph::{Kind, TensorId};

/// Pairs `(acceptor, donor)`.
pub type Pair = (BufferId, BufferId);

/// Buffers with steps.
pub type Cuts = BTreeSet<(BufferId, u32)>;

/// Lets donors give way: in the step in which the acceptor begins, the donor's bytes that it takes
/// are in use as its own. Only pairs with exactly one step in common count, and of a donor the
/// first.
pub fn give_way(problem: &mut Problem, pairs: impl IntoIterator<Item = Pair>) {
    let mut given: BTreeSet<BufferId> = BTreeSet::new();
    for (acceptor, donor) in pairs.into_iter().filter(|(_, donor)| given.insert(*donor)) {
        let (size, start) = (problem.buffers[acceptor].size, problem.buffers[acceptor].live.start);
        let from = &mut problem.buffers[donor];
        if acceptor == donor || size == 0 || !from.live.contains(start) || from.live.end != start + 1 {
            continue;
        }
        let window = (size < from.size).then_some((size, from.size));
        let gap = Gap { live: Live::new(start, start + 1), window };
        if !from.gaps.contains(&gap) {
            from.gaps.push(gap);
        }
    }
}

/// Makes buffers that hand their bytes over one buffer, and returns for each old buffer the new
/// one. Such a buffer is as large as the largest of them, and what none of them uses is a gap.
/// Buffers that are alive together in any other step stay apart. `cuts`: buffers with the steps at
/// which new contents follow the old ones, which to the others is as if a buffer ended there.
pub fn join_handed(problem: Problem, pairs: &[Pair], cuts: &Cuts) -> (Problem, IdVec<BufferId, BufferId>) {
    let groups = groups(&problem, pairs, cuts);
    if groups.is_empty() {
        let same = problem.buffers.ids().collect();
        return (problem, same);
    }
    // The group in the place of its first buffer; none in those of the others.
    let mut at: BTreeMap<BufferId, Option<&Vec<BufferId>>> = BTreeMap::new();
    for group in &groups {
        at.extend(group.iter().map(|&id| (id, None)));
        at.insert(group[0], Some(group));
    }
    let mut joined = Problem { buffers: IdVec::new(), ..problem.clone() };
    let mut new: IdVec<BufferId, BufferId> = problem.buffers.ids().collect();
    for (id, buffer) in problem.buffers.enumerate() {
        match at.get(&id) {
            None => new[id] = joined.buffers.push(buffer.clone()),
            Some(None) => {}
            Some(Some(group)) => {
                let whole = joined.buffers.push(join(&problem, group, cuts));
                group.iter().for_each(|&part| new[part] = whole);
            }
        }
    }
    let moved = |&Inplace { node, input, output }: &Inplace| Inplace { node, input: new[input], output: new[output] };
    let pairs = problem.inplace.iter().map(moved).filter(|pair| pair.input != pair.output);
    joined.inplace = pairs.collect();
    (joined, new)
}

/// The buffers that may become one, at least two in each group, by number.
fn groups(problem: &Problem, pairs: &[Pair], cuts: &Cuts) -> Vec<Vec<BufferId>> {
    let mut parent: BTreeMap<BufferId, BufferId> = BTreeMap::new();
    fn find(parent: &mut BTreeMap<BufferId, BufferId>, mut id: BufferId) -> BufferId {
        while let Some(&up) = parent.get(&id) {
            // Halves the path.
            match parent.get(&up).copied() {
                Some(top) => _ = parent.insert(id, top),
                None => return up,
            }
            id = up;
        }
        id
    }
    for &(acceptor, donor) in pairs {
        let (one, other) = (find(&mut parent, acceptor), find(&mut parent, donor));
        if one != other {
            parent.insert(one.max(other), one.min(other));
        }
    }
    let mut members: BTreeMap<BufferId, BTreeSet<BufferId>> = BTreeMap::new();
    for &id in pairs.iter().flat_map(|(acceptor, donor)| [acceptor, donor]) {
        let first = find(&mut parent, id);
        members.entry(first).or_default().insert(id);
    }
    let handed: BTreeSet<Pair> = pairs.iter().copied().collect();
    let groups = members.into_values().map(|group| group.into_iter().collect::<Vec<BufferId>>());
    groups.filter(|group| group.len() > 1 && follow(problem, group, &handed, cuts)).collect()
}

/// The spans of some buffers by start.
fn spans(problem: &Problem, group: &[BufferId], cuts: &Cuts) -> Vec<(Span, BufferId)> {
    let mut spans: Vec<(Span, BufferId)> = Vec::new();
    for &id in group {
        for span in problem.buffers[id].spans() {
            let Live { mut start, end } = span.live;
            for &(_, cut) in cuts.range((id, start + 1)..(id, end)) {
                spans.push((Span { live: Live::new(start, cut), ..span }, id));
                start = cut;
            }
            spans.push((Span { live: Live::new(start, end), ..span }, id));
        }
    }
    spans.sort_by_key(|(span, id)| (span.live.start, span.live.end, *id));
    spans
}

/// Whether the buffers follow one another in one memory: two have no step in common but the one in
/// which the first hands over.
fn follow(problem: &Problem, group: &[BufferId], handed: &BTreeSet<Pair>, cuts: &Cuts) -> bool {
    let mut before: Option<(Live, BufferId)> = None;
    let memory = problem.buffers[group[0]].memory;
    group.iter().all(|&id| problem.buffers[id].memory == memory)
        && spans(problem, group, cuts).into_iter().all(|(Span { live, .. }, id)| {
            let follows = before.is_none_or(|(last, other)| {
                live.start >= last.end || other != id && live.start + 1 == last.end && handed.contains(&(id, other))
            });
            before = Some((live, id));
            follows
        })
}

/// The buffer in which all of a group lie.
fn join(problem: &Problem, group: &[BufferId], cuts: &Cuts) -> Buffer {
    let members = || group.iter().map(|&id| &problem.buffers[id]);
    let first = members().min_by_key(|buffer| buffer.live.start).unwrap_or(&problem.buffers[group[0]]);
    let size = members().map(|buffer| buffer.size).max().unwrap_or(0);
    let start = members().map(|buffer| buffer.live.start).min().unwrap_or(0);
    let end = members().map(|buffer| buffer.live.end).max().unwrap_or(start + 1);
    let parts: Vec<(u64, u64, Live)> =
        spans(problem, group, cuts).into_iter().map(|(span, _)| (span.low, span.high, span.live)).collect();
    // What comes from outside or is handed to the caller makes the whole so.
    let has = |kind: Kind| members().any(|buffer| buffer.kind == kind);
    let kinds = [Kind::Input, Kind::Weight, Kind::Output];
    let mut tensors: Vec<TensorId> = first.tensors.clone();
    tensors.extend(members().filter(|buffer| !std::ptr::eq(*buffer, first)).flat_map(|buffer| &buffer.tensors));
    Buffer {
        size,
        live: Live::new(start, end),
        align: members().map(|buffer| buffer.align).max().unwrap_or(1),
        kind: kinds.into_iter().find(|&kind| has(kind)).unwrap_or(Kind::Intermediate),
        gaps: gaps(size, Live::new(start, end), &parts),
        tensors,
        ..first.clone()
    }
}

/// The gaps of parts that follow one another, with those before the first and behind the last.
fn gaps(size: u64, whole: Live, parts: &[(u64, u64, Live)]) -> Vec<Gap> {
    let mut gaps = super::parts::gaps(size, parts);
    let first = parts.iter().map(|(.., live)| live.start).min().unwrap_or(whole.end);
    let last = parts.iter().map(|(.., live)| live.end).max().unwrap_or(whole.end);
    let outside = [(whole.start, first), (last, whole.end)];
    gaps.extend(
        outside
            .iter()
            .filter(|(from, to)| from < to)
            .map(|&(from, to)| Gap { live: Live::new(from, to), window: None }),
    );
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Memory, load, lower_bound};

    fn problem(buffers: &[(u64, u32, u32)]) -> Problem {
        let buffer = |(index, &(size, start, end)): (usize, &(u64, u32, u32))| {
            Buffer::of(format!("b{index}"), size, Live::new(start, end))
        };
        Problem {
            buffers: buffers.iter().enumerate().map(buffer).collect(),
            memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
            steps: 9,
            ..Problem::default()
        }
    }

    fn pairs(pairs: &[(u32, u32)]) -> Vec<Pair> {
        pairs.iter().map(|&(acceptor, donor)| (BufferId(acceptor), BufferId(donor))).collect()
    }

    #[test]
    fn bytes_handed_over_count_once() {
        // Equal sizes, a smaller acceptor, and a larger one.
        let given = problem(&[(8, 0, 3), (8, 2, 5), (3, 4, 7), (9, 6, 9)]);
        let chain = pairs(&[(1, 0), (2, 1), (3, 2)]);
        assert_eq!(load(&given, |_| true).by_step(9), [8, 8, 16, 8, 11, 3, 12, 9, 9]);
        let once = [8, 8, 8, 8, 8, 3, 9, 9, 9];
        let mut yielding = given.clone();
        give_way(&mut yielding, chain.clone());
        assert_eq!((load(&yielding, |_| true).by_step(9), lower_bound(&yielding)), (once.to_vec(), 9));
        let (joined, new) = join_handed(given, &chain, &Cuts::new());
        assert_eq!((joined.buffers.len(), new.as_slice()), (1, &[BufferId(0); 4][..]));
        assert_eq!((load(&joined, |_| true).by_step(9), lower_bound(&joined)), (once.to_vec(), 9));
        // Either way round it is the same.
        let (again, _) = join_handed(yielding, &chain, &Cuts::new());
        assert_eq!(load(&again, |_| true).by_step(9), once);
    }

    #[test]
    fn what_lies_between_two_contents_is_free() {
        let mut given = problem(&[(8, 0, 9), (4, 2, 4), (5, 0, 9)]);
        given.buffers[BufferId(0)].gaps = vec![Gap { live: Live::new(3, 6), window: None }];
        let (joined, new) = join_handed(given, &pairs(&[(1, 0)]), &Cuts::new());
        assert_eq!(new.as_slice(), [BufferId(0), BufferId(0), BufferId(1)]);
        assert_eq!(load(&joined, |id| id.0 == 0).by_step(9), [8, 8, 8, 4, 0, 0, 8, 8, 8]);
    }

    /// A parameter whose bytes the first node takes, and the second hands back as the output.
    #[test]
    fn contents_that_follow_at_once_are_two() {
        let given = problem(&[(8, 0, 5), (8, 1, 3)]);
        let there_and_back = pairs(&[(1, 0), (0, 1)]);
        let (apart, _) = join_handed(given.clone(), &there_and_back, &Cuts::new());
        assert_eq!(apart, given);
        let (joined, _) = join_handed(given, &there_and_back, &Cuts::from([(BufferId(0), 2)]));
        assert_eq!((joined.buffers.len(), load(&joined, |_| true).by_step(5)), (1, vec![8; 5]));
    }

    #[test]
    fn buffers_that_are_alive_together_stay_apart() {
        for (buffers, wanted) in [
            (&[(8, 0, 4), (8, 2, 5)][..], &[(1, 0)][..]),
            (&[(8, 0, 3), (8, 2, 5), (8, 4, 6), (8, 1, 2)], &[(1, 0), (2, 1), (3, 0)]),
        ] {
            let given = problem(buffers);
            let (joined, new) = join_handed(given.clone(), &pairs(wanted), &Cuts::new());
            assert_eq!((&joined, new.len()), (&given, buffers.len()));
        }
        let given = problem(&[(8, 0, 4), (8, 2, 5)]);
        let mut same = given.clone();
        give_way(&mut same, pairs(&[(1, 0)]));
        assert_eq!(same, given, "more than one step in common");
    }
}
