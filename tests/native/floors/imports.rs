//! Which file names what: the modules of the source tree, every path in them, and the file that
//! defines the name at its end.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, UseTree};

/// The crate of the page.
pub const PAGE: &str = "memplan";

/// Longest chain of re-exports that is followed.
const MAX_HOPS: usize = 16;

/// Names from the root of a crate down: `memplan_scene::Rect`. The first name is the crate's.
pub type Names = Vec<String>;

/// One path that a file names, outside its tests.
pub struct Used {
    /// The file that names it, from the top of the workspace down.
    pub file: String,
    pub line: usize,
    /// From the root of its crate, of ours or another's.
    pub path: Names,
}

/// A module: a file, or a part of one in braces.
#[derive(Default)]
struct Module {
    file: String,
    /// Names defined here, modules aside.
    items: BTreeSet<String>,
    /// What each name of a `use` stands for, as written.
    imports: BTreeMap<String, Names>,
    /// Modules and enums whose names are all imported, as written.
    globs: Vec<Names>,
    /// Every path, with its line, as written.
    paths: Vec<(usize, Names)>,
}

/// Every module of a source tree.
pub struct Sources {
    modules: BTreeMap<Names, Module>,
    /// The module that each file is.
    files: BTreeMap<String, Names>,
    /// The file of each macro that is exported from a crate's root.
    macros: BTreeMap<String, String>,
    /// The names of the crates that are libraries.
    libraries: BTreeSet<String>,
}

