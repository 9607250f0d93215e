//! What a program can use: buffers, gaps and functions.

use std::rc::Rc;

use memplan_core::base::{MAX_SAFE, Message, align_up};
use rhai::packages::{
    BasicArrayPackage, BasicMapPackage, BasicMathPackage, CorePackage, LogicPackage, MoreStringPackage, Package,
};
use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, Map, NativeCallContext, Position};

use super::arrays;
use super::raised::raise;
use crate::board::Gap;
use crate::facts::{BufferFacts, ProblemFacts};

/// A buffer as a value of the language.
#[derive(Clone)]
pub struct BufferValue(pub Rc<BufferInside>);

/// A buffer, with what it gives away without a copy.
pub struct BufferInside {
    /// What a program may read of it.
    pub facts: BufferFacts,
    name: ImmutableString,
}

/// A gap as a value of the language.
#[derive(Clone, Copy)]
pub struct GapValue(pub Gap);

impl GapValue {
    /// The gap as people read it: from where the buffer would lie, as `start` and `size` have it.
    pub fn words(self) -> String {
        match self.0 {
            Gap { start, is_open: true, .. } => format!("[{start}, …)"),
            Gap { start, end, .. } => format!("[{}, {end})", start.min(end)),
        }
    }
}

/// Functions that a program finds here, for "did you mean".
pub const FUNCTIONS: [&str; 34] = [
    "place",
    "look",
    "note",
    "gaps",
    "meets",
    "align_up",
    "print",
    "min",
    "max",
    "abs",
    "sign",
    "range",
    "len",
    "push",
    "pop",
    "shift",
    "insert",
    "remove",
    "sort",
    "reverse",
    "filter",
    "map",
    "reduce",
    "index_of",
    "contains",
    "some",
    "all",
    "keys",
    "values",
    "to_string",
    "parse_int",
    "is_empty",
    "clear",
    "append",
];

const BUFFER: [&str; 9] = ["id", "name", "size", "align", "start", "end", "kind", "memory", "readers"];
const GAP: [&str; 5] = ["start", "end", "size", "from", "open"];

/// Names of the fields of a type.
pub fn fields_of(name: &str) -> &'static [&'static str] {
    match super::raised::type_word(name) {
        "Buffer" => &BUFFER,
        "Gap" => &GAP,
        _ => &[],
    }
}

type Result<T> = std::result::Result<T, Box<EvalAltResult>>;

/// Returns an engine with the language and its values, and without limits.
pub fn engine() -> Engine {
    let mut engine = Engine::new_raw();
    CorePackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BasicMathPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    engine.set_fail_on_invalid_map_property(true);
    // What a program computes must not depend on what could be computed before it runs.
    engine.disable_symbol("eval");
    engine.register_fn("sleep", |_: i64| -> Result<()> { Err(raise(Message::new("own-planner.no-waiting"))) });
    engine.register_type_with_name::<BufferValue>("Buffer").register_type_with_name::<GapValue>("Gap");
    buffers(&mut engine);
    gaps(&mut engine);
    engine.register_fn("align_up", |offset: i64, align: i64| -> Result<i64> {
        let is_power = align > 0 && (align as u64).is_power_of_two();
        if offset < 0 || offset as u64 > MAX_SAFE || !is_power || align as u64 > MAX_SAFE {
            let message = Message::new("own-planner.align-up").text("offset", offset.to_string());
            return Err(raise(message.text("align", align.to_string())));
        }
        Ok(align_up(offset as u64, align as u64) as i64)
    });
    arrays::register(&mut engine);
    replacing(&mut engine);
    engine
}

/// The language's own `replace` writes its text before it looks at the limit, and one call can
/// ask for gigabytes.
fn replacing(engine: &mut Engine) {
    engine
        .register_fn("replace", |context: NativeCallContext, text: &mut ImmutableString, from: &str, to: &str| {
            replace(&context, text, from, to)
        })
        .register_fn("replace", |context: NativeCallContext, text: &mut ImmutableString, from: &str, to: char| {
            replace(&context, text, from, to.encode_utf8(&mut [0; 4]))
        })
        .register_fn("replace", |context: NativeCallContext, text: &mut ImmutableString, from: char, to: &str| {
            replace(&context, text, from.encode_utf8(&mut [0; 4]), to)
        })
        .register_fn("replace", |context: NativeCallContext, text: &mut ImmutableString, from: char, to: char| {
            replace(&context, text, from.encode_utf8(&mut [0; 4]), to.encode_utf8(&mut [0; 4]))
        });
}

fn replace(context: &NativeCallContext, text: &mut ImmutableString, from: &str, to: &str) -> Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    let count = text.matches(from).count();
    let length = (text.len() - count * from.len()).saturating_add(count.saturating_mul(to.len()));
    let most = context.engine().max_string_size();
    if most > 0 && length > most {
        return Err(Box::new(EvalAltResult::ErrorDataTooLarge("Length of string".into(), Position::NONE)));
    }
    *text = text.replace(from, to).into();
    Ok(())
}

