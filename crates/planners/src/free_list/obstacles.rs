//! Bytes that the input itself assigns: nobody else may lie on them while their owner lives.

use super::block::Block;
use memplan_core::problem::Live;

#[derive(Clone, Copy)]
struct Obstacle {
    live: Live,
    span: Block,
}

/// Stated positions of one arena, asked in order of birth.
#[derive(Default)]
pub struct Obstacles {
    /// In order of start.
    all: Vec<Obstacle>,
    /// How many of `all` are born.
    born: usize,
    alive: Vec<Obstacle>,
}

impl Obstacles {
    /// Adds one; they come in order of birth.
    pub fn add(&mut self, live: Live, span: Block) {
        self.all.push(Obstacle { live, span });
    }

    /// The spans, in address order, of those whose life meets `live`. Lives are asked for in order
    /// of start.
    pub fn met_by(&mut self, live: Live) -> Vec<Block> {
        while let Some(next) = self.all.get(self.born).filter(|next| next.live.start <= live.start) {
            self.alive.push(*next);
            self.born += 1;
        }
        self.alive.retain(|obstacle| obstacle.live.end > live.start);
        let later = self.all[self.born..].iter().take_while(|obstacle| obstacle.live.start < live.end);
        let mut spans: Vec<Block> = self.alive.iter().chain(later).map(|obstacle| obstacle.span).collect();
        spans.sort_by_key(|span| span.start);
        spans
    }
}

/// Both lists as one in address order, its spans not touching.
pub fn merged(a: &[Block], b: &[Block]) -> Vec<Block> {
    let mut all: Vec<Block> = a.iter().chain(b).copied().collect();
    all.sort_by_key(|span| span.start);
    let mut spans: Vec<Block> = Vec::with_capacity(all.len());
    for span in all {
        match spans.last_mut().filter(|last| span.start <= last.end) {
            Some(last) => last.end = last.end.max(span.end),
            None => spans.push(span),
        }
    }
    spans
}

/// The pieces of `blocks` inside `spans`; both in address order, spans do not overlap.
pub fn within(blocks: impl Iterator<Item = Block>, spans: &[Block]) -> Vec<Block> {
    let mut pieces = Vec::new();
    for block in blocks {
        let first = spans.partition_point(|span| span.end <= block.start);
        let met = spans[first..].iter().take_while(|span| span.start < block.end);
        pieces.extend(met.map(|span| Block { start: span.start.max(block.start), end: span.end.min(block.end) }));
    }
    pieces
}

/// The free pieces of `blocks` outside `spans`; both in address order, spans may overlap.
pub fn without(blocks: impl Iterator<Item = Block>, spans: &[Block]) -> Vec<Block> {
    let mut pieces = Vec::new();
    let mut next = 0;
    for mut block in blocks {
        while next < spans.len() && spans[next].end <= block.start {
            next += 1;
        }
        for span in spans[next..].iter().take_while(|span| span.start < block.end) {
            if block.start < span.start {
                pieces.push(Block { start: block.start, end: span.start });
            }
            block.start = block.start.max(span.end);
        }
        if block.start < block.end {
            pieces.push(block);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_avoid_overlapping_spans() {
        let block = |start, end| Block { start, end };
        let blocks = [block(0, 10), block(20, 30), block(40, u64::MAX)];
        let spans = [block(2, 4), block(3, 8), block(5, 6), block(18, 22), block(29, 45), block(50, 60)];
        let pieces = without(blocks.into_iter(), &spans);
        assert_eq!(pieces, [block(0, 2), block(8, 10), block(22, 29), block(45, 50), block(60, u64::MAX)]);
    }

    #[test]
    fn spans_merge_and_cut_pieces_out_of_blocks() {
        let block = |start, end| Block { start, end };
        let spans = merged(&[block(2, 4), block(18, 22)], &[block(3, 8), block(8, 9), block(29, 45)]);
        assert_eq!(spans, [block(2, 9), block(18, 22), block(29, 45)]);
        let blocks = [block(0, 10), block(20, 30), block(40, u64::MAX)];
        let pieces = within(blocks.into_iter(), &spans);
        assert_eq!(pieces, [block(2, 9), block(20, 22), block(29, 30), block(40, 45)]);
    }
}
