//! Triton's functions: the code that live intervals need, and the buffers of shared memory.

use std::collections::BTreeMap;

use super::code::{ALLOC, CodeBlock, CodeOp, PARTITIONS, SPECIALIZE, Value, analysed};
use super::text::{Module, Op, Region, arguments, field, values, whole};
use memplan_core::problem::{KernelFacts, KernelOrigin, WarpRegion};

/// A buffer of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelBuffer {
    /// Name of the value, or of the operation that needs it.
    pub name: String,
    /// Line of its operation.
    pub line: u32,
    /// Bytes; none where the text does not tell.
    pub size: Option<u64>,
    /// Alignment in bytes.
    pub align: u64,
    /// Number of its first operation, and of the one after its last.
    pub live: (u32, u32),
    /// What else the compiler knows of it.
    pub facts: KernelFacts,
    /// Where the file has it.
    pub offset: Option<u64>,
}

/// A function with its buffers, in the order in which Triton lists them.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelFunction {
    /// Its name, without `@`.
    pub name: String,
    /// Number of its operations.
    pub ops: u32,
    /// Buffers: explicit, then scratch, then those of calls.
    pub buffers: Vec<KernelBuffer>,
    /// Lines of operations whose buffer has a type that is not known here.
    pub unknown: Vec<(u32, String)>,
    /// Operations that may need scratch whose size the text does not tell.
    pub scratch: u32,
    /// Functions that it calls, if the text does not tell what they need.
    pub calls: Vec<String>,
}

/// Alignment of scratch and of what a call needs.
const SCRATCH_ALIGN: u64 = 128;

/// Most partitions of an allocation, each a buffer: far more than any chip has.
const MOST_PARTITIONS: u64 = 1 << 10;

/// Operations that may exchange data between threads through scratch.
const MAY_NEED_SCRATCH: [&str; 8] = [
    "ttg.convert_layout",
    "tt.reduce",
    "tt.scan",
    "tt.gather",
    "tt.histogram",
    "tt.atomic_rmw",
    "tt.atomic_cas",
    "ttng.tensormap_create",
];

/// Reads all functions of a module, in their order.
pub fn functions(module: &Module) -> Vec<KernelFunction> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Op> = module.ops.iter().rev().collect();
    while let Some(op) = waiting.pop() {
        if op.name == "tt.func" {
            found.extend((!op.regions.is_empty()).then(|| function(op, module)));
        } else {
            let inside = op.regions.iter().flat_map(|(region, _)| &region.blocks).flat_map(|block| &block.ops);
            waiting.extend(inside.collect::<Vec<_>>().into_iter().rev());
        }
    }
    found
}

