//! The order of a program's functions in which gzip makes the least of it.
//!
//! gzip refers back by 32 kB at most, and the many instances of one generic function are spread over megabytes.
//! Behind each other they are little more than references. Only the order changes, not one instruction.

use std::collections::HashMap;

use crate::wasm::{self, CODE, CUSTOM, IMPORTS, write_number, write_sized};

/// So many bytes in a row are a piece; what has many pieces in common compresses well together.
const PIECE: usize = 6;
/// Pieces in more functions than this tell nothing.
const COMMON: usize = 100;
/// How far gzip refers back.
const REACH: usize = 32_000;
/// Added to the pieces of a function before the known ones are divided by it: tiny ones are not worth a jump.
const TINY: usize = 60;

/// Appends names to a program without names; sorted by them, its functions are in the best order.
///
/// None where the program cannot be read.
pub fn named_in_order(program: &[u8]) -> Option<Vec<u8>> {
    let (imported, bodies) = functions(program)?;
    let mut entries = Vec::new();
    for (rank, function) in order(&bodies).into_iter().enumerate() {
        entries.push((function, format!("{rank:06}")));
    }
    entries.sort();
    let mut map = Vec::new();
    write_number(&mut map, entries.len());
    for (function, name) in entries {
        write_number(&mut map, imported + function);
        write_sized(&mut map, name.as_bytes());
    }
    let mut section = b"\x04name\x01".to_vec();
    write_sized(&mut section, &map);
    let mut named = program.to_vec();
    wasm::write_section(&mut named, CUSTOM, &section);
    Some(named)
}

/// Functions by position, each as near as can be to those most like it.
fn order(bodies: &[&[u8]]) -> Vec<usize> {
    let (pieces, users) = pieces(bodies);
    let mut largest: Vec<usize> = (0..bodies.len()).collect();
    largest.sort_by_key(|&function| (usize::MAX - bodies[function].len(), function));
    let mut largest = largest.into_iter();

    let mut placed = vec![false; bodies.len()];
    // How often each piece is within reach, and how many of a function's pieces are.
    let (mut within, mut known) = (vec![0_u32; users.len()], vec![0_usize; bodies.len()]);
    let (mut order, mut reached, mut first): (Vec<usize>, usize, usize) = (Vec::new(), 0, 0);
    while order.len() < bodies.len() {
        let share = |function: usize| known[function] * 1_000_000 / (pieces[function].len() + TINY);
        let like = order.last().into_iter().flat_map(|&last: &usize| &pieces[last]).flat_map(|&piece| &users[piece]);
        let next =
            like.copied().filter(|&function| !placed[function]).max_by_key(|&function| (share(function), function));
        let Some(next) = next.or_else(|| largest.find(|&function| !placed[function])) else {
            break;
        };
        placed[next] = true;
        order.push(next);
        reached += bodies[next].len();
        for &piece in &pieces[next] {
            within[piece] += 1;
            if within[piece] == 1 {
                users[piece].iter().for_each(|&user| known[user] += 1);
            }
        }
        while reached > REACH && first + 1 < order.len() {
            let gone = order[first];
            first += 1;
            reached -= bodies[gone].len();
            for &piece in &pieces[gone] {
                within[piece] -= 1;
                if within[piece] == 0 {
                    users[piece].iter().for_each(|&user| known[user] -= 1);
                }
            }
        }
    }
    order
}

/// The telling pieces of every function, and for every piece the functions that have it.
fn pieces(bodies: &[&[u8]]) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
    let mut users: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (function, body) in bodies.iter().enumerate() {
        for piece in body.windows(PIECE) {
            let users = users.entry(piece).or_default();
            if users.last() != Some(&function) {
                users.push(function);
            }
        }
    }
    let mut users: Vec<(&[u8], Vec<usize>)> =
        users.into_iter().filter(|(_, users)| (2..=COMMON).contains(&users.len())).collect();
    // A table of hashes has no order of its own.
    users.sort();
    let users: Vec<Vec<usize>> = users.into_iter().map(|(_, users)| users).collect();
    let mut pieces = vec![Vec::new(); bodies.len()];
    for (piece, users) in users.iter().enumerate() {
        users.iter().for_each(|&function| pieces[function].push(piece));
    }
    (pieces, users)
}

/// How many functions a program imports, and the bodies of its own.
fn functions(program: &[u8]) -> Option<(usize, Vec<&[u8]>)> {
    let (mut imported, mut bodies) = (0, Vec::new());
    for (kind, section) in wasm::sections(program)? {
        match kind {
            IMPORTS => imported = wasm::imports(section)?.len(),
            CODE => bodies = wasm::bodies(section)?,
            _ => {}
        }
    }
    Some((imported, bodies))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_functions_stand_side_by_side() {
        let (even, odd) = (b"even even even even".as_slice(), b"odd odd odd odd odd".as_slice());
        let order = order(&[even, odd, b"", even, odd, odd, even]);
        let kinds: Vec<usize> = order[..6].iter().map(|&function| [0, 3, 6].contains(&function) as usize).collect();
        assert!(kinds == [1, 1, 1, 0, 0, 0] || kinds == [0, 0, 0, 1, 1, 1], "{order:?}");
        assert_eq!(order[6], 2, "nothing is lost");
    }

    #[test]
    fn every_function_of_a_program_is_named_once() {
        // One imported function, two own ones.
        let program = b"\0asm\x01\0\0\0\x02\x07\x01\x01a\x01b\0\0\x0a\x07\x02\x02\0\x0b\x02\0\x0b";
        let named = named_in_order(program).expect("it is a program");
        let (before, names) = named.split_at(program.len());
        assert_eq!(before, program);
        assert_eq!(names, b"\0\x18\x04name\x01\x11\x02\x01\x06000000\x02\x06000001");
        assert!(named_in_order(b"nothing").is_none());
        assert!(named_in_order(&program[..program.len() - 1]).is_none());
    }
}
