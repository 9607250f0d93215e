//! Stored files, and what becomes of them: an input is a number, so that a finding is made again
//! from it.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Largest file that is taken as a beginning, so that most of an input is small enough to be met
/// often.
const LARGEST_SEED: usize = 64 << 10;

/// Largest input made.
const LARGEST: usize = 256 << 10;

/// Folders of stored files, each with the fuzz target whose format they have; that of `fuzz/corpus`
/// is the name of the folder.
const FOLDERS: [(&str, &str); 7] = [
    ("tests/data/executorch", "executorch"),
    ("tests/data/nnvm", "symbol_json"),
    ("tests/data/models", "read"),
    ("tests/data/tflite", "tflite"),
    ("tests/data/pt2", "exported_program"),
    ("tests/import/onnx", "onnx"),
    ("www/graphs/cases", "memory_graph"),
];

/// Numbers at the ends of what formats and types hold.
const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "16",
    "64",
    "255",
    "256",
    "65535",
    "65536",
    "1000000",
    "16777215",
    "16777216",
    "2147483647",
    "4294967295",
    "4294967296",
    "9007199254740991",
    "9007199254740992",
    "18446744073709551615",
    "-1",
];

/// Random numbers by SplitMix64: the same everywhere.
pub struct Random(u64);

impl Random {
    /// The numbers of one input.
    pub fn of(base: u64, number: u64) -> Random {
        Random(base.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.draw() % end as u64) as usize }
    }
}

/// A stored file.
struct Seed {
    target: usize,
    bytes: Vec<u8>,
    /// It was packed; what is inside is changed more often than the packing.
    packed: bool,
}

/// Everything that inputs are made from.
pub struct Seeds {
    /// Names of the fuzz targets.
    pub targets: Vec<String>,
    seeds: Vec<Seed>,
    /// Words of each target's format.
    words: Vec<Vec<Vec<u8>>>,
}

/// A damaged file.
pub struct Input {
    /// Index of the fuzz target whose format it had.
    pub target: usize,
    pub bytes: Vec<u8>,
    /// Chooses the planner.
    pub turn: u64,
}

impl Seeds {
    /// Reads the stored files and the dictionaries.
    pub fn read() -> Seeds {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let mut targets: Vec<String> = names(&root.join("fuzz/corpus"));
        targets.retain(|target| root.join("fuzz/corpus").join(target).is_dir());
        let own = targets.iter().map(|target| (format!("fuzz/corpus/{target}"), target.clone()));
        let others = FOLDERS.map(|(folder, target)| (folder.to_string(), target.to_string()));
        let mut seeds = Vec::new();
        for (folder, target) in own.chain(others) {
            let Some(target) = targets.iter().position(|known| *known == target) else { continue };
            for name in names(&root.join(&folder)) {
                let bytes = fs::read(root.join(&folder).join(&name)).unwrap_or_default();
                let other = name.ends_with(".py") || name.ends_with(".md") || name.contains("expected");
                if !other && !bytes.is_empty() && bytes.len() <= LARGEST_SEED {
                    let packed = bytes.starts_with(&[0x1f, 0x8b]) && unpacked(&bytes).is_some();
                    seeds.push(Seed { target, bytes, packed });
                }
            }
        }
        let words = targets.iter().map(|target| {
            let text = fs::read_to_string(root.join(format!("fuzz/dictionaries/{target}.dict"))).unwrap_or_default();
            text.lines().filter_map(word).collect()
        });
        Seeds { words: words.collect(), targets, seeds }
    }

    /// Number of stored files of a target.
    pub fn count(&self, target: usize) -> usize {
        self.seeds.iter().filter(|seed| seed.target == target).count()
    }

    /// The input of a number. Every target has its turn, however many files it has.
    pub fn input(&self, base: u64, number: u64) -> Input {
        let mut random = Random::of(base, number);
        let target = (number % self.targets.len() as u64) as usize;
        let own: Vec<&Seed> = self.seeds.iter().filter(|seed| seed.target == target).collect();
        let seed = own[random.below(own.len())];
        let inside = seed.packed && random.below(4) > 0;
        let mut bytes = if inside { unpacked(&seed.bytes).unwrap_or_default() } else { seed.bytes.clone() };
        for _ in 0..=random.below(8) {
            self.change(&mut bytes, target, &own, &mut random);
            bytes.truncate(LARGEST);
        }
        if inside {
            bytes = packed(&bytes);
        }
        Input { target, bytes, turn: random.draw() }
    }