impl Sources {
    /// The sources of the page and of all crates, read once.
    pub fn of_workspace() -> &'static Sources {
        static SOURCES: OnceLock<Sources> = OnceLock::new();
        SOURCES.get_or_init(Sources::read)
    }

    fn read() -> Sources {
        fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
            for entry in std::fs::read_dir(folder).expect("readable").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    collect(root, &path, files);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let inside = path.strip_prefix(root).expect("below the top").to_str().expect("a plain name");
                    files.insert(inside.replace('\\', "/"), std::fs::read_to_string(&path).expect("text"));
                }
            }
        }
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let mut files = BTreeMap::new();
        collect(root, &root.join("src"), &mut files);
        for entry in std::fs::read_dir(root.join("crates")).expect("readable").flatten() {
            collect(root, &entry.path().join("src"), &mut files);
        }
        assert!(files.len() > 40, "only {} files were found", files.len());
        Sources::parse(&files)
    }

    /// Parses a source tree: texts by their paths from the top of the workspace down.
    pub fn parse(files: &BTreeMap<String, String>) -> Sources {
        let mut reader = Reader {
            files,
            sources: Sources {
                modules: BTreeMap::new(),
                files: BTreeMap::new(),
                macros: BTreeMap::new(),
                libraries: BTreeSet::new(),
            },
        };
        for file in files.keys() {
            let Some((folder, name)) = file.rsplit_once('/') else { continue };
            let inside = format!("{folder}/");
            match name {
                "lib.rs" => {
                    let package = folder.strip_prefix("crates/").and_then(|rest| rest.strip_suffix("/src"));
                    let library = package.map_or(PAGE.into(), |package| format!("memplan_{package}"));
                    reader.sources.libraries.insert(library.clone());
                    reader.file(vec![library], file, &inside, false);
                }
                "main.rs" => reader.file(vec![format!("bin/{folder}")], file, &inside, false),
                _ if folder.ends_with("/bin") => reader.file(vec![format!("bin/{file}")], file, &inside, false),
                _ => {}
            }
        }
        let unread: Vec<_> = files.keys().filter(|file| !reader.sources.files.contains_key(*file)).collect();
        assert!(unread.is_empty(), "no module declares {unread:?}");
        reader.sources
    }

    /// Every path that the files name outside their tests, from the root of its crate.
    pub fn used(&self) -> Vec<Used> {
        let of_module = |(module, content): (&Names, &Module)| {
            let used = |(line, path): &(usize, Names)| {
                Some(Used { file: content.file.clone(), line: *line, path: self.absolute(module, path, 0)? })
            };
            content.paths.iter().filter_map(used).collect::<Vec<_>>()
        };
        self.modules.iter().flat_map(of_module).collect()
    }

    /// Every file.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The file that defines what a path names; none if it is a module or belongs to another crate.
    pub fn definer(&self, path: &[String]) -> Option<&str> {
        self.find(path, 0)
    }

    /// The module that a file is, from the root of its crate.
    pub fn module(&self, file: &str) -> &[String] {
        &self.files[file]
    }

    /// A path as written in `module`, from the root of its crate; none for names that no `use` or
    /// module explains.
    fn absolute(&self, module: &[String], path: &[String], hops: usize) -> Option<Names> {
        let (first, rest) = path.split_first()?;
        let below = |start: &[String], rest: &[String]| Some([start, rest].concat());
        match first.as_str() {
            // `::csv` is the crate.
            "" => Some(rest.to_vec()),
            "crate" => below(&module[..1], rest),
            "self" => below(module, rest),
            "super" => {
                let supers = path.iter().take_while(|name| *name == "super").count();
                below(module.get(..module.len() - supers)?, &path[supers..])
            }
            "Self" => None,
            library if self.libraries.contains(library) => Some(path.to_vec()),
            _ if hops > MAX_HOPS => None,
            _ => {
                let here = &self.modules[module];
                let child = [module, std::slice::from_ref(first)].concat();
                if here.items.contains(first) || self.modules.contains_key(&child) {
                    return below(&child, rest);
                }
                if let Some(import) = here.imports.get(first) {
                    // `use csv;` and `use csv::csv;` name the crate.
                    let stands_for = if import.first() == Some(first) {
                        import.clone()
                    } else {
                        self.absolute(module, import, hops + 1)?
                    };
                    return below(&stands_for, rest);
                }
                let globs = here.globs.iter().filter(|glob| glob.first() != Some(first));
                let mut opened = globs.filter_map(|glob| self.absolute(module, glob, hops + 1));
                if let Some(glob) = opened.find(|glob| self.has(glob, first)) {
                    return below(&[glob, vec![first.clone()]].concat(), rest);
                }
                // Locals, types of the prelude and the like are not of interest; `csv::Reader` is.
                (path.len() > 1).then(|| path.to_vec())
            }
        }
    }

    /// Whether a module has this name in it, its own or imported.
    fn has(&self, module: &[String], name: &String) -> bool {
        let child = [module, std::slice::from_ref(name)].concat();
        self.modules.contains_key(&child)
            || self.modules.get(module).is_some_and(|found| {
                found.items.contains(name)
                    || found.imports.contains_key(name)
                    || found.globs.iter().filter_map(|glob| self.absolute(module, glob, MAX_HOPS)).any(|glob| {
                        glob != module && self.modules.get(&glob).is_some_and(|other| other.items.contains(name))
                    })
            })
    }

    fn find(&self, path: &[String], hops: usize) -> Option<&str> {
        let depth = (1..=path.len()).take_while(|depth| self.modules.contains_key(&path[..*depth])).last()?;
        let (module, rest) = path.split_at(depth);
        let Some(name) = rest.first() else {
            // A module; a function of the same name may be imported beside it, as in
            // `pub use legend::legend`.
            let (name, parent) = module.split_last()?;
            let import = self.modules.get(parent)?.imports.get(name).filter(|_| hops <= MAX_HOPS)?;
            return self.find(&self.absolute(parent, import, hops)?, hops + 1);
        };
        let here = &self.modules[module];
        if here.items.contains(name) || hops > MAX_HOPS {
            return Some(&here.file);
        }
        if let Some(import) = here.imports.get(name) {
            let stands_for = self.absolute(module, import, hops)?;
            return self.find(&[&stands_for, &rest[1..]].concat(), hops + 1);
        }
        for glob in &here.globs {
            let opened = self.absolute(module, glob, hops)?;
            if self.has(&opened, name) {
                return self.find(&[&opened, rest].concat(), hops + 1);
            }
        }
        // An exported macro lies at the root; what is left is made by a macro in the module itself.
        let exported = self.macros.get(name).filter(|_| module.len() == 1);
        Some(exported.unwrap_or(&here.file))
    }
}

/// Reads files into modules, from the roots of the crates down.
struct Reader<'a> {
    files: &'a BTreeMap<String, String>,
    sources: Sources,
}

