//! Interval arithmetic over expressions: the largest value that symbols between their bounds allow.

use std::collections::BTreeMap;

use super::expr::{Op, Term, floor_div};
use super::{Expr, ExprError, Symbol};

/// Stands for infinity; every finite value stays below 2^100.
const INFINITE: i128 = 1 << 110;
const LARGEST: i128 = 1 << 100;

/// Lowest size that PyTorch keeps as a symbol (`specialize_zero_one` of its `ShapeEnv`).
const LOWEST_SYMBOLIC: u64 = 2;

/// Lowest and highest value, either may be infinite.
type Range = (i128, i128);

impl Expr {
    /// Returns the upper end with each symbol anywhere between its bounds; nothing if that end is
    /// infinite. Occurrences of one symbol count as independent, so `s*s - s` with `s` in 2 to 8
    /// gives 64 - 2. Bounds are those of PyTorch, which compiles sizes of 0 and 1 as constants: a
    /// symbol whose hint is at least 2 begins at 2, whatever its stated minimum. Another symbol
    /// without a stated minimum begins at 0.
    ///
    /// # Errors
    /// As [`Expr::size`].
    pub fn upper(&self, symbols: &BTreeMap<String, Symbol>) -> Result<Option<u64>, ExprError> {
        let of = |name: &str| {
            let symbol = symbols.get(name).ok_or_else(|| ExprError::UnknownSymbol(name.to_string()))?;
            let low =
                symbol.min.unwrap_or(0).max(if symbol.hint >= LOWEST_SYMBOLIC { LOWEST_SYMBOLIC } else { 0 }) as i128;
            Ok((low, symbol.max.map_or(INFINITE, |max| (max as i128).max(low))))
        };
        match range(self.root(), &of, remainder)?.1 {
            INFINITE => Ok(None),
            high if high < 0 => Err(ExprError::Negative(high)),
            high => u64::try_from(high).map(Some).map_err(|_| ExprError::TooLarge),
        }
    }

    /// Returns the greatest value with each symbol between the least and the greatest given for it,
    /// as TVM's bounds of integers have it; symbols without any may have every value, also below 0.
    /// None if the greatest value is infinite, below 0, or not defined.
    pub fn greatest(&self, bounds: &BTreeMap<String, (u64, u64)>) -> Option<u64> {
        let of = |name: &str| {
            Ok(bounds.get(name).map_or((-INFINITE, INFINITE), |&(least, most)| (least.into(), most.into())))
        };
        let (_, high) = range(self.root(), &of, plain_remainder).ok()?;
        u64::try_from(high).ok().filter(|_| high != INFINITE)
    }
}

/// The range of a remainder of two ranges.
type Remainder = fn(Range, Range) -> Range;

fn range(term: &Term, of: &dyn Fn(&str) -> Result<Range, ExprError>, remainder: Remainder) -> Result<Range, ExprError> {
    match term {
        Term::Number(value) => Ok((*value as i128, *value as i128)),
        Term::Symbol(name) => of(name),
        Term::Apply(op, terms) => {
            let mut ranges = terms.iter().map(|term| range(term, of, remainder));
            let mut result = ranges.next().unwrap_or(Ok((0, 0)))?;
            for next in ranges {
                result = apply(*op, result, next?, remainder)?;
            }
            Ok(result)
        }
    }
}

fn apply(op: Op, a: Range, b: Range, remainder: Remainder) -> Result<Range, ExprError> {
    let range = match op {
        Op::Add => (add(a.0, b.0), add(a.1, b.1)),
        Op::Sub => (add(a.0, -b.1), add(a.1, -b.0)),
        Op::Mul => corners(a, b, |a, b| Some(multiply(a, b))).ok_or(ExprError::TooLarge)?,
        Op::FloorDiv | Op::CeilDiv | Op::Mod if b.0 <= 0 && 0 <= b.1 => return Err(ExprError::DivisionByZero),
        Op::FloorDiv => corners(a, b, |a, b| Some(divide(a, b))).ok_or(ExprError::TooLarge)?,
        Op::CeilDiv => corners((-a.1, -a.0), b, |a, b| Some(divide(a, b)))
            .map(|(low, high)| (-high, -low))
            .ok_or(ExprError::TooLarge)?,
        Op::Mod => remainder(a, b),
        Op::Pow => corners(a, b, power).ok_or(ExprError::TooLarge)?,
        Op::Max => (a.0.max(b.0), a.1.max(b.1)),
        Op::Min => (a.0.min(b.0), a.1.min(b.1)),
    };
    let sound = |value: i128| value.abs() == INFINITE || value.abs() < LARGEST;
    if sound(range.0) && sound(range.1) { Ok(range) } else { Err(ExprError::TooLarge) }
}

/// The extremes lie at corners, as the operations are monotone in each operand on one side of zero.
fn corners(a: Range, b: Range, apply: impl Fn(i128, i128) -> Option<i128>) -> Option<Range> {
    let mut ends = Vec::with_capacity(4);
    for x in [a.0, a.1] {
        for y in [b.0, b.1] {
            ends.push(apply(x, y)?);
        }
    }
    Some((ends.iter().copied().min()?, ends.iter().copied().max()?))
}

