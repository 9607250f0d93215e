//! Short names for what a program imports from its script.
//!
//! wasm-bindgen ends each of them with sixteen digits of a hash, in both files: what compresses
//! least in the page.

use crate::wasm::{self, IMPORTS};

/// The program and its script, both with short names; None where the program cannot be read.
pub fn shortened(program: &[u8], script: &str) -> Option<(Vec<u8>, String)> {
    let (mut short, mut script) = (wasm::BEGINNING.to_vec(), script.to_string());
    for (kind, section) in wasm::sections(program)? {
        if kind != IMPORTS {
            wasm::write_section(&mut short, kind, section);
            continue;
        }
        let imports = wasm::imports(section)?;
        let mut renamed = Vec::new();
        wasm::write_number(&mut renamed, imports.len());
        for (index, import) in imports.iter().enumerate() {
            let mut name = std::str::from_utf8(import.name).ok()?.to_string();
            let (member, wanted) = (format!(" {name}: "), format!("_{index}"));
            if is_hashed(&name) && script.matches(&member).count() == 1 {
                script = script.replace(&member, &format!(" {wanted}: "));
                name = wanted;
            }
            wasm::write_sized(&mut renamed, import.module);
            wasm::write_sized(&mut renamed, name.as_bytes());
            renamed.push(0);
            wasm::write_number(&mut renamed, import.signature);
        }
        wasm::write_section(&mut short, kind, &renamed);
    }
    Some((short, script))
}

/// `__wbg_get_0f1e2d3c4b5a6978`.
fn is_hashed(name: &str) -> bool {
    let hash = name.rsplit_once('_').map(|(_, hash)| hash);
    name.starts_with("__wb")
        && hash.is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that imports functions by these names, and nothing else.
    fn importing(names: &[&str]) -> Vec<u8> {
        let mut section = Vec::new();
        wasm::write_number(&mut section, names.len());
        for name in names {
            wasm::write_sized(&mut section, b"./a.js");
            wasm::write_sized(&mut section, name.as_bytes());
            section.extend([0, 7]);
        }
        let mut program = wasm::BEGINNING.to_vec();
        wasm::write_section(&mut program, IMPORTS, &section);
        wasm::write_section(&mut program, 0, b"rest");
        program
    }

    #[test]
    fn both_files_agree_on_the_names() {
        let names = [
            "__wbg_get_0123456789abcdef",
            "__wbindgen_init",
            "__wbg_set_fedcba9876543210",
            "__wbg_gone_0000000000000000",
        ];
        let script = "{\n    __wbg_get_0123456789abcdef: function() {},\n    __wbindgen_init: 1,\n    __wbg_set_fedcba9876543210: 2,\n}";
        let (program, script) = shortened(&importing(&names), script).expect("it is a program");
        assert_eq!(program, importing(&["_0", "__wbindgen_init", "_2", "__wbg_gone_0000000000000000"]));
        assert_eq!(script, "{\n    _0: function() {},\n    __wbindgen_init: 1,\n    _2: 2,\n}");
        assert!(shortened(b"nothing", "").is_none());
    }
}
