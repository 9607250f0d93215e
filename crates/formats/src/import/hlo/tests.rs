//! Modules made field by field.

use super::*;
use crate::import::{self, Format, Imported};
use memplan_core::graph::Kind;
use memplan_core::plan::check;

/// A field with bytes.
fn part(tag: u64, bytes: &[u8]) -> Vec<u8> {
    [number(tag << 3 | 2), number(bytes.len() as u64), bytes.to_vec()].concat()
}

/// A field with a number.
fn field(tag: u64, value: i64) -> Vec<u8> {
    [number(tag << 3), number(value.cast_unsigned())].concat()
}

fn number(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 127 {
        bytes.push(value as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn list(tag: u64, values: &[i64]) -> Vec<u8> {
    part(tag, &values.iter().flat_map(|&value| number(value.cast_unsigned())).collect::<Vec<u8>>())
}

/// The shape of so many floats.
fn floats(count: i64) -> Vec<u8> {
    [field(2, 11), list(3, &[count])].concat()
}

fn instruction(id: i64, opcode: &str, operands: &[i64], more: &[u8]) -> Vec<u8> {
    let name = format!("{opcode}.{id}");
    let fields = [
        part(1, name.as_bytes()),
        part(2, opcode.as_bytes()),
        part(3, &floats(4)),
        field(35, id),
        list(36, operands),
        more.to_vec(),
    ];
    part(2, &fields.concat())
}

fn computation(id: i64, root: i64, instructions: &[Vec<u8>]) -> Vec<u8> {
    part(3, &[part(1, format!("c{id}").as_bytes()), instructions.concat(), field(5, id), field(6, root)].concat())
}

fn sequence(id: i64, instructions: &[i64]) -> Vec<u8> {
    part(1, &[field(1, id), part(2, &list(1, instructions))].concat())
}

/// `negate` and then `exponential` of a parameter.
fn module(more: &[u8]) -> Vec<u8> {
    let body = [
        instruction(1, "parameter", &[], &[]),
        instruction(2, "negate", &[1], &[]),
        instruction(3, "exponential", &[2], &[]),
    ];
    let schedule = part(7, &sequence(9, &[1, 2, 3]));
    [part(1, b"small"), computation(9, 3, &body), field(6, 9), schedule, more.to_vec()].concat()
}

fn buffer(id: i64, size: i64, instruction: i64) -> Vec<u8> {
    part(1, &[field(1, id), field(2, size), part(3, &field(4, instruction))].concat())
}

fn allocation(index: i64, size: i64, assigned: &[(i64, i64, i64)], more: &[u8]) -> Vec<u8> {
    let assigned = assigned
        .iter()
        .map(|&(buffer, offset, size)| part(9, &[field(1, buffer), field(2, offset), field(3, size)].concat()));
    let assigned: Vec<u8> = assigned.flatten().collect();
    part(3, &[field(1, index), field(2, size), assigned, more.to_vec()].concat())
}

/// The parameter by itself, `negate` as a temporary, `exponential` as output.
fn assignment() -> Vec<Vec<u8>> {
    vec![
        buffer(1, 16, 1),
        buffer(2, 16, 2),
        buffer(3, 16, 3),
        allocation(0, 16, &[(1, 0, 16)], &field(5, 1)),
        allocation(1, 16, &[(3, 0, 16)], &field(7, 1)),
        allocation(2, 16, &[(2, 0, 16)], &[]),
    ]
}

fn dump(module: &[u8], assignment: &[Vec<u8>]) -> Vec<u8> {
    [part(1, module), part(3, &assignment.concat())].concat()
}

fn read(bytes: &[u8]) -> Result<Imported, Vec<String>> {
    import::read(bytes, Answers::default())
        .map_err(|faults| faults.iter().map(|fault| fault.message.key.to_string()).collect())
}

fn keys(warnings: &[Fault]) -> Vec<&str> {
    warnings.iter().map(|warning| &*warning.message.key).collect()
}

#[test]
fn a_module_with_its_plan() {
    let read = read(&dump(&module(&[]), &assignment())).expect("readable");
    assert_eq!((read.format, keys(&read.warnings)), (Format::Hlo, vec![]));
    let Document::Planned(graph, problem, plan) = &read.document else { panic!("{:?}", read.document) };
    let names: Vec<(&str, Kind)> = graph.tensors.iter().map(|tensor| (tensor.name.as_str(), tensor.kind)).collect();
    let kinds = [Kind::Input, Kind::Intermediate, Kind::Output];
    assert_eq!(names, ["parameter.1", "negate.2", "exponential.3"].into_iter().zip(kinds).collect::<Vec<_>>());
    assert_eq!(check(problem, plan), []);
    let lives: Vec<(u32, u32)> = problem.buffers.iter().map(|buffer| (buffer.live.start, buffer.live.end)).collect();
    // The caller owns the parameter to the end.
    assert_eq!(lives, [(0, 3), (1, 3), (2, 3)]);
    let pools: Vec<&str> = plan.pools.iter().map(|pool| pool.name.as_str()).collect();
    assert_eq!(pools, ["0: parameter 0 (parameter.1)", "1: output", "2: temp"]);
}

#[test]
fn without_an_assignment_there_is_a_graph() {
    for bytes in [module(&[]), part(1, &module(&[]))] {
        let read = read(&bytes).expect("readable");
        assert_eq!(keys(&read.warnings), ["warning.hlo-no-plan"]);
        assert!(matches!(&read.document, Document::Graph(graph) if graph.tensors.len() == 3));
    }
}

#[test]
fn references_that_lead_nowhere_are_told() {
    let lost = |body: &[Vec<u8>], entry| [part(1, b"m"), computation(9, 1, body), field(6, entry)].concat();
    let parameter = instruction(1, "parameter", &[], &[]);
    let reader = instruction(2, "negate", &[77], &[]);
    for bytes in [lost(&[parameter.clone(), reader], 9), lost(std::slice::from_ref(&parameter), 8)] {
        assert_eq!(read(&bytes).err(), Some(vec!["fault.hlo-reference".to_string()]));
    }
    let missing = part(7, &sequence(9, &[55]));
    assert_eq!(read(&module(&missing)).err(), Some(vec!["fault.hlo-reference".to_string()]));
    let empty = [lost(&[parameter], 9), part(7, &sequence(9, &[]))].concat();
    assert_eq!(read(&empty).err(), Some(vec!["fault.hlo-no-steps".to_string()]));
}

#[test]
fn sizes_that_are_none_are_refused() {
    let changed = |at: usize, part: Vec<u8>| {
        let mut assignment = assignment();
        assignment[at] = part;
        read(&dump(&module(&[]), &assignment)).err().unwrap_or_default()
    };
    assert_eq!(changed(1, buffer(2, -1, 2)), ["fault.hlo-size"]);
    assert_eq!(changed(5, allocation(2, 16, &[(2, -64, 16)], &[])), ["fault.hlo-size"]);
    assert_eq!(changed(5, allocation(2, -16, &[(2, 0, 16)], &[])), ["fault.hlo-allocation"]);
}

#[test]
fn a_plan_or_events_that_contradict_the_schedule_are_told() {
    let mut beside = assignment();
    beside.push(allocation(3, 16, &[], &[]));
    beside[4] = allocation(1, 16, &[(3, 0, 16), (2, 8, 16)], &field(7, 1));
    beside[5] = Vec::new();
    let read = read(&dump(&module(&[]), &beside)).expect("readable");
    assert_eq!(keys(&read.warnings), ["misread.file"]);
    let event = |kind, buffer| part(1, &[field(1, kind), field(2, buffer)].concat());
    let mut backwards = assignment();
    backwards.push(part(4, &[event(0, 3), event(0, 2), event(1, 2)].concat()));
    let read = super::tests::read(&dump(&module(&[]), &backwards)).expect("readable");
    assert_eq!(keys(&read.warnings), ["warning.hlo-events"]);
}

/// A loop that calls itself, a value that comes from itself, and computations nested too deep.
#[test]
fn circles_end() {
    let called = |id: i64| list(38, &[id]);
    let own = [instruction(1, "parameter", &[], &[]), instruction(2, "call", &[1], &called(9))];
    let circle = [part(1, b"m"), computation(9, 2, &own), field(6, 9)].concat();
    assert!(read(&circle).is_ok());
    let own =
        [instruction(1, "bitcast", &[2], &[]), instruction(2, "bitcast", &[1], &[]), instruction(3, "add", &[1], &[])];
    let circle = [part(1, b"m"), computation(9, 3, &own), field(6, 9)].concat();
    assert!(read(&circle).is_ok());
    let mut nested = part(1, b"m");
    for id in 0..300 {
        nested.extend(computation(id, id, &[instruction(1000 + id, "call", &[], &called(id + 1))]));
    }
    nested.extend(computation(300, 300, &[instruction(2000, "parameter", &[], &[])]));
    assert_eq!(read(&nested).err(), Some(vec!["fault.hlo-calls".to_string()]));
}

/// Files of some hundred kilobytes that would take gigabytes.
#[test]
fn memory_is_in_proportion_to_the_file() {
    let leaves = 2100;
    let leaf = part(4, &[field(2, 11), list(3, &[1])].concat());
    let tuple = part(3, &[field(2, 13), leaf.repeat(leaves)].concat());
    let whole = [part(1, b"t"), part(2, b"parameter"), tuple, field(35, 1)].concat();
    let mut body = vec![part(2, &whole)];
    body.extend((0..2).map(|id| instruction(id + 2, "custom-call", &[1], &[])));
    let of = |body: &[Vec<u8>]| [part(1, b"m"), computation(9, 2, body), field(6, 9)].concat();
    let small = read(&of(&body)).expect("readable");
    assert_eq!(
        small.document.graph().map(|graph| graph.nodes.iter().map(|node| node.inputs.len()).sum()),
        Some(2 * leaves)
    );
    body.extend((2..2000).map(|id| instruction(id + 2, "custom-call", &[1], &[])));
    assert_eq!(read(&of(&body)).err(), Some(vec!["fault.hlo-too-many".to_string()]));
    // Calls that each give a tuple of their own: no edges, but a tensor for each part.
    let own = |id: i64| {
        let shape = part(3, &[field(2, 13), leaf.repeat(1300)].concat());
        part(2, &[part(1, format!("c{id}").as_bytes()), part(2, b"custom-call"), shape, field(35, id)].concat())
    };
    let calls = |count: i64| read(&of(&(1..=count).map(own).collect::<Vec<_>>())).err();
    assert_eq!((calls(30), calls(400)), (None, Some(vec!["fault.hlo-too-many".to_string()])));
    // Computations of two bytes.
    let empty = [of(&body[..3]), part(3, &[]).repeat(1_500_000)].concat();
    assert_eq!(read(&empty).err(), Some(vec!["fault.hlo-too-many".to_string()]));
}

#[test]
fn a_donated_parameter_is_told_and_so_is_one_that_nobody_could_use() {
    let alias = part(8, &part(1, &[field(2, 0), field(4, 1)].concat()));
    let donor = part(18, &part(1, &field(1, 3)));
    let read = read(&dump(&module(&[alias, donor].concat()), &assignment())).expect("readable");
    let donations: Vec<&str> = read.facts.iter().map(|fact| &*fact.key).filter(|key| key.contains("donated")).collect();
    assert_eq!(donations, ["fact.hlo-donated", "fact.hlo-donated-unused"]);
}

#[test]
fn texts_beside_a_module_are_named() {
    for text in ["BufferAssignment:\nallocation 0: size 4", "HloModule jit_f, is_scheduled=true"] {
        assert_eq!(read(text.as_bytes()).err(), Some(vec!["fault.hlo-text".to_string()]));
    }
}