fn is_infinite(value: i128) -> bool {
    value.abs() == INFINITE
}

fn add(a: i128, b: i128) -> i128 {
    match (is_infinite(a), is_infinite(b)) {
        (true, _) => a,
        (_, true) => b,
        _ => a + b,
    }
}

fn multiply(a: i128, b: i128) -> i128 {
    if a == 0 || b == 0 {
        0
    } else if is_infinite(a) || is_infinite(b) {
        INFINITE * a.signum() * b.signum()
    } else {
        // Too large for an extent anyway: the caller refuses what is neither finite nor infinite.
        a.checked_mul(b).unwrap_or(INFINITE - 1)
    }
}

fn divide(a: i128, b: i128) -> i128 {
    match (is_infinite(a), is_infinite(b)) {
        (_, true) if a.signum() * b.signum() < 0 => -1,
        (_, true) => 0,
        (true, _) => a.signum() * b.signum() * INFINITE,
        _ => floor_div(a, b),
    }
}

fn power(base: i128, exponent: i128) -> Option<i128> {
    if exponent == 0 {
        return Some(1);
    }
    if is_infinite(base) || (is_infinite(exponent) && base > 1) {
        return Some(INFINITE);
    }
    u32::try_from(exponent).ok().and_then(|exponent| base.checked_pow(exponent))
}

/// Of the divisor only the size counts, unless it is one number and the quotient is the same at
/// both ends.
fn remainder(a: Range, b: Range) -> Range {
    if b.0 == b.1 && !is_infinite(a.0) && !is_infinite(a.1) && floor_div(a.0, b.0) == floor_div(a.1, b.0) {
        let quotient = b.0 * floor_div(a.0, b.0);
        return (a.0 - quotient, a.1 - quotient);
    }
    if b.0 > 0 { (0, add(b.1, -1)) } else { (add(b.0, 1), 0) }
}

/// The same without a look at the quotient.
fn plain_remainder(a: Range, b: Range) -> Range {
    if a.0 >= 0 && b.0 > 0 { (0, a.1.min(add(b.1, -1))) } else { remainder(a, b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upper(text: &str) -> Result<Option<u64>, ExprError> {
        let symbol = |name: &str, hint, min, max| (name.to_string(), Symbol { hint, min, max });
        let symbols = [
            symbol("a", 5, Some(2), Some(8)),
            symbol("b", 1, None, Some(4)),
            symbol("batch", 4, Some(1), Some(16)),
            symbol("open", 5, None, None),
        ];
        Expr::parse(text)?.upper(&symbols.into())
    }

    #[test]
    fn the_upper_end_counts_every_occurrence_by_itself() {
        assert_eq!(upper("a*a - a"), Ok(Some(62)));
        assert_eq!(upper("(a-3)*(b-4)"), Ok(Some(4)));
        assert_eq!(upper("CeilDiv(a, 3)"), Ok(Some(3)));
        assert_eq!(upper("a % 16"), Ok(Some(8)));
        assert_eq!(upper("a**2"), Ok(Some(64)));
    }

    #[test]
    fn an_infinite_end_is_no_number_unless_it_cancels() {
        assert_eq!(upper("open*a"), Ok(None));
        assert_eq!(upper("100//open"), Ok(Some(50)));
        assert_eq!(upper("a - open"), Ok(Some(6)));
        assert_eq!(upper("Min(open, 7)*b"), Ok(Some(28)));
        assert_eq!(upper("CeilDiv(open, a)"), Ok(None));
    }

    #[test]
    fn a_symbol_is_never_0_or_1_unless_its_hint_is() {
        assert_eq!(upper("512 // batch"), Ok(Some(256)));
        assert_eq!(upper("20 - batch"), Ok(Some(18)));
        assert_eq!(upper("512 // (b + 1)"), Ok(Some(512)));
    }

    #[test]
    fn without_bounds_a_symbol_may_have_every_value() {
        let bounds = [("n".to_string(), (0, 64))].into();
        let greatest = |text: &str| Expr::parse(text).expect("an expression").greatest(&bounds);
        assert_eq!(
            (greatest("n*2 + 1"), greatest("100 - n"), greatest("Max(n, 70)")),
            (Some(129), Some(100), Some(70))
        );
        assert_eq!((greatest("n % 10"), greatest("((n + 3)//4)*4"), greatest("n//3")), (Some(9), Some(64), Some(21)));
        assert_eq!((greatest("n - m"), greatest("m"), greatest("n//m")), (None, None, None));
    }

    #[test]
    fn what_has_no_value_is_refused() {
        assert_eq!(upper("a // b"), Err(ExprError::DivisionByZero));
        assert_eq!(upper("1 - a"), Err(ExprError::Negative(-1)));
        assert_eq!(upper("other"), Err(ExprError::UnknownSymbol("other".into())));
        assert_eq!(upper("10**40"), Err(ExprError::TooLarge));
        assert_eq!(upper("(10**25)*(10**25)"), Err(ExprError::TooLarge));
    }
}
