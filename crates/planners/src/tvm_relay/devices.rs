//! Where each value lives. Up to 0.7 that is found from the `device_copy` calls in the function;
//! later it is given.

use super::Version;
use super::program::{Entry, Order, Program, Visit};
use memplan_core::base::IdVec;
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, Probe};

/// Some values have a device and others have none: the planner stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartlyAnnotated;

/// Device type of every value; all 0 when nothing is assigned to a device. Reported to `probe` with
/// the copy that decides.
///
/// # Errors
/// [`PartlyAnnotated`].
pub fn devices(
    program: &Program,
    order: Order,
    version: Version,
    probe: &mut dyn Probe,
) -> Result<IdVec<BufferId, u32>, PartlyAnnotated> {
    let devices = match version {
        Version::V0_19 => program.values.iter().map(|value| value.device).collect(),
        _ => Collector::new(program, probe).collect(&program.walk(order), version),
    };
    let annotated = devices.iter().filter(|&&device| device != 0).count();
    if annotated == 0 || annotated == devices.len() { Ok(devices) } else { Err(PartlyAnnotated) }
}

/// Class `DeviceInfo` of the original.
struct Collector<'a> {
    program: &'a Program,
    found: IdVec<BufferId, Option<u32>>,
    probe: &'a mut dyn Probe,
}

impl<'a> Collector<'a> {
    fn new(program: &'a Program, probe: &'a mut dyn Probe) -> Self {
        Collector { program, found: IdVec::from_elem(None, program.values.len()), probe }
    }

    fn collect(mut self, visits: &[Visit], version: Version) -> IdVec<BufferId, u32> {
        // The last copy of the walk is the first one met backwards, so both versions take its
        // destination for the rest.
        let Some(rest) = visits.iter().rev().find_map(|visit| self.copy_at(visit)).map(|(_, (_, to))| to) else {
            return IdVec::from_elem(0, self.found.len());
        };
        match version {
            Version::V0_6 => self.backwards(visits),
            _ => self.downwards(visits),
        }
        for visit in visits {
            self.set(visit.entry, rest, Note::DeviceRest, 0);
        }
        self.found.iter().map(|device| device.unwrap_or(rest)).collect()
    }

    fn copy_at(&self, visit: &Visit) -> Option<(u32, (u32, u32))> {
        let Entry::Call(call) = visit.entry else { return None };
        let call = &self.program.calls[call];
        call.copy.map(|copy| (call.node, copy))
    }

    /// 0.6: from the end of the list, with the source of the copy met last, whether or not an entry
    /// feeds that copy.
    fn backwards(&mut self, visits: &[Visit]) {
        let mut current = None;
        for visit in visits.iter().rev() {
            if let Some((node, (from, to))) = self.copy_at(visit) {
                current = Some((node, from));
                self.set(visit.entry, to, Note::DeviceTarget, node);
            } else if let (Some((node, from)), Some(_)) = (current, visit.below) {
                self.set(visit.entry, from, Note::DeviceSource, node);
            }
        }
    }

    /// 0.7: below a copy, the source of that very copy.
    fn downwards(&mut self, visits: &[Visit]) {
        for visit in visits {
            if let Some((node, (_, to))) = self.copy_at(visit) {
                self.set(visit.entry, to, Note::DeviceTarget, node);
            } else if let Some(copy) = visit.below.map(|call| &self.program.calls[call])
                && let Some((from, _)) = copy.copy
            {
                self.set(visit.entry, from, Note::DeviceSource, copy.node);
            }
        }
    }

    /// Gives the values of an entry their device unless they have one.
    fn set(&mut self, entry: Entry, device: u32, note: Note, node: u32) {
        for &value in entry.values(self.program) {
            if self.found[value].is_none() {
                self.found[value] = Some(device);
                self.probe.event(Event::Note { note, subject: value.0, a: device.into(), b: node.into() });
            }
        }
    }
}
