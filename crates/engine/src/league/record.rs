//! The files of the league: who takes part, the figures of all plans, and the plans as offsets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The value of `format` in `figures.json`.
pub const FORMAT: &str = "league/1";

/// Who takes part: `entries.json`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Entries {
    /// Ids of the planners, which run with their default options.
    pub planners: Vec<String>,
    /// The instances, in the order of the tables.
    pub instances: Vec<Entry>,
}

/// An instance: a list of buffers, and where it comes from.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Entry {
    /// Name of its files, unique.
    pub id: String,
    /// What tables call it, within its group.
    pub name: String,
    /// The set that it belongs to.
    pub group: String,
    /// Name of its file: in `instances`, or in a folder of the reader.
    pub file: String,
    /// Who published it, and which version.
    pub source: String,
    /// Web address of the source, where it is another project; its file is then no part of this
    /// repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Web address of the file itself, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// File of this repository that it was converted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_of: Option<String>,
    /// License of the source.
    pub license: String,
}

impl Entry {
    /// Returns whether the file is part of this repository and of the site.
    pub fn is_here(&self) -> bool {
        self.link.is_none()
    }
}

/// The figures of all plans: `figures.json`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// [`FORMAT`].
    pub format: String,
    /// The instances that were measured, in the order of the entries.
    pub instances: Vec<Measured>,
}

impl Figures {
    /// Returns the text of the file: a line for each instance.
    pub fn text(&self) -> String {
        let lines: Vec<String> = self.instances.iter().filter_map(|one| serde_json::to_string(one).ok()).collect();
        format!("{{\"format\":\"{FORMAT}\",\"instances\":[\n{}\n]}}\n", lines.join(",\n"))
    }

    /// Returns what was measured on an instance.
    pub fn of(&self, id: &str) -> Option<&Measured> {
        self.instances.iter().find(|measured| measured.id == id)
    }
}

/// What was measured on one instance.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Id of the instance.
    pub id: String,
    /// Number of buffers.
    pub buffers: u64,
    /// Most buffers live at one step.
    pub alive: u64,
    /// Lower bound in bytes.
    pub bound: u64,
    /// Digest of the buffers: see `digest`.
    pub digest: String,
    /// Where and when the planners ran.
    pub ran: Conditions,
    /// A row for each planner that has a plan, then those of other programs.
    pub rows: Vec<Row>,
}

/// Where and when planners ran.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// The day, such as `2026-11-30`.
    pub date: String,
    /// Processor and number of cores.
    pub machine: String,
    /// Load average over a minute when the runs began; none where the system does not report it.
    /// Above 1, other programs ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<f64>,
    /// Whether times are those of the processor; else wall time.
    pub cpu: bool,
}

/// The figures of one plan.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// Id of the planner, or the name of another program.
    pub planner: String,
    /// Bytes that the plan needs.
    pub peak: u64,
    /// Number of buffers that have a place.
    pub placed: u64,
    /// No plan has a smaller peak in bytes, as the planner's own search has proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proved: Option<u64>,
    /// Milliseconds of the run; none for plans of other programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<f64>,
}

/// The plans of one instance: `plans/<id>.json.gz`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Plans {
    /// Bytes that every offset is a multiple of.
    pub unit: u64,
    /// Offsets in units, by planner: one for each buffer in the order of the instance, none for a
    /// buffer without a place.
    pub offsets: BTreeMap<String, Vec<Option<u64>>>,
}

impl Plans {
    /// Keeps the offsets, in bytes, of these planners.
    pub fn of(found: BTreeMap<String, Vec<Option<u64>>>) -> Plans {
        fn divisor(a: u64, b: u64) -> u64 {
            if b == 0 { a } else { divisor(b, a % b) }
        }
        let unit = found.values().flatten().flatten().fold(0, |unit, &offset| divisor(unit, offset)).max(1);
        let in_units = |offsets: Vec<Option<u64>>| offsets.into_iter().map(|offset| Some(offset? / unit)).collect();
        Plans { unit, offsets: found.into_iter().map(|(id, offsets)| (id, in_units(offsets))).collect() }
    }

    /// Returns the offsets of a plan in bytes.
    pub fn bytes(&self, planner: &str) -> Option<Vec<Option<u64>>> {
        let offsets = self.offsets.get(planner)?;
        offsets
            .iter()
            .map(|offset| offset.map_or(Some(None), |offset| offset.checked_mul(self.unit).map(Some)))
            .collect()
    }

    /// Returns all plans with their offsets in bytes.
    pub fn all(&self) -> BTreeMap<String, Vec<Option<u64>>> {
        self.offsets.keys().filter_map(|id| Some((id.clone(), self.bytes(id)?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_kept_in_the_largest_unit() {
        let found = BTreeMap::from([("a".to_string(), vec![Some(0), Some(12), None]), ("b".into(), vec![Some(8); 3])]);
        let plans = Plans::of(found.clone());
        assert_eq!((plans.unit, &plans.offsets["a"][..]), (4, &[Some(0), Some(3), None][..]));
        assert_eq!(plans.all(), found);
        assert_eq!(Plans::of(BTreeMap::from([("a".to_string(), vec![Some(0)])])).unit, 1);
    }
}