fn function(op: &Op, module: &Module) -> KernelFunction {
    let mut reader = CodeReader::default();
    let args = op.head.rfind("attributes {").map_or(op.head, |end| &op.head[..end]);
    let code = reader.region(&op.regions[0].0, &arguments(args));
    let (facts, ops) = analysed(&code);
    let mut listed: [Vec<KernelBuffer>; 2] = Default::default();
    let mut found = KernelFunction {
        name: symbol(op.head).unwrap_or_default().to_string(),
        ops: ops + 1,
        buffers: Vec::new(),
        unknown: Vec::new(),
        scratch: 0,
        calls: Vec::new(),
    };
    if let Some(warps) = warps(&reader.ops) {
        let facts = KernelFacts { origin: KernelOrigin::Scratch, endless: true, ..KernelFacts::default() };
        listed[1].push(KernelBuffer {
            name: format!("@{}", found.name),
            line: op.line,
            size: Some(warps),
            align: 4,
            live: (0, ops + 1),
            facts,
            offset: offsets(op).first().copied(),
        });
    }
    for (number, ((op, partition), fact)) in (0u32..).zip(reader.ops.iter().zip(&reader.partitions).zip(&facts)) {
        let Some(op) = op else { continue };
        // Values of different partitions may have one name.
        let within = partition.map_or_else(String::new, Partition::prefix);
        let region = fact.specialize.map(|specialize| WarpRegion { specialize, region: fact.region });
        let offsets = offsets(op);
        if op.name == ALLOC {
            let Some(kind) = Shared::of(op, module) else {
                found.unknown.push((op.line, op.head.to_string()));
                continue;
            };
            let Some(live) = fact.live else { continue };
            let own = op.results.first().map_or("", |(name, _)| *name);
            // Of what holds several copies, the first extent counts them.
            let copies = if fact.is_picked { kind.extents.first().copied().unwrap_or(0) } else { 0 };
            let inner = &kind.extents[usize::from(copies > 0).min(kind.extents.len())..];
            let back = |from: usize| inner.len().checked_sub(from).map_or(1, |at| inner[at]);
            for part in 0..kind.parts {
                let group = (kind.parts > 1).then_some(number);
                let facts =
                    KernelFacts { region, group, stages: copies, tile: [back(2), back(1)], ..KernelFacts::default() };
                let name = if kind.parts > 1 { format!("{own}.{part}") } else { own.to_string() };
                listed[0].push(KernelBuffer {
                    name: format!("{within}{name} {}", kind.shape),
                    line: op.line,
                    size: Some(kind.size),
                    align: kind.align,
                    live,
                    facts,
                    offset: offsets.get(part as usize).copied(),
                });
            }
            continue;
        }
        let calls = op.name == "tt.call";
        let packed = if op.name == SPECIALIZE { captured(op) } else { None };
        let size = packed.or_else(|| op.attribute("allocation.size").and_then(whole));
        found.calls.extend(symbol(op.head).filter(|_| calls && size.is_none()).map(str::to_string));
        if size == Some(0) || size.is_none() && offsets.is_empty() {
            found.scratch += u32::from(size.is_none() && MAY_NEED_SCRATCH.contains(&op.name));
            continue;
        }
        let origin = if calls { KernelOrigin::Virtual } else { KernelOrigin::Scratch };
        let result = op.results.first().map_or("", |(name, _)| *name);
        listed[1].push(KernelBuffer {
            name: format!("{within}{} {result}", op.name).trim().to_string(),
            line: op.line,
            size,
            align: if packed.is_some() { 8 } else { SCRATCH_ALIGN },
            live: (fact.number, fact.number + 1),
            facts: KernelFacts { origin, region, ..KernelFacts::default() },
            offset: offsets.first().copied(),
        });
    }
    let [explicit, mut others] = listed;
    others.sort_by_key(|buffer| buffer.facts.origin);
    found.buffers = explicit.into_iter().chain(others).collect();
    found
}

/// The first `@name` of a text.
pub fn symbol(text: &str) -> Option<&str> {
    let from = text.find('@')? + 1;
    let end = text[from..].find(|letter: char| letter == '(' || letter.is_whitespace());
    Some(text[from..end.map_or(text.len(), |end| from + end)].trim_matches('"'))
}

/// The offsets that an operation states, one for each of its buffers.
fn offsets(op: &Op) -> Vec<u64> {
    let value = op.attribute("allocation.offset").unwrap_or_default();
    let listed = value.trim_start_matches("array<i32:").trim_matches(['[', ']', '>']).split(',');
    listed.filter_map(|one| whole(one.split(':').next().unwrap_or(one))).collect()
}

/// The most warps that the partitions of one `warp_specialize` have; none without one.
fn warps(ops: &[Option<&Op>]) -> Option<u64> {
    let of = |op: &Op| {
        // Each region's text ends with the header of the next one.
        let headers = [op.head].into_iter().chain(op.regions.iter().map(|(_, text)| *text));
        let counts = headers.filter_map(|text| text.split_once("num_warps(")?.1.split(')').next().and_then(whole));
        counts.fold(0, u64::saturating_add)
    };
    ops.iter().flatten().filter(|op| op.name == SPECIALIZE).map(|op| of(op)).max()
}

/// The bytes of the values that a `warp_specialize` captures; none where a type is not known.
fn captured(op: &Op) -> Option<u64> {
    let text = op.tail();
    let types = text.rsplit_once(": (").map_or("", |(_, types)| types);
    let types = types.rsplit_once(") ->").map_or("", |(types, _)| types);
    let bytes = |kind: &str| match memdesc(kind) {
        _ if kind.trim().is_empty() => Some(0),
        Some(memdesc) => Some(8 + 4 * memdesc.shape.len() as u64),
        None => bits(kind).map(|bits| bits.div_ceil(8)),
    };
    split(types).into_iter().map(bytes).sum()
}

/// Parts of a list at its commas, outside of brackets.
pub fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '[' | '{' | '(' => depth += 1,
            '>' if text[..at].ends_with('-') => {}
            '>' | ']' | '}' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Bits of the widest integer of MLIR (`IntegerType::kMaxWidth`).
const WIDEST: u64 = (1 << 24) - 1;