    fn change(&self, bytes: &mut Vec<u8>, target: usize, own: &[&Seed], random: &mut Random) {
        let length = bytes.len();
        let at = random.below(length);
        let until = (at + 1 + random.below(32)).min(length);
        match random.below(12) {
            0 if length > 0 => bytes[at] ^= 1 << random.below(8),
            1 if length > 0 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'"', b',', b'{', b'['][random.below(9)],
            2 if length > 0 => bytes[at] = random.draw() as u8,
            3 => drop(bytes.drain(at..until)),
            4 => {
                let piece = bytes[at..until].to_vec();
                insert(bytes, random.below(length), &piece);
            }
            // Many times: long names, deep nests, long lists.
            5 => {
                let piece = bytes[at..until].repeat(1 << random.below(9));
                insert(bytes, at, &piece);
            }
            6 | 7 => {
                let words = &self.words[target];
                if let Some(word) = words.get(random.below(words.len())) {
                    let end = if random.below(2) == 0 { at } else { (at + word.len()).min(length) };
                    drop(bytes.splice(at..end, word.iter().copied()));
                }
            }
            8 | 9 => number(bytes, at, random),
            10 => {
                let other = &own[random.below(own.len())].bytes;
                let from = random.below(other.len());
                let piece = &other[from..(from + random.below(200)).min(other.len())];
                insert(bytes, at, piece);
            }
            _ if random.below(4) == 0 => bytes.truncate(at),
            // Four bytes as a number: offsets and lengths of binary formats.
            _ if length >= 4 => {
                let at = at.min(length - 4) & !3;
                let values =
                    [0u32, 1, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, length as u32, random.draw() as u32];
                bytes[at..at + 4].copy_from_slice(&values[random.below(9)].to_le_bytes());
            }
            _ => {}
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    drop(bytes.splice(at..at, piece.iter().copied()));
}

/// Puts another number in the place of the next one in the text.
fn number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let Some(start) = bytes[at..].iter().position(is_digit).map(|found| at + found) else { return };
    let end = bytes[start..].iter().position(|byte| !is_digit(byte)).map_or(bytes.len(), |found| start + found);
    drop(bytes.splice(start..end, NUMBERS[random.below(NUMBERS.len())].bytes()));
}

/// The word of a line of a dictionary: `name="word"`, with `\xNN`, `\\` and `\"`.
fn word(line: &str) -> Option<Vec<u8>> {
    let text = line.split_once('"').filter(|_| !line.starts_with('#'))?.1.strip_suffix('"')?;
    let mut bytes = text.bytes();
    let mut word = Vec::new();
    while let Some(byte) = bytes.next() {
        word.push(match byte {
            b'\\' => match bytes.next()? {
                b'x' => u8::from_str_radix(std::str::from_utf8(&[bytes.next()?, bytes.next()?]).ok()?, 16).ok()?,
                other => other,
            },
            byte => byte,
        });
    }
    Some(word)
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut inside = Vec::new();
    GzDecoder::new(bytes).take(LARGEST as u64).read_to_end(&mut inside).ok().map(|_| inside)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("written to memory");
    encoder.finish().expect("written to memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_made_again_from_its_number() {
        let seeds = Seeds::read();
        for number in 0..200 {
            let (first, again) = (seeds.input(1, number), seeds.input(1, number));
            assert!(first.bytes == again.bytes && first.turn == again.turn);
            assert!(first.bytes.len() <= LARGEST + 64);
        }
        assert_ne!(seeds.input(1, 5).bytes, seeds.input(2, 5).bytes);
    }

    #[test]
    fn every_format_has_words_and_several_files() {
        let seeds = Seeds::read();
        for (target, name) in seeds.targets.iter().enumerate() {
            assert!(
                seeds.words[target].len() >= 2,
                "fuzz/dictionaries/{name}.dict has {} words",
                seeds.words[target].len()
            );
            assert!(seeds.count(target) >= 2, "{name} has {} files", seeds.count(target));
        }
        assert_eq!(word(r#"mark="\x1f\x8b\"a\\""#).as_deref(), Some(&[0x1f, 0x8b, b'"', b'a', b'\\'][..]));
        assert_eq!(word("# a remark"), None);
    }
}