impl Reader<'_> {
    /// Reads a file that is a module, whose submodules lie in `folder`.
    fn file(&mut self, module: Names, file: &str, folder: &str, is_test: bool) {
        let text = &self.files[file];
        let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}: {error}"));
        self.sources.files.insert(file.into(), module.clone());
        self.module(module, file, folder, &parsed.items, is_test);
    }

    fn module(&mut self, module: Names, file: &str, folder: &str, items: &[Item], is_test: bool) {
        let mut paths = Paths::default();
        let mut children = Vec::new();
        for item in items {
            match item {
                Item::Mod(child) => children.push(child),
                _ => paths.visit_item(item),
            }
        }
        // One name may be two modules in braces, for two targets.
        let known = self.sources.modules.entry(module.clone()).or_default();
        known.file = file.into();
        known.items.extend(items.iter().filter_map(defined));
        known.imports.extend(paths.imports);
        known.globs.extend(paths.globs);
        if !is_test {
            known.paths.extend(paths.found);
        }
        for item in items {
            if let Item::Macro(defined) = item
                && let Some(name) = &defined.ident
                && defined.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"))
            {
                self.sources.macros.insert(name.to_string(), file.into());
            }
        }
        for child in children {
            let name = child.ident.to_string();
            let is_test = is_test || child.attrs.iter().any(is_test_only);
            let path = [module.as_slice(), std::slice::from_ref(&name)].concat();
            let folder_of_child = format!("{folder}{name}/");
            if let Some((_, items)) = &child.content {
                self.module(path, file, &folder_of_child, items, is_test);
            } else {
                let beside = format!("{folder}{name}.rs");
                let inside = format!("{folder_of_child}mod.rs");
                let found = if self.files.contains_key(&beside) { beside } else { inside };
                assert!(self.files.contains_key(&found), "{file} declares {name}, which has no file");
                self.file(path, &found, &folder_of_child, is_test);
            }
        }
    }
}

/// Whether an attribute is `#[cfg(test)]`.
fn is_test_only(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if list.path.is_ident("cfg") && list.tokens.to_string() == "test")
}

/// The name that an item defines, modules and imports aside.
fn defined(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Every path of the items of one module, imports apart.
#[derive(Default)]
struct Paths {
    found: Vec<(usize, Names)>,
    imports: BTreeMap<String, Names>,
    globs: Vec<Names>,
}

impl Paths {
    fn open(&mut self, mut prefix: Names, tree: &UseTree) {
        let line = |name: &proc_macro2::Ident| name.span().start().line;
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.open(prefix, &path.tree);
            }
            UseTree::Name(name) => {
                if name.ident != "self" {
                    prefix.push(name.ident.to_string());
                }
                self.import(line(&name.ident), prefix.last().cloned().unwrap_or_default(), prefix);
            }
            UseTree::Rename(renamed) => {
                if renamed.ident != "self" {
                    prefix.push(renamed.ident.to_string());
                }
                self.import(line(&renamed.ident), renamed.rename.to_string(), prefix);
            }
            UseTree::Glob(glob) => {
                self.globs.push(prefix.clone());
                prefix.push("*".into());
                self.found.push((glob.star_token.spans[0].start().line, prefix));
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.open(prefix.clone(), tree)),
        }
    }

    fn import(&mut self, line: usize, name: String, path: Names) {
        self.found.push((line, path.clone()));
        self.imports.insert(name, path);
    }

    /// Paths among the tokens of a macro: names with `::` between them.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Names::new();
        let mut line = 0;
        // Colons since the last name, and whether that name is a field or a method.
        let (mut colons, mut after_dot) = (0, false);
        for token in tokens {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end(line, &mut path);
                        line = name.span().start().line;
                    }
                    if !after_dot {
                        path.push(name.to_string());
                    }
                    (colons, after_dot) = (0, false);
                }
                other => {
                    self.end(line, &mut path);
                    colons = 0;
                    after_dot = matches!(&other, TokenTree::Punct(mark) if mark.as_char() == '.');
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.end(line, &mut path);
    }

    fn end(&mut self, line: usize, path: &mut Names) {
        if !path.is_empty() {
            self.found.push((line, std::mem::take(path)));
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let start = item.leading_colon.as_ref().map(|_| String::new());
        self.open(start.into_iter().collect(), &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let start = path.leading_colon.as_ref().map(|_| String::new());
        let names = start.into_iter().chain(path.segments.iter().map(|segment| segment.ident.to_string())).collect();
        let line = path.segments.first().map_or(0, |first| first.ident.span().start().line);
        self.found.push((line, names));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        self.visit_path(&item.path);
        self.tokens(item.tokens.clone());
    }

    fn visit_meta_list(&mut self, list: &'ast syn::MetaList) {
        self.visit_path(&list.path);
        self.tokens(list.tokens.clone());
    }

    /// Who may see an item is no import.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}
}
