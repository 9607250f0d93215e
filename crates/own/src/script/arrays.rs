//! Functions of arrays that call functions of the program.
//!
//! While the lines of a program are followed, the language keeps copies of the arguments of every
//! call that is open, and its own functions of this kind copy all of them for each element: time
//! that is quadratic in the length of arrays. These call without such copies.

use std::cell::OnceCell;

use memplan_core::base::Message;
use rhai::debugger::Debugger;
use rhai::{Array, Dynamic, Engine, EvalAltResult, FnPtr, FuncRegistration, GlobalRuntimeState, NativeCallContext};

use super::raised::{raise, type_word};

type Result<T> = std::result::Result<T, Box<EvalAltResult>>;

thread_local! {
    /// What follows the lines of a program before it runs: only the language can make one.
    static FRESH: OnceCell<Debugger> = const { OnceCell::new() };
}

/// Takes what follows the lines of a program that is about to run.
pub fn begin(debugger: Debugger) -> Debugger {
    FRESH.with(|fresh| fresh.get_or_init(|| debugger).clone())
}

/// Drops the copies of arguments of the calls that are open: nobody looks at them.
pub fn forget_calls(debugger: &mut Debugger) {
    if !debugger.call_stack().is_empty() {
        FRESH.with(|fresh| fresh.get().into_iter().for_each(|fresh| *debugger = fresh.clone()));
    }
}

/// The program around a call, without copies of arguments.
struct Around<'a> {
    context: &'a NativeCallContext<'a>,
    global: GlobalRuntimeState,
}

impl<'a> Around<'a> {
    fn of(context: &'a NativeCallContext<'a>) -> Around<'a> {
        let mut global = context.global_runtime_state().clone();
        if context.debugger().is_some() {
            forget_calls(global.debugger_mut());
        }
        Around { context, global }
    }

    fn context(&self) -> NativeCallContext<'_> {
        let Around { context, global } = self;
        (context.engine(), context.fn_name(), context.fn_source(), global, context.call_position()).into()
    }

    /// Calls a function with an element, behind other arguments; it may also want the position.
    fn call<const N: usize>(
        &self,
        function: &FnPtr,
        item: &mut Dynamic,
        others: [Dynamic; N],
        position: usize,
    ) -> Result<Dynamic> {
        let context = self.context();
        let all: Vec<Dynamic> = others.iter().cloned().chain([item.clone()]).collect();
        // Most functions are of this kind; the language would try others first.
        match function.call_raw(&context, None, all) {
            Err(error) if is_unknown(&error, function) => {
                let position = [(position as i64).into()];
                function.call_raw_with_extra_args(context.fn_name(), &context, Some(item), others, position, Some(N))
            }
            result => result,
        }
    }

    /// Calls a function with each element until `visit` returns false.
    fn each(
        &self,
        array: &mut Array,
        function: &FnPtr,
        mut visit: impl FnMut(usize, &Dynamic, Dynamic) -> bool,
    ) -> Result<()> {
        for (position, item) in array.iter_mut().enumerate() {
            let result = self.call(function, item, [], position)?;
            if !visit(position, item, result) {
                break;
            }
        }
        Ok(())
    }

    /// The first element for which a function returns this, with its position.
    fn first(&self, array: &mut Array, function: &FnPtr, wanted: bool) -> Result<Option<(usize, Dynamic)>> {
        let mut found = None;
        self.each(array, function, |position, item, result| {
            if holds(&result) == wanted {
                found = Some((position, item.clone()));
            }
            found.is_none()
        })?;
        Ok(found)
    }
}

/// Whether a function does not take so many arguments.
fn is_unknown(error: &EvalAltResult, function: &FnPtr) -> bool {
    matches!(error, EvalAltResult::ErrorFunctionNotFound(signature, _) if signature.starts_with(function.fn_name()))
}

fn holds(result: &Dynamic) -> bool {
    result.as_bool().unwrap_or(false)
}

