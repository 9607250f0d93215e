//! The free lists of ggml's `ggml_dyn_tallocr`: chunks, each a list of free blocks and the highest
//! end ever used.

/// Chunks with a limit that one allocator can have; the chunk after them has none.
const LIMITED_CHUNKS: usize = 15;

/// Most free blocks of a chunk, `MAX_FREE_BLOCKS` of the original.
pub const MAX_BLOCKS: usize = 256;

/// End of a chunk without a limit, `SIZE_MAX / 2` of the original.
pub const ENDLESS: u64 = i64::MAX as u64;

/// Free bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// First byte.
    pub start: u64,
    /// Number of bytes.
    pub size: u64,
}

impl Block {
    /// First byte above it.
    pub fn end(self) -> u64 {
        self.start + self.size
    }

    /// Whether it ends where a chunk without a limit does.
    pub fn is_endless(self) -> bool {
        self.end() == ENDLESS
    }
}

/// One buffer of a backend.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Free blocks by first byte. A block of 0 bytes may lie inside another.
    pub blocks: Vec<Block>,
    /// Highest end of anything placed so far, which becomes the size of the buffer.
    pub max: u64,
}

impl Chunk {
    /// The blocks that are searched first: all but the last one in the list.
    pub fn holes(&self) -> &[Block] {
        self.blocks.split_last().map_or(&[], |(_, holes)| holes)
    }
}

/// The chunks of one buffer type.
#[derive(Debug)]
pub struct Allocator {
    /// Sizes are rounded up to a multiple of this, so that all offsets are multiples of it.
    pub align: u64,
    /// Bytes of a chunk; larger ones are made for larger requests.
    limit: u64,
    /// The chunks so far.
    pub chunks: Vec<Chunk>,
}

/// How a place was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// In a free block that is not the last of its list.
    Hole,
    /// In the last free block of a chunk.
    Last,
    /// In a chunk made for it.
    New,
}

/// Where a tensor goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// Index of the chunk.
    pub chunk: usize,
    /// Index in the list of the chunk.
    pub block: usize,
    /// First byte; that of the block, unless branches are kept apart.
    pub start: u64,
    /// How it was found.
    pub way: Way,
}

/// What freed bytes touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merge {
    /// Nothing: they are a block of their own.
    None,
    /// The block below grew.
    Below,
    /// The block above grew downwards.
    Above,
    /// The block below grew and swallowed the next one.
    Both,
}

/// A chunk has as many free blocks as the original's list holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListFull;

impl Allocator {
    /// One without chunks. `limit`: bytes of the largest buffer of its type; none = unlimited.
    pub fn new(align: u64, limit: Option<u64>) -> Allocator {
        Allocator { align, limit: limit.unwrap_or(ENDLESS).min(ENDLESS), chunks: Vec::new() }
    }

    /// A size rounded up to the alignment.
    pub fn round(&self, size: u64) -> u64 {
        size.next_multiple_of(self.align)
    }

    /// The place for `size` bytes in the chunks that there are. `clear` returns where in a block of
    /// a chunk they may begin.
    pub fn find(&self, size: u64, clear: &dyn Fn(usize, Block) -> Option<u64>) -> Option<Found> {
        self.find_hole(size, clear).or_else(|| self.find_last(size, clear))
    }

    /// The smallest hole of the last chunk that has one, of equal ones the highest: the search
    /// begins anew in each chunk.
    fn find_hole(&self, size: u64, clear: &dyn Fn(usize, Block) -> Option<u64>) -> Option<Found> {
        let mut found = None;
        for (number, chunk) in self.chunks.iter().enumerate() {
            let mut least = u64::MAX;
            for (index, &block) in chunk.holes().iter().enumerate() {
                if (size..=least).contains(&block.size)
                    && let Some(start) = clear(number, block)
                {
                    least = block.size;
                    found = Some(Found { chunk: number, block: index, start, way: Way::Hole });
                }
            }
        }
        found
    }

    /// The last block of the chunk that grows least, or, if some need not grow, of the one with the
    /// fewest bytes left unused.
    fn find_last(&self, size: u64, clear: &dyn Fn(usize, Block) -> Option<u64>) -> Option<Found> {
        let mut kept: Option<(i128, Found)> = None;
        for (number, chunk) in self.chunks.iter().enumerate() {
            let Some(&block) = chunk.blocks.last().filter(|block| block.size >= size) else { continue };
            let Some(start) = clear(number, block) else { continue };
            let spare = i128::from(chunk.max) - i128::from(start) - i128::from(size);
            if kept.is_none_or(|(before, _)| if before < 0 { spare > before } else { (0..before).contains(&spare) }) {
                let block = chunk.blocks.len() - 1;
                kept = Some((spare, Found { chunk: number, block, start, way: Way::Last }));
            }
        }
        kept.map(|(_, found)| found)
    }

    /// Makes a chunk in which `size` bytes go to the low end.
    pub fn open(&mut self, size: u64) -> Found {
        let room = if self.chunks.len() < LIMITED_CHUNKS { size.max(self.limit) } else { ENDLESS };
        self.chunks.push(Chunk { blocks: vec![Block { start: 0, size: room }], max: 0 });
        Found { chunk: self.chunks.len() - 1, block: 0, start: 0, way: Way::New }
    }

    /// Takes `size` bytes from where they were found. Returns the free block left below them, if
    /// they do not begin where the block does, and what is left above.
    pub fn take(&mut self, found: Found, size: u64) -> (Option<Block>, Block) {
        let chunk = &mut self.chunks[found.chunk];
        let whole = chunk.blocks[found.block];
        let end = found.start + size;
        let below = Block { start: whole.start, size: found.start - whole.start };
        let above = Block { start: end, size: whole.end() - end };
        let kept_below = (below.size > 0).then_some(below);
        let pieces = kept_below.into_iter().chain(Some(above).filter(|above| above.size > 0));
        chunk.blocks.splice(found.block..=found.block, pieces);
        chunk.max = chunk.max.max(end);
        (kept_below, above)
    }

    /// Gives bytes back and returns the block that they are now part of. `most`: free blocks that a
    /// list may hold.
    pub fn free(&mut self, chunk: usize, freed: Block, most: usize) -> Result<(Merge, Block), ListFull> {
        let blocks = &mut self.chunks[chunk].blocks;
        let touches = |block: &Block| block.end() == freed.start || freed.end() == block.start;
        let Some(index) = blocks.iter().position(touches) else {
            if blocks.len() >= most {
                return Err(ListFull);
            }
            let at = blocks.iter().position(|block| block.start >= freed.start).unwrap_or(blocks.len());
            blocks.insert(at, freed);
            return Ok((Merge::None, freed));
        };
        if blocks[index].end() != freed.start {
            blocks[index] = Block { start: freed.start, size: blocks[index].size + freed.size };
            return Ok((Merge::Above, blocks[index]));
        }
        blocks[index].size += freed.size;
        if blocks.get(index + 1).is_some_and(|next| next.start == blocks[index].end()) {
            blocks[index].size += blocks.remove(index + 1).size;
            return Ok((Merge::Both, blocks[index]));
        }
        Ok((Merge::Below, blocks[index]))
    }
}