fn buffers(engine: &mut Engine) {
    let whole = |value: u64| value as i64;
    engine
        .register_get("id", |buffer: &mut BufferValue| i64::from(buffer.0.facts.id))
        .register_get("name", |buffer: &mut BufferValue| buffer.0.name.clone())
        .register_get("size", move |buffer: &mut BufferValue| whole(buffer.0.facts.size))
        .register_get("align", move |buffer: &mut BufferValue| whole(buffer.0.facts.align))
        .register_get("start", |buffer: &mut BufferValue| i64::from(buffer.0.facts.start))
        .register_get("end", |buffer: &mut BufferValue| i64::from(buffer.0.facts.end))
        .register_get("kind", |buffer: &mut BufferValue| ImmutableString::from(buffer.0.facts.kind))
        .register_get("memory", |buffer: &mut BufferValue| i64::from(buffer.0.facts.memory))
        .register_get("readers", |buffer: &mut BufferValue| -> Array {
            buffer.0.facts.readers.iter().map(|&step| i64::from(step).into()).collect()
        })
        .register_fn("meets", |one: &mut BufferValue, other: BufferValue| {
            let (one, other) = (&one.0.facts, &other.0.facts);
            one.start < other.end && other.start < one.end
        })
        .register_fn("==", |one: &mut BufferValue, other: BufferValue| one.0.facts.id == other.0.facts.id)
        .register_fn("!=", |one: &mut BufferValue, other: BufferValue| one.0.facts.id != other.0.facts.id)
        .register_fn("to_string", |buffer: &mut BufferValue| buffer.0.name.clone())
        .register_fn("to_debug", |buffer: &mut BufferValue| buffer.0.name.clone());
}

fn gaps(engine: &mut Engine) {
    let text = |gap: &mut GapValue| gap.words();
    engine
        .register_get("from", |gap: &mut GapValue| gap.0.from as i64)
        .register_get("start", |gap: &mut GapValue| gap.0.start as i64)
        .register_get("end", |gap: &mut GapValue| gap.0.end as i64)
        .register_get("size", |gap: &mut GapValue| gap.0.size() as i64)
        .register_get("open", |gap: &mut GapValue| gap.0.is_open)
        .register_fn("==", |one: &mut GapValue, other: GapValue| one.0 == other.0)
        .register_fn("!=", |one: &mut GapValue, other: GapValue| one.0 != other.0)
        .register_fn("to_string", text)
        .register_fn("to_debug", text);
}

/// Returns the buffers as values.
pub fn buffer_values(facts: &ProblemFacts) -> Vec<BufferValue> {
    let value = |facts: &BufferFacts| {
        let name = ImmutableString::from(facts.name.as_str());
        BufferValue(Rc::new(BufferInside { facts: facts.clone(), name }))
    };
    facts.buffers.iter().map(value).collect()
}

/// Returns gaps as a value.
pub fn gap_values(gaps: &[Gap]) -> Array {
    gaps.iter().map(|&gap| Dynamic::from(GapValue(gap))).collect()
}

/// Returns the problem as a value: what `plan` is given.
pub fn problem_value(facts: &ProblemFacts, buffers: &[BufferValue]) -> Map {
    let of = |ids: &[u32]| -> Dynamic {
        ids.iter().map(|&id| Dynamic::from(buffers[id as usize].clone())).collect::<Array>().into()
    };
    let node = |node: &crate::facts::NodeFacts| -> Dynamic {
        Map::from([
            ("name".into(), node.name.clone().into()),
            ("op".into(), node.op.clone().into()),
            ("step".into(), i64::from(node.step).into()),
            ("inputs".into(), of(&node.inputs)),
            ("outputs".into(), of(&node.outputs)),
        ])
        .into()
    };
    let memory = |memory: &crate::facts::MemoryFacts| -> Dynamic {
        let arena = memory.arena.map_or(Dynamic::UNIT, |arena| i64::from(arena).into());
        Map::from([("device".into(), memory.device.clone().into()), ("arena".into(), arena)]).into()
    };
    let all: Array = buffers.iter().map(|buffer| Dynamic::from(buffer.clone())).collect();
    Map::from([
        ("name".into(), facts.name.clone().into()),
        ("steps".into(), i64::from(facts.steps).into()),
        ("capacity".into(), facts.capacity.map_or(Dynamic::UNIT, |bytes| (bytes as i64).into())),
        ("memories".into(), facts.memories.iter().map(memory).collect::<Array>().into()),
        ("buffers".into(), all.into()),
        ("nodes".into(), facts.nodes.iter().map(node).collect::<Array>().into()),
    ])
}
