//! The pairs of buffers of one pool that hold the same bytes at the same step.

use super::Plan;
use super::violation::{BufferPairs, Violation};
use crate::problem::{BufferId, Problem};

/// Bytes `[low, high)` of a pool that a buffer uses in the steps `[start, end)`.
struct Piece {
    buffer: BufferId,
    start: u32,
    end: u32,
    low: u64,
    high: u64,
}

/// Returns the overlaps between `members`, which share a pool, in order of buffers, and none for
/// the pairs in `taken`. No more are looked for once `most` are found that are no `quirks`.
///
/// A sweep over starts: each piece is compared only with what is alive on its bytes. Time
/// `O((n + k) log n)` for `n` pieces and `k` pairs of pieces that overlap.
pub(super) fn overlaps(
    problem: &Problem,
    plan: &Plan,
    members: &[BufferId],
    (taken, quirks): (&BufferPairs, &BufferPairs),
    most: usize,
) -> Vec<Violation> {
    if members.len() < 2 || most == 0 {
        return Vec::new();
    }
    let mut pieces: Vec<Piece> = Vec::with_capacity(members.len());
    for &buffer in members {
        let offset = plan.places[buffer].map_or(0, |place| place.offset);
        for span in problem.buffers[buffer].spans() {
            let (low, high) = (offset.saturating_add(span.low), offset.saturating_add(span.high));
            if low < high && !span.live.is_empty() {
                pieces.push(Piece { buffer, start: span.live.start, end: span.live.end, low, high });
            }
        }
    }
    pieces.sort_by_key(|piece| (piece.start, piece.buffer));
    let mut by_end: Vec<usize> = (0..pieces.len()).collect();
    by_end.sort_by_key(|&at| pieces[at].end);
    let mut ended = by_end.into_iter().peekable();
    let mut alive = Alive::new(&pieces);
    // Buffers with gaps may meet more than once; the first time counts.
    let mut known = std::collections::BTreeSet::new();
    let (mut found, mut faults) = (Vec::new(), 0);
    for (at, piece) in pieces.iter().enumerate() {
        while let Some(old) = ended.next_if(|&old| pieces[old].end <= piece.start) {
            alive.set(old, 0);
        }
        alive.each_on(piece, &mut |other| {
            let other = &pieces[other];
            let (a, b) = (piece.buffer.min(other.buffer), piece.buffer.max(other.buffer));
            if taken.contains(a, b) || !known.insert((a, b)) {
                return;
            }
            let steps = (piece.start, piece.end.min(other.end));
            let bytes = (piece.low.max(other.low), piece.high.min(other.high));
            found.push((a, b, Violation::Overlap { a, b, steps, bytes }));
            faults += usize::from(!quirks.contains(a, b));
        });
        if faults >= most {
            break;
        }
        alive.set(at, piece.high);
    }
    found.sort_by_key(|&(a, b, _)| (a, b));
    found.into_iter().map(|(_, _, violation)| violation).collect()
}

/// The pieces alive at a step, in order of address.
struct Alive {
    /// First bytes of all pieces, dead ones too, in ascending order.
    lows: Vec<u64>,
    /// The piece at each position of `lows`, and the position of each piece.
    pieces: Vec<usize>,
    positions: Vec<usize>,
    /// A complete binary tree, its root at 1, with the largest end of what is alive below each
    /// node; 0 if nothing is. Its leaves are the positions.
    ends: Vec<u64>,
}

impl Alive {
    fn new(all: &[Piece]) -> Alive {
        let mut pieces: Vec<usize> = (0..all.len()).collect();
        pieces.sort_by_key(|&at| all[at].low);
        let mut positions = vec![0; all.len()];
        for (position, &piece) in pieces.iter().enumerate() {
            positions[piece] = position;
        }
        let ends = vec![0; 2 * all.len().next_power_of_two()];
        Alive { lows: pieces.iter().map(|&at| all[at].low).collect(), pieces, positions, ends }
    }

    /// Lets a piece live up to the byte `end`, or die with 0.
    fn set(&mut self, piece: usize, end: u64) {
        let mut node = self.ends.len() / 2 + self.positions[piece];
        self.ends[node] = end;
        while node > 1 {
            node /= 2;
            self.ends[node] = self.ends[2 * node].max(self.ends[2 * node + 1]);
        }
    }