/// Bits of an element; of a pointer 64.
pub fn bits(kind: &str) -> Option<u64> {
    let kind = kind.trim();
    let integer = |prefix: &str| kind.strip_prefix(prefix).and_then(whole).filter(|&bits| bits <= WIDEST);
    match kind {
        _ if kind.starts_with("!tt.ptr") => Some(64),
        "f16" | "bf16" => Some(16),
        "f32" => Some(32),
        "f64" | "index" => Some(64),
        "f80" => Some(80),
        "f128" => Some(128),
        "tf32" => Some(19),
        _ if kind.starts_with("f4E") => Some(4),
        _ if kind.starts_with("f6E") => Some(6),
        _ if kind.starts_with("f8") => Some(8),
        _ => ["i", "si", "ui"].into_iter().find_map(integer),
    }
}

/// The type of a buffer: `memdesc<2x64xf16, #layout, #space, mutable, 4x64>`.
struct Memdesc<'t> {
    shape: Vec<u64>,
    element: &'t str,
    layout: &'t str,
    allocated: Vec<u64>,
}

/// The last such type in a text.
fn memdesc(text: &str) -> Option<Memdesc<'_>> {
    let inside = &text[text.rfind("memdesc<")? + "memdesc<".len()..];
    let mut depth = 1;
    let end = inside.find(|letter| {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let parts = split(&inside[..end]);
    let (shape, element) = extents(parts[0].trim());
    let last = parts.last().filter(|_| parts.len() > 3).map_or("", |part| part.trim());
    let (mut allocated, rest) = extents(last);
    allocated.extend(whole(rest));
    Some(Memdesc { shape, element, layout: parts.get(1)?.trim(), allocated })
}

/// The extents that a type begins with, and what follows.
pub fn extents(text: &str) -> (Vec<u64>, &str) {
    let (mut shape, mut rest) = (Vec::new(), text);
    while let Some((extent, after)) = rest.split_once('x')
        && let Some(extent) = whole(extent)
    {
        shape.push(extent);
        rest = after;
    }
    (shape, rest)
}

/// What an allocation asks for.
struct Shared {
    shape: String,
    size: u64,
    align: u64,
    /// Partitions, each a buffer of `size` bytes.
    parts: u64,
    /// Its extents, the outermost first.
    extents: Vec<u32>,
}

impl Shared {
    fn of(op: &Op, module: &Module) -> Option<Shared> {
        let kind = memdesc(op.head)?;
        let counted = if kind.allocated.is_empty() { &kind.shape } else { &kind.allocated };
        let elements = counted.iter().try_fold(1u64, |all, &extent| all.checked_mul(extent))?;
        let own = resolved(kind.layout, module)?;
        let is_partitioned = own.contains("partitioned_shared");
        let (parts, groups, layout) = if is_partitioned {
            let number =
                |key: &str| field(own, key).and_then(whole).filter(|number| (1..=MOST_PARTITIONS).contains(number));
            let inner = &own[own.find("partitionLayout")?..];
            let inner = inner.split_once('=')?.1.trim().trim_end_matches("}>").trim();
            (number("numPartitions")?, number("numGroups")?, resolved(inner, module)?)
        } else {
            (1, 1, own)
        };
        let padded = padding(layout).iter().try_fold(elements, |all, &(interval, pad)| {
            let times = elements.saturating_sub(1).checked_div(interval)?;
            all.checked_add(times.checked_mul(pad)?)
        })?;
        let bytes = padded.checked_mul(bits(kind.element)?)?.div_ceil(8);
        let size = (bytes / parts.checked_mul(groups)?).checked_mul(groups)?;
        let stated = op.attribute("alignment").and_then(whole);
        let align = stated.unwrap_or_else(|| alignment(layout));
        let extents = kind.shape.iter().map(|&extent| u32::try_from(extent)).collect::<Result<_, _>>().ok()?;
        let shape: Vec<String> = kind.shape.iter().map(u64::to_string).collect();
        let shape = format!("{}x{}", shape.join("x"), kind.element);
        align.is_power_of_two().then_some(Shared { shape, size, align, parts, extents })
    }
}

/// An attribute in full: what its alias stands for.
pub fn resolved<'t>(text: &'t str, module: &Module<'t>) -> Option<&'t str> {
    let is_alias = text.starts_with('#') && !text.contains(['<', '.']);
    if is_alias { module.aliases.get(text).copied() } else { Some(text) }
}

/// After how many elements how many are left out, for each `[interval:+pad]` of a padded layout.
fn padding(layout: &str) -> Vec<(u64, u64)> {
    let Some((_, list)) = layout.split_once("padded_shared<[") else { return Vec::new() };
    let list = list.split(']').next().unwrap_or_default();
    list.split(',')
        .filter_map(|pair| Some((whole(pair.split_once(":+")?.0)?, whole(pair.split_once(":+")?.1)?)))
        .collect()
}

/// The alignment of a layout.
fn alignment(layout: &str) -> u64 {
    let number = |key: &str| field(layout, key).and_then(|value| whole(value.trim_end_matches('>')));
    if layout.contains("nvmma_shared") {
        let width = number("swizzlingByteWidth").unwrap_or(0);
        return 128 * (width / 16).max(1);
    }
    if layout.contains("shared_linear") { number("alignment").unwrap_or(16) } else { 16 }
}

/// A part of a `warp_specialize`, as the text names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Partition {
    /// `default`.
    Default,
    /// `partition0`, `partition1`, and so on.
    Numbered(u32),
}

