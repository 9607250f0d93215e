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
    /// A greatest value of `u64::MAX` stands for none. None if the result is infinite, below 0, or
    /// not defined.
    pub fn greatest(&self, bounds: &BTreeMap<String, (u64, u64)>) -> Option<u64> {
        let (_, high) = bounded(self.root(), bounds)?;
        u64::try_from(high).ok().filter(|_| high != INFINITE)
    }

    /// Returns the greatest value as an expression over the symbols without a greatest value, with
    /// bounds as in [`greatest`](Expr::greatest); none if TVM's interval arithmetic finds none. A
    /// product with a factor that may be below 0 is the larger one of two products, so `b*n` with
    /// `n` from 0 to 64 is `Max(64*b, 0*b)`.
    pub fn greatest_over_free(&self, bounds: &BTreeMap<String, (u64, u64)>) -> Option<Expr> {
        let [_, high] = ends(self.root(), bounds)?;
        Expr::parse(&high?).ok()
    }
}

/// The range of a term between bounds of symbols, `u64::MAX` being no upper one.
fn bounded(term: &Term, bounds: &BTreeMap<String, (u64, u64)>) -> Option<Range> {
    let of = |name: &str| {
        Ok(bounds.get(name).map_or((-INFINITE, INFINITE), |&(least, most)| {
            (least.into(), if most == u64::MAX { INFINITE } else { most.into() })
        }))
    };
    range(term, &of, plain_remainder).ok()
}

/// Longest text of an end that is written: each product may double it.
const LONGEST: usize = 1 << 12;

/// Lower and upper end of a term as text over symbols without a greatest value; both are the same
/// if it has one value for each choice of these. None where an end is not known or too long.
type Ends = [Option<String>; 2];

fn ends(term: &Term, bounds: &BTreeMap<String, (u64, u64)>) -> Option<Ends> {
    Some(match term {
        Term::Number(value) => [Some(value.to_string()), Some(value.to_string())],
        Term::Symbol(name) => match bounds.get(name) {
            Some(&(least, most)) if most != u64::MAX => [Some(least.to_string()), Some(most.to_string())],
            _ => [Some(name.clone()), Some(name.clone())],
        },
        Term::Apply(op, terms) => {
            let (first, others) = terms.split_first()?;
            let mut result = (ends(first, bounds)?, bounded(first, bounds));
            for other in others {
                let next = (ends(other, bounds)?, bounded(other, bounds));
                let range = result.1.zip(next.1).and_then(|(a, b)| apply(*op, a, b, plain_remainder).ok());
                result = (joined(*op, &result, &next)?, range);
            }
            result.0
        }
    })
}

/// The ends of an operation on two terms, each with its range if that is known.
fn joined(op: Op, a: &(Ends, Option<Range>), b: &(Ends, Option<Range>)) -> Option<Ends> {
    let is_one_value = |ends: &Ends| ends[0].is_some() && ends[0] == ends[1];
    let text = |a: &Option<String>, b: &Option<String>| {
        let (a, b) = a.as_ref().zip(b.as_ref())?;
        let text = match op {
            Op::Add => format!("({a})+({b})"),
            Op::Sub => format!("({a})-({b})"),
            Op::Mul => format!("({a})*({b})"),
            Op::FloorDiv => format!("({a})//({b})"),
            Op::Mod => format!("({a})%({b})"),
            Op::Pow => format!("({a})**({b})"),
            Op::CeilDiv => format!("CeilDiv({a}, {b})"),
            Op::Max => format!("Max({a}, {b})"),
            Op::Min => format!("Min({a}, {b})"),
        };
        (text.len() <= LONGEST).then_some(text)
    };
    let of_both = |b_low: usize| [text(&a.0[0], &b.0[b_low]), text(&a.0[1], &b.0[1 - b_low])];
    if is_one_value(&a.0) && is_one_value(&b.0) {
        return Some(of_both(0));
    }
    match op {
        Op::Add | Op::Max | Op::Min => Some(of_both(0)),
        Op::Sub => Some(of_both(1)),
        Op::Mul | Op::FloorDiv | Op::CeilDiv => {
            let (many, one) = if op == Op::Mul && is_one_value(&a.0) { (b, a) } else { (a, b) };
            if !is_one_value(&one.0) {
                return None;
            }
            let [low, high] = [&many.0[0], &many.0[1]].map(|end| text(end, &one.0[0]));
            match one.1 {
                Some((least, _)) if least >= 0 => Some([low, high]),
                Some((_, most)) if most < 0 => Some([high, low]),
                _ => {
                    let (low, high) = low.zip(high)?;
                    let of = |name: &str| Some(format!("{name}({high}, {low})")).filter(|text| text.len() <= LONGEST);
                    Some([of("Min"), of("Max")])
                }
            }
        }
        Op::Mod | Op::Pow => None,
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

    /// As TVM 0.27 prints upper bounds of shapes, `Select(b >= 0, 77*b, 0)` being the larger one.
    #[test]
    fn free_symbols_stay_in_the_greatest_value() {
        let bounds = [("t".to_string(), (0, 77)), ("k".to_string(), (0, u64::MAX))].into();
        let normal = |text: &str| Expr::parse(text).expect("an expression").normal();
        let over_free =
            |text: &str| Some(Expr::parse(text).expect("an expression").greatest_over_free(&bounds)?.normal());
        for (text, expected) in [
            ("b*t", "Max(77*b, 0)"),
            ("t*b", "Max(77*b, 0)"),
            ("k*t", "77*k"),
            ("b*t + 1", "Max(77*b, 0) + 1"),
            ("100 - b*t", "100 - Min(77*b, 0)"),
            ("(t+1)*b", "Max(78*b, b)"),
            ("(b*t)//2", "Max(77*b, 0)//2"),
            ("t//3*k", "77//3*k"),
            ("t - b", "77 - b"),
            ("b - t", "b"),
            ("Max(b, t)", "Max(b, 77)"),
            ("b*k*t", "Max(77*b*k, 0)"),
            ("b", "b"),
        ] {
            assert_eq!(over_free(text), Some(normal(expected)), "{text}");
        }
        for text in ["t*t*b", "(b*t)*(b*t)", "t % b"] {
            assert_eq!(over_free(text), None, "{text}");
        }
        let deep = "*(0-b)".repeat(40);
        assert_eq!(over_free(&format!("t{deep}")), None);
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
