//! `PlanMemory`: the walk, once or for several match ranges, of which the one with the smallest
//! total is kept.

use std::ops::Range;

use super::colors::colors;
use super::network::Network;
use super::walk::{Layout, Settings, walk};
use crate::PlanError;
use memplan_core::base::Message;
use memplan_core::problem::Branches;
use memplan_core::trace::{Event, Muted, Note, Probe};

/// What the pass is asked for.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// `NNVM_EXEC_MATCH_RANGE`: the range, or the largest one tried.
    pub match_range: u64,
    /// `NNVM_AUTO_SEARCH_MATCH_RANGE`.
    pub search: bool,
    /// The range that a search keeps whatever its total; none: the one with the smallest total.
    pub keep: Option<u64>,
    /// `NNVM_EXEC_NUM_TEMP`: colours asked for; 1 means none.
    pub num_temp: u64,
    /// Whether permissions to overwrite an input are used.
    pub inplace: bool,
    /// Nodes to be planned.
    pub range: Range<usize>,
    /// Which buffers may share bytes.
    pub branches: &'a Branches,
}

/// One range tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Try {
    /// The range tried.
    pub match_range: u64,
    /// Sum of the storages in the planner's own bytes.
    pub total: u64,
    /// Storages that it needs.
    pub blocks: u32,
}

/// What the pass leaves.
#[derive(Clone, Debug)]
pub struct Answer {
    /// All tries in order.
    pub tried: Vec<Try>,
    /// The range kept with its layout; none when nothing was tried.
    pub kept: Option<(u64, Layout)>,
    /// Colours of the nodes and how many there are.
    pub colors: Option<(Vec<u32>, u32)>,
}

/// Runs the pass. A search is reported before the first decision, then the kept walk step by step.
///
/// # Errors
/// [`PlanError::Cancelled`] when the probe stops the run, [`PlanError::Refused`] when the range to
/// keep is none of those tried.
pub fn plan_memory(network: &Network, request: &Request, probe: &mut dyn Probe) -> Result<Answer, PlanError> {
    let groups = (request.num_temp > 1).then(|| colors(network, request.num_temp));
    if let Some((groups, _)) = &groups {
        let walked = network.nodes.iter().zip(groups).filter(|(node, _)| !node.variable);
        walked.for_each(|(node, &color)| {
            probe.event(Event::Note { note: Note::Color, subject: node.id, a: color.into(), b: 0 });
        });
    }
    let settings = |match_range: u64| Settings {
        match_range,
        colors: groups.as_ref().map(|(groups, _)| groups.as_slice()),
        range: request.range.clone(),
        inplace: request.inplace,
        branches: request.branches,
    };
    let ranges: Vec<u64> = if request.search {
        let doubled = std::iter::successors(Some(1u64), |range| range.checked_mul(2));
        doubled.take_while(|&range| range <= request.match_range).collect()
    } else {
        vec![request.match_range]
    };
    let nodes = network.nodes.len() as u64;
    let rounds = if request.search { ranges.len() as u64 + 1 } else { 1 };
    let mut tried = Vec::new();
    let mut best: Option<Try> = None;
    if request.search {
        for (round, &match_range) in ranges.iter().enumerate() {
            let progress = (round as u64 * nodes, rounds * nodes);
            let layout = walk(network, &settings(match_range), &mut Muted(probe), progress)?;
            let this = Try { match_range, total: layout.total, blocks: layout.blocks.len() as u32 };
            tried.push(this);
            let subject = match_range.min(u32::MAX.into()) as u32;
            probe.event(Event::Note { note: Note::Try, subject, a: this.total, b: 0 });
            if best.is_none_or(|best| this.total < best.total) {
                best = Some(this);
            }
        }
        if let Some(keep) = request.keep {
            let kept = tried.iter().find(|tried| tried.match_range == keep).copied();
            let refused = || Message::new("fault.nnvm-keep").count("keep", keep).count("largest", request.match_range);
            best = Some(kept.ok_or_else(|| PlanError::Refused(refused()))?);
        }
        if let Some(best) = best {
            let subject = best.match_range.min(u32::MAX.into()) as u32;
            probe.event(Event::Note { note: Note::Keep, subject, a: best.total, b: 0 });
        }
    }
    let chosen = if request.search { best.map(|best| best.match_range) } else { Some(request.match_range) };
    let Some(match_range) = chosen else { return Ok(Answer { tried, kept: None, colors: groups }) };
    let layout = walk(network, &settings(match_range), probe, ((rounds - 1) * nodes, rounds * nodes))?;
    if !request.search {
        tried.push(Try { match_range, total: layout.total, blocks: layout.blocks.len() as u32 });
    }
    Ok(Answer { tried, kept: Some((match_range, layout)), colors: groups })
}