    /// Visits each piece alive that has a byte of `piece`: it begins before the end of `piece` and
    /// ends behind its start.
    fn each_on(&self, piece: &Piece, visit: &mut dyn FnMut(usize)) {
        let leaves = self.ends.len() / 2;
        let before = self.lows.partition_point(|&low| low < piece.high);
        // A node with the first position below it and their number.
        let mut open = vec![(1, 0, leaves)];
        while let Some((node, first, count)) = open.pop() {
            if first >= before || self.ends[node] <= piece.low {
                continue;
            }
            if count == 1 {
                visit(self.pieces[first]);
            } else {
                open.extend([(2 * node + 1, first + count / 2, count / 2), (2 * node, first, count / 2)]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Place, Pool, PoolId, PoolRole, Quirk, QuirkKind, check, faults};
    use super::*;
    use crate::problem::{Buffer, Gap, Live, Memory};

    fn at(buffers: Vec<(Buffer, u64)>) -> (Problem, Plan) {
        let places = buffers.iter().map(|&(_, offset)| Some(Place { pool: PoolId(0), offset })).collect();
        let size = buffers.iter().map(|(buffer, offset)| offset + buffer.size).max().unwrap_or(0);
        let pool = Pool { name: "p".into(), size, device: "cpu".into(), role: PoolRole::Arena };
        let problem = Problem {
            steps: buffers.iter().map(|(buffer, _)| buffer.live.end).max().unwrap_or(0),
            buffers: buffers.into_iter().map(|(buffer, _)| buffer).collect(),
            memories: vec![Memory { device: "cpu".into(), mem_id: None }].into(),
            ..Problem::default()
        };
        (problem, Plan { pools: vec![pool].into(), places, ..Plan::default() })
    }

    fn buffer(number: u32, size: u64, live: (u32, u32)) -> Buffer {
        Buffer::of(format!("b{number}"), size, Live::new(live.0, live.1))
    }

    /// The first steps and the bytes that two buffers share, step by step.
    fn first_met(problem: &Problem, plan: &Plan, a: BufferId, b: BufferId) -> Option<(u32, (u64, u64))> {
        (0..problem.steps).find_map(|step| {
            let used = |id: BufferId| {
                let (range, offset) =
                    (problem.buffers[id].used_at(step), plan.places[id].map_or(0, |place| place.offset));
                (range.start + offset, range.end + offset, range.is_empty())
            };
            let (one, two) = (used(a), used(b));
            let bytes = (one.0.max(two.0), one.1.min(two.1));
            (!one.2 && !two.2 && bytes.0 < bytes.1).then_some((step, bytes))
        })
    }

    #[test]
    fn the_sweep_finds_what_every_pair_at_every_step_shows() {
        let mut seed = 7u64;
        let mut below = |limit: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % limit
        };
        let mut met = 0;
        for _ in 0..300 {
            let buffers = (0..8)
                .map(|number| {
                    let start = below(8) as u32;
                    let mut buffer = buffer(number, below(6), (start, start + 1 + below(8) as u32));
                    for _ in 0..below(3) {
                        let from = start + below(6) as u32;
                        let low = below(5);
                        let window = (below(2) == 0).then(|| (low, low + below(4)));
                        buffer.gaps.push(Gap { live: Live::new(from, from + 1 + below(3) as u32), window });
                    }
                    (buffer, below(12))
                })
                .collect();
            let (problem, plan) = at(buffers);
            let mut expected = Vec::new();
            for a in problem.buffers.ids() {
                for b in problem.buffers.ids().filter(|&b| b > a) {
                    expected.extend(first_met(&problem, &plan, a, b).map(|(step, bytes)| (a, b, step, bytes)));
                }
            }
            let found: Vec<_> = check(&problem, &plan)
                .into_iter()
                .filter_map(|violation| match violation {
                    Violation::Overlap { a, b, steps, bytes } => Some((a, b, steps.0, bytes)),
                    _ => None,
                })
                .collect();
            met += found.len();
            assert_eq!(found, expected, "{problem:?} {plan:?}");
        }
        assert!(met > 1000, "{met}");
    }

    /// Comparing all that is alive together would take minutes.
    #[test]
    fn sixty_thousand_buffers_alive_together_are_checked() {
        let (mut problem, mut plan) =
            at((0..60_000).map(|number| (buffer(number, 4, (0, 2)), 4 * u64::from(number))).collect());
        assert_eq!(check(&problem, &plan), []);
        let id = |number: u32| BufferId(number);
        plan.places[id(45_000)] = plan.places[id(15_000)];
        assert_eq!(
            check(&problem, &plan),
            [Violation::Overlap { a: id(15_000), b: id(45_000), steps: (0, 2), bytes: (60_000, 60_004) }]
        );
        // Half of them take over from the other half.
        for number in 0..30_000 {
            problem.buffers[id(number + 30_000)].live = Live::new(1, 3);
            plan.places[id(number + 30_000)] = plan.places[id(number)];
            plan.shared.push((id(number + 30_000), id(number)));
        }
        problem.steps = 3;
        assert_eq!(check(&problem, &plan), []);
        plan.quirks = plan.shared.drain(..).map(|(a, b)| Quirk { kind: QuirkKind::IgnoredRead, a, b }).collect();
        assert_eq!((check(&problem, &plan).len(), faults(&problem, &plan)), (30_000, vec![]));
    }

    /// Going through all gaps of a buffer for each pair would take minutes.
    #[test]
    fn forty_thousand_gaps_are_gone_through_once() {
        let mut long = buffer(0, 8, (0, 160_000));
        long.gaps = (0..40_000).map(|gap| Gap { live: Live::new(4 * gap, 4 * gap + 2), window: None }).collect();
        let short = (1..40_000).map(|number| (buffer(number, 8, (4 * number, 4 * number + 2)), 0));
        let (mut problem, plan) = at(std::iter::once((long, 0)).chain(short).collect());
        assert_eq!(check(&problem, &plan), []);
        problem.buffers[BufferId(30_000)].live.end += 1;
        let steps = (120_002, 120_003);
        let overlap = Violation::Overlap { a: BufferId(0), b: BufferId(30_000), steps, bytes: (0, 8) };
        assert_eq!(check(&problem, &plan), [overlap]);
    }
}