impl Partition {
    /// What the names of its buffers begin with.
    fn prefix(self) -> String {
        match self {
            Partition::Default => "default/".to_string(),
            Partition::Numbered(number) => format!("partition{number}/"),
        }
    }
}

/// Whether an operation is written in the generic form, its regions in round brackets.
fn is_generic(op: &Op) -> bool {
    op.head.ends_with('(')
}

/// Whether an `affine.for` with these bounds always runs, or never: `%i = 0 to 8 step 2`. None if
/// they are not constant.
fn runs(bounds: &str) -> Option<bool> {
    let (from, to) = bounds.split_once('=')?.1.split_once(" to ")?;
    let number = |text: &str| text.split_whitespace().next()?.parse::<i64>().ok();
    Some(number(from)? < number(to)?)
}

/// Turns text into code: names become numbers, each in the region in which it is known.
#[derive(Default)]
pub struct CodeReader<'m, 't> {
    scopes: Vec<BTreeMap<&'t str, (u32, u32)>>,
    count: u32,
    /// The operations of the text in pre-order, none for those that the text does not show.
    pub ops: Vec<Option<&'m Op<'t>>>,
    /// The innermost partition that each of them stands in.
    pub partitions: Vec<Option<Partition>>,
    /// That of the operations that are read now.
    partition: Option<Partition>,
    /// Values of constants.
    constants: BTreeMap<u32, bool>,
}

impl<'m, 't> CodeReader<'m, 't> {
    fn list(&mut self, op: Option<&'m Op<'t>>) {
        self.ops.push(op);
        self.partitions.push(self.partition);
    }

