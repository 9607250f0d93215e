//! As much of the WebAssembly format as the tools here need.

/// What every program begins with.
pub const BEGINNING: &[u8] = b"\0asm\x01\0\0\0";

/// The kind of the section of imports.
pub const IMPORTS: u8 = 2;

/// The sections of a program with their kinds; none where it is not a program.
pub fn sections(program: &[u8]) -> Option<Vec<(u8, &[u8])>> {
    let mut rest = program.strip_prefix(BEGINNING)?;
    let mut sections = Vec::new();
    while !rest.is_empty() {
        let kind = take(&mut rest, 1)?[0];
        sections.push((kind, taken(&mut rest)?));
    }
    Some(sections)
}

/// An imported function.
pub struct Import<'a> {
    pub module: &'a [u8],
    pub name: &'a [u8],
    pub signature: usize,
}

/// The functions that a section of imports lists; none where it lists something else, which
/// wasm-bindgen never does.
pub fn imports(mut section: &[u8]) -> Option<Vec<Import<'_>>> {
    let count = number(&mut section)?;
    let import = |_| {
        let (module, name) = (taken(&mut section)?, taken(&mut section)?);
        let is_function = take(&mut section, 1)?[0] == 0;
        Some(Import { module, name, signature: number(&mut section).filter(|_| is_function)? })
    };
    (0..count).map(import).collect()
}

pub fn write_section(program: &mut Vec<u8>, kind: u8, section: &[u8]) {
    program.push(kind);
    write_sized(program, section);
}

/// Bytes after their number.
pub fn write_sized(bytes: &mut Vec<u8>, content: &[u8]) {
    write_number(bytes, content.len());
    bytes.extend(content);
}

/// A number of the format: seven bits a byte, the lowest first.
pub fn write_number(bytes: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let mut value = 0;
    for shift in [0, 7, 14, 21, 28] {
        let byte = usize::from(take(bytes, 1)?[0]);
        value |= (byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Bytes after their number.
fn taken<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let count = number(bytes)?;
    take(bytes, count)
}

fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 0x7F, 0x80, 300, 0x3FFF, 0x4000, 0xFFFF_FFFF] {
            let mut bytes = Vec::new();
            write_number(&mut bytes, value);
            assert_eq!(number(&mut bytes.as_slice()), Some(value));
        }
        assert_eq!(number(&mut [0x80].as_slice()), None);
    }

    #[test]
    fn what_is_no_program_has_no_sections() {
        let mut program = BEGINNING.to_vec();
        write_section(&mut program, 0, b"words");
        assert_eq!(sections(&program), Some(vec![(0, b"words".as_slice())]));
        assert_eq!(sections(&program[..program.len() - 1]), None);
        assert_eq!(sections(b"nothing"), None);
    }
}
