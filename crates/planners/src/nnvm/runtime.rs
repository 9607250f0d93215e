//! What follows the pass: `DecorateMemoryPlan`, which gives variables storage and resolves assigns,
//! and `GraphRuntime::SetupStorage`, which makes the pool that the model runs in.

use super::network::{Network, Node, Slot};

/// How a node that may be an assign is treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Assign {
    /// No assign.
    #[default]
    No,
    /// Runs, and copies.
    Copy,
    /// Its right-hand side is written into the variable by whoever makes it: the assign does
    /// nothing.
    Nothing,
}

/// Storage of the pool at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    /// The largest of its entries in their real types, in bytes, not rounded to whole floats.
    pub bytes: u64,
    /// Device of its entries.
    pub device: u32,
}

impl Room {
    /// Bytes of the array of floats that is really made.
    pub fn floats(self) -> u64 {
        self.bytes.div_ceil(4).saturating_mul(4)
    }
}

/// Why a graph cannot be set up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetupFault {
    /// An entry has no storage number of its own.
    NoStorage {
        /// Index of the entry.
        entry: u32,
    },
    /// Entries of two devices meet in one storage.
    TwoDevices {
        /// Number of the storage.
        storage: u32,
    },
}

/// The three cases of an assign, read off the graph: an assign whose right-hand side is made by an
/// operator and read by nobody else does nothing. The original also asks that the fused operator
/// before it is elementwise or a broadcast, which a graph file does not contain.
pub fn assigns(network: &Network) -> Vec<Assign> {
    let mut counts = vec![0u64; network.nodes.len()];
    let producers = network.nodes.iter().flat_map(|node| &node.reads).filter_map(|read| read.producer);
    producers.for_each(|producer| counts[producer as usize] += 1);
    for (node, count) in network.nodes.iter().zip(&mut counts) {
        let outputs = node.outputs.iter().map(|&output| u64::from(network.entries[output as usize].outputs));
        *count += 2 * outputs.sum::<u64>();
    }
    let case = |node: &Node| match sides(node) {
        Some((left, _)) if !network.nodes.get(left.0).is_some_and(|node| node.variable) => Assign::No,
        Some((_, right)) if counts[right.0] <= 1 && !network.nodes[right.0].variable => Assign::Nothing,
        Some(_) => Assign::Copy,
        None => Assign::No,
    };
    network.nodes.iter().map(case).collect()
}

/// Producer and entry of both sides of an assign.
type Side = (usize, u32);

fn sides(node: &Node) -> Option<(Side, Side)> {
    let side = |slot: usize| {
        let read = node.reads.get(slot).filter(|_| node.assign)?;
        Some((read.producer? as usize, read.entry?))
    };
    Some((side(0)?, side(1)?))
}

/// `DecorateMemoryPlan`: every variable gets a storage of its own above all others; the value of an
/// assign, and the right-hand side of one that does nothing, move into the variable's. Single
/// entries move: what shared the old storage in place stays.
pub fn decorate(network: &Network, slots: &[Slot], assigns: &[Assign]) -> Vec<Slot> {
    let mut slots = slots.to_vec();
    let used = slots.iter().filter_map(|slot| if let Slot::Block(id) = slot { Some(id + 1) } else { None });
    let first = used.max().unwrap_or(0);
    let variables = network.nodes.iter().filter(|node| node.variable).flat_map(|node| &node.outputs);
    for (id, &output) in (first..).zip(variables) {
        slots[output as usize] = Slot::Block(id);
    }
    for (node, &case) in network.nodes.iter().zip(assigns) {
        let (Some((left, right)), Some(&output)) = (sides(node), node.outputs.first()) else { continue };
        if case != Assign::No {
            slots[output as usize] = slots[left.1 as usize];
        }
        if case == Assign::Nothing {
            slots[right.1 as usize] = slots[left.1 as usize];
        }
    }
    slots
}

/// `SetupStorage`: the pool, with sizes from the real element types. `devices` gives the device of
/// each entry.
///
/// # Errors
/// [`SetupFault`] where the original stops.
pub fn set_up(network: &Network, slots: &[Slot], devices: &[u32]) -> Result<Vec<Room>, SetupFault> {
    let mut rooms: Vec<Option<Room>> = Vec::new();
    for (index, ((entry, slot), &device)) in network.entries.iter().zip(slots).zip(devices).enumerate() {
        let Slot::Block(id) = *slot else { return Err(SetupFault::NoStorage { entry: index as u32 }) };
        let place = id as usize;
        if rooms.len() <= place {
            rooms.resize(place + 1, None);
        }
        let room = rooms[place].get_or_insert(Room { bytes: 0, device });
        if room.device != device {
            return Err(SetupFault::TwoDevices { storage: id });
        }
        room.bytes = room.bytes.max(entry.bytes);
    }
    // A storage that every entry left, as assigns may do, stays without bytes.
    Ok(rooms.into_iter().map(|room| room.unwrap_or(Room { bytes: 0, device: 0 })).collect())
}