    fn define(&mut self, name: &'t str, count: u32) -> Vec<Value> {
        let first = self.count;
        self.count = self.count.saturating_add(count);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, (first, count));
        }
        (first..first.saturating_add(count)).map(Some).collect()
    }

    fn value(&self, name: &str) -> Value {
        let (name, part) = name.split_once('#').unwrap_or((name, "0"));
        let &(first, count) = self.scopes.iter().rev().find_map(|scope| scope.get(name))?;
        part.parse().ok().filter(|part| *part < count).map(|part: u32| first + part)
    }

    fn all(&self, text: &str) -> Vec<Value> {
        values(text).into_iter().map(|name| self.value(name)).collect()
    }

    /// Reads a region whose first block has these arguments beside its own.
    pub fn region(&mut self, region: &'m Region<'t>, args: &[&'t str]) -> Vec<CodeBlock> {
        self.scopes.push(BTreeMap::new());
        // A block may use what one below defines, so all names come first.
        let mut known = Vec::new();
        for (number, block) in region.blocks.iter().enumerate() {
            let given = if number == 0 { args } else { &[] };
            let args: Vec<Value> = given.iter().chain(&block.args).flat_map(|&name| self.define(name, 1)).collect();
            let outs: Vec<Vec<Value>> = block
                .ops
                .iter()
                .map(|op| op.results.iter().flat_map(|&(name, count)| self.define(name, count.min(1 << 10))).collect())
                .collect();
            known.push((args, outs));
        }
        let labels: Vec<&str> = region.blocks.iter().map(|block| block.label).collect();
        let mut blocks = Vec::new();
        for (block, (args, outs)) in region.blocks.iter().zip(known) {
            let ops = block.ops.iter().zip(outs).map(|(op, outs)| self.op(op, outs, &labels)).collect();
            blocks.push(CodeBlock { args, ops });
        }
        self.scopes.pop();
        blocks
    }

    fn op(&mut self, op: &'m Op<'t>, outs: Vec<Value>, labels: &[&str]) -> CodeOp {
        self.list(Some(op));
        let mut code = CodeOp { name: op.name.to_string(), outs, ..CodeOp::default() };
        let named = values(op.head);
        match op.name {
            "scf.for" if is_generic(op) => {
                code.ins = self.all(op.head);
                code.regions = self.yielding(op, &[]);
            }
            "scf.while" if is_generic(op) => {
                code.ins = self.all(op.head);
                code.regions = op.regions.iter().map(|(region, _)| self.region(region, &[])).collect();
            }
            "affine.for" => {
                let (bounds, starts) = op.head.split_once("iter_args(").unwrap_or((op.head, ""));
                let pairs = starts.split(')').next().unwrap_or_default();
                let pairs: Vec<&str> = values(pairs);
                code.ins = pairs.iter().skip(1).step_by(2).map(|name| self.value(name)).collect();
                let counter = named.first().filter(|_| !is_generic(op));
                let args: Vec<&str> = counter.into_iter().chain(pairs.iter().step_by(2)).copied().collect();
                code.always = runs(bounds);
                code.regions = op.regions.iter().map(|(region, _)| self.region(region, &args)).collect();
            }
            "scf.for" => {
                let pairs: Vec<&[&str]> = named.get(4..).unwrap_or_default().chunks(2).collect();
                let bounds = named.get(1..4).unwrap_or_default().iter().copied();
                let starts = pairs.iter().filter_map(|pair| pair.get(1)).copied();
                code.ins = bounds.chain(starts).map(|name| self.value(name)).collect();
                let args: Vec<&str> =
                    named.first().into_iter().copied().chain(pairs.iter().map(|pair| pair[0])).collect();
                code.regions = self.yielding(op, &args);
            }
            "scf.if" => {
                code.ins = self.all(op.head);
                code.regions = self.yielding(op, &[]);
            }
            "scf.while" => {
                let pairs: Vec<&[&str]> = named.chunks(2).collect();
                code.ins = pairs.iter().filter_map(|pair| pair.get(1)).map(|name| self.value(name)).collect();
                let args: Vec<&str> = pairs.iter().map(|pair| pair[0]).collect();
                for (number, (region, _)) in op.regions.iter().enumerate() {
                    let args = if number == 0 { &args[..] } else { &[] };
                    let region = self.region(region, args);
                    code.regions.push(region);
                }
            }
            SPECIALIZE => {
                let ins = self.all(op.head);
                let mut inside = op.regions.iter();
                let Some((default, first)) = inside.next() else { return code };
                let mut header = *first;
                let around = self.partition.replace(Partition::Default);
                let default = self.region(default, &[]);
                self.partition = around;
                self.list(None);
                let mut partitions = CodeOp { name: PARTITIONS.into(), ins, ..CodeOp::default() };
                for (number, (region, next)) in (0..).zip(inside) {
                    self.partition = Some(Partition::Numbered(number));
                    let region = self.region(region, &arguments(header));
                    partitions.regions.push(region);
                    header = *next;
                }
                self.partition = around;
                code.regions = vec![default, vec![CodeBlock { args: Vec::new(), ops: vec![partitions] }]];
            }
            "cf.br" | "cf.cond_br" => {
                code.ins = self.all(op.head);
                let parts: Vec<&str> = op.head.split('^').collect();
                let target = |part: &&str| {
                    let end = part.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
                    let label = &part[..end.unwrap_or(part.len())];
                    labels.iter().position(|known| known.strip_prefix('^') == Some(label))
                };
                code.to = parts[1..].iter().filter_map(target).collect();
                code.split = parts.get(1).map_or(0, |part| values(part).len());
                let condition = code.ins.first().copied().flatten();
                code.always = condition.and_then(|value| self.constants.get(&value)).copied();
            }
            _ => {
                code.ins = self.all(op.head);
                let constant = op.head.split([':', ' ']).next().filter(|_| op.name == "arith.constant");
                if let (Some(value), Some(Some(out))) = (constant.and_then(|text| text.parse().ok()), code.outs.first())
                {
                    self.constants.insert(*out, value);
                }
                for (region, _) in &op.regions {
                    let region = self.region(region, &[]);
                    code.regions.push(region);
                }
            }
        }
        code
    }

    /// Regions that end with a `scf.yield`, which is not written if it hands nothing on.
    fn yielding(&mut self, op: &'m Op<'t>, args: &[&'t str]) -> Vec<Vec<CodeBlock>> {
        let mut regions = Vec::new();
        for (region, _) in &op.regions {
            let mut blocks = self.region(region, args);
            if blocks.is_empty() {
                blocks.push(CodeBlock::default());
            }
            let last = blocks.last_mut().filter(|block| block.ops.last().is_none_or(|op| op.name != "scf.yield"));
            if let Some(block) = last {
                self.list(None);
                block.ops.push(CodeOp { name: "scf.yield".into(), ..CodeOp::default() });
            }
            regions.push(blocks);
        }
        regions
    }
}