/// Registers them in place of those of the language.
pub fn register(engine: &mut Engine) {
    // They change no array: those of constants have them, too.
    let pure = |name: &str| FuncRegistration::new(name).with_purity(true);
    pure("filter").register_into_engine(engine, |context: NativeCallContext, array: &mut Array, function: FnPtr| {
        let mut found = Array::new();
        Around::of(&context).each(array, &function, |_, item, result| {
            found.extend(holds(&result).then(|| item.clone()));
            true
        })?;
        Result::Ok(found)
    });
    pure("map").register_into_engine(engine, |context: NativeCallContext, array: &mut Array, function: FnPtr| {
        let mut found = Array::with_capacity(array.len());
        Around::of(&context).each(array, &function, |_, _, result| {
            found.push(result);
            true
        })?;
        Result::Ok(found)
    });
    pure("some").register_into_engine(engine, |context: NativeCallContext, array: &mut Array, function: FnPtr| {
        Result::Ok(Around::of(&context).first(array, &function, true)?.is_some())
    });
    pure("all").register_into_engine(engine, |context: NativeCallContext, array: &mut Array, function: FnPtr| {
        Result::Ok(Around::of(&context).first(array, &function, false)?.is_none())
    });
    pure("find").register_into_engine(engine, |context: NativeCallContext, array: &mut Array, function: FnPtr| {
        let found = Around::of(&context).first(array, &function, true)?;
        Result::Ok(found.map_or(Dynamic::UNIT, |(_, item)| item))
    });
    pure("index_of").register_into_engine(engine, |context: NativeCallContext, array: &mut Array, function: FnPtr| {
        let found = Around::of(&context).first(array, &function, true)?;
        Result::Ok(found.map_or(-1, |(position, _)| position as i64))
    });
    pure("reduce").register_into_engine(engine, |context: NativeCallContext, array: &mut Array, function: FnPtr| {
        reduce(&context, array, &function, Dynamic::UNIT)
    });
    pure("reduce").register_into_engine(
        engine,
        |context: NativeCallContext, array: &mut Array, function: FnPtr, first: Dynamic| {
            reduce(&context, array, &function, first)
        },
    );
    engine.register_fn("sort", sort).register_fn("sort_by", sort);
}

fn reduce(context: &NativeCallContext, array: &mut Array, function: &FnPtr, first: Dynamic) -> Result<Dynamic> {
    let around = Around::of(context);
    array
        .iter_mut()
        .enumerate()
        .try_fold(first, |result, (position, item)| around.call(function, item, [result], position))
}

/// Sorts by a function that compares two elements: below 0, the first comes first. Stable, and
/// ends whatever the function returns.
fn sort(context: NativeCallContext, array: &mut Array, compare: FnPtr) -> Result<()> {
    let around = Around::of(&context);
    let mut sorted = std::mem::take(array);
    let mut width = 1;
    while width < sorted.len() {
        let mut merged = Array::with_capacity(sorted.len());
        for run in sorted.chunks(2 * width) {
            let (left, right) = run.split_at(width.min(run.len()));
            merge(&around.context(), left, right, &compare, &mut merged)?;
        }
        sorted = merged;
        width *= 2;
    }
    *array = sorted;
    Ok(())
}

fn merge(
    context: &NativeCallContext,
    left: &[Dynamic],
    right: &[Dynamic],
    compare: &FnPtr,
    merged: &mut Array,
) -> Result<()> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(&one), Some(&other)) = (left.peek(), right.peek()) {
        let called: Result<Dynamic> = compare.call_within_context(context, (one.clone(), other.clone()));
        let order = called.map_err(|error| match is_unknown(&error, compare) {
            true => raise(Message::new("own-planner.sort-two")),
            false => error,
        })?;
        let comes_after = match (order.as_int(), order.as_bool()) {
            (Ok(order), _) => order > 0,
            (_, Ok(is_before)) => !is_before,
            _ => {
                return Err(raise(
                    Message::new("own-planner.not-an-order").text("found", type_word(order.type_name())),
                ));
            }
        };
        let next = if comes_after { right.next() } else { left.next() };
        merged.extend(next.cloned());
    }
    merged.extend(left.chain(right).cloned());
    Ok(())
}
