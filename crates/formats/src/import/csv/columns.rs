//! The header: which column holds what.

use super::path;
use super::records::Record;
use memplan_core::base::Message;
use memplan_core::graph::{Fault, Faults};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Name,
    Start,
    End,
    Size,
    Offset,
    Align,
    Gaps,
    Pool,
    Kind,
    /// The buffer whose storage is taken over in place.
    Shares,
    /// Overlaps that the original system makes too.
    Quirks,
    /// The memory that a pool is a part of.
    Memory,
    /// Known, but of no use here: a suggested offset, an element type.
    Ignored,
}

/// Accepted names, the first one for messages.
const NAMES: &[(Role, &[&str])] = &[
    (Role::Name, &["id", "buffer", "buffer_id", "tensor_name", "name"]),
    (Role::Start, &["lower", "begin", "start", "start_time"]),
    (Role::End, &["upper", "end", "end_time"]),
    (Role::Size, &["size", "bytes"]),
    (Role::Offset, &["offset", "address"]),
    (Role::Align, &["alignment", "align"]),
    (Role::Gaps, &["gaps"]),
    (Role::Pool, &["pool", "mem_id"]),
    (Role::Kind, &["kind"]),
    (Role::Shares, &["shares"]),
    (Role::Quirks, &["quirks"]),
    (Role::Memory, &["memory"]),
    (Role::Ignored, &["hint", "dtype"]),
];

const REQUIRED: [Role; 4] = [Role::Name, Role::Start, Role::End, Role::Size];

/// Most characters of an unknown column's name that a message repeats.
const SHOWN: usize = 40;

pub fn is_known(name: &str) -> bool {
    role_of(name).is_some()
}

fn role_of(name: &str) -> Option<Role> {
    let name = name.trim().trim_matches('"').to_ascii_lowercase();
    NAMES.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(role, _)| *role)
}

/// Number of roles.
const ROLES: usize = Role::Ignored as usize + 1;

/// Most columns that a message lists.
const MOST_NAMED: usize = 40;

/// Columns by what they hold.
pub struct Columns {
    found: Vec<(Role, String)>,
    /// Where each role is: looked up a dozen times a row.
    index_of: [Option<usize>; ROLES],
    count: usize,
}

impl Columns {
    /// Reads the header; unknown columns are warned of.
    pub fn find(header: Record) -> Result<(Columns, Vec<Fault>), Vec<Fault>> {
        let Record { line, fields: header } = header;
        let mut columns = Columns { found: Vec::new(), index_of: [None; ROLES], count: header.len() };
        let (mut faults, mut warnings) = (Faults::default(), Faults::default());
        for (index, name) in header.iter().map(str::trim).enumerate() {
            let Some(role) = role_of(name) else {
                let name: String = name.chars().take(SHOWN).collect();
                warnings.push(Fault::new(path(line), Message::new("warning.csv-column").text("column", name)));
                continue;
            };
            match columns.found.iter().find(|(other, _)| *other == role && role != Role::Ignored) {
                Some((_, first)) => {
                    let message = Message::new("fault.csv-same-column").text("first", first).text("second", name);
                    faults.push(Fault::new(path(line), message));
                }
                None => {
                    columns.index_of[role as usize] = Some(index);
                    columns.found.push((role, name.to_string()));
                }
            }
        }
        for role in REQUIRED.into_iter().filter(|role| columns.index(*role).is_none()) {
            let names = NAMES.iter().find(|(other, _)| *other == role).map_or(&[][..], |(_, names)| names);
            let found: Vec<&str> = header.iter().map(str::trim).take(MOST_NAMED).collect();
            let message = Message::new("fault.csv-missing-column")
                .text("column", names.first().copied().unwrap_or_default())
                .text("accepted", names.join(", "))
                .text("found", found.join(", "));
            faults.push(Fault::new(path(line), message));
        }
        if faults.is_empty() { Ok((columns, warnings.into_vec())) } else { Err(faults.into_vec()) }
    }

    /// Number of columns, unknown ones too.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn index(&self, role: Role) -> Option<usize> {
        self.index_of[role as usize]
    }

    /// The column's name as the file spells it.
    pub fn name(&self, role: Role) -> &str {
        self.found.iter().find(|(other, _)| *other == role).map_or("", |(_, name)| name)
    }

    /// Known columns that nothing here uses.
    pub fn unused(&self) -> Vec<&str> {
        let is_unused = |role| role == Role::Ignored || (role == Role::Memory && self.index(Role::Pool).is_none());
        let unused = self.found.iter().filter(|(role, _)| is_unused(*role));
        unused.map(|(_, name)| name.as_str()).collect()
    }

    pub fn end_is_inclusive(&self) -> bool {
        !self.name(Role::End).eq_ignore_ascii_case("upper")
    }

    /// Files with `end_time` rarely state whether the step is included.
    pub fn end_is_ambiguous(&self) -> bool {
        self.name(Role::End).eq_ignore_ascii_case("end_time")
    }
}
