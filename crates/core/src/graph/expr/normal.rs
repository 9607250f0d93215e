//! One text for all ways to write the same polynomial: `4*s0`, `s0*4` and `2*s0*2` become equal.

use std::collections::BTreeMap;

use super::{Expr, Op, Term, floor_div};

/// Most terms of a sum, and most factors of a term.
const MAX_TERMS: usize = 64;
/// Highest power that is multiplied out.
const MAX_POWER: i64 = 8;
/// Longest text of a factor, in bytes.
const MAX_TEXT: usize = 256;

/// Coefficients by the factors they stand before, each factor as often as it occurs, in order.
type Sum = BTreeMap<Vec<String>, i128>;

impl Expr {
    /// The expression multiplied out, with its terms in a fixed order. Two expressions with the
    /// same text have the same value for all values of the symbols; divisions, remainders, `Max`
    /// and `Min` are equal only if their arguments are. One that grows too large stays as it is
    /// written.
    pub fn normal(&self) -> String {
        sum_of(&self.root).map_or_else(|| self.source.clone(), |sum| text(&sum))
    }

    /// The quotient rounded down, multiplied out, with what divides evenly taken out of the
    /// division: `(64*s0 + 3) // 2` gives `32*s0 + 1`, and `6*s0 // s0` gives `6`, which holds
    /// wherever the division has a value. `None` when it grows too large.
    pub fn quotient(&self, by: &Expr) -> Option<String> {
        let (sum, divisor) = (sum_of(&self.root)?, sum_of(&by.root)?);
        let single = divisor.iter().next().filter(|_| divisor.len() == 1);
        let (mut whole, mut rest) = (Sum::new(), Sum::new());
        for (factors, &value) in &sum {
            match single.and_then(|(below, &coefficient)| divide(factors, value, below, coefficient)) {
                Some((left, value)) => whole = add(&whole, &[(left, value)].into(), 1)?,
                None => {
                    rest.insert(factors.clone(), value);
                }
            }
        }
        // Of a constant only the remainder stays inside.
        if let Some((below, &coefficient)) = single
            && below.is_empty()
            && let Some(value) = rest.remove(&Vec::new())
        {
            let quotient = floor_div(value, coefficient);
            whole = add(&whole, &constant(quotient), 1)?;
            rest = add(&rest, &constant(value.checked_sub(quotient.checked_mul(coefficient)?)?), 1)?;
            if rest.keys().all(Vec::is_empty) {
                rest.clear();
            }
        }
        if !rest.is_empty() {
            whole = add(&whole, &factor(format!("FloorDiv({}, {})", text(&rest), text(&divisor)))?, 1)?;
        }
        Some(text(&whole))
    }
}

/// One term by another, when that leaves no remainder whatever the symbols are.
fn divide(factors: &[String], value: i128, below: &[String], coefficient: i128) -> Option<(Vec<String>, i128)> {
    if coefficient == 0 || value % coefficient != 0 {
        return None;
    }
    let mut left = factors.to_vec();
    for factor in below {
        let at = left.iter().position(|there| there == factor)?;
        left.remove(at);
    }
    Some((left, value / coefficient))
}

/// `None` when a sum grows too large or a coefficient overflows.
fn sum_of(term: &Term) -> Option<Sum> {
    match term {
        Term::Number(value) => Some(constant(*value as i128)),
        Term::Symbol(name) => factor(name.clone()),
        Term::Apply(op, terms) => {
            let sums = terms.iter().map(sum_of).collect::<Option<Vec<Sum>>>()?;
            match (op, sums.as_slice()) {
                (Op::Add, [a, b]) => add(a, b, 1),
                (Op::Sub, [a, b]) => add(a, b, -1),
                (Op::Mul, [a, b]) => multiply(a, b),
                (Op::Pow, [base, exponent]) if whole(exponent).is_some() => power(base, whole(exponent)?),
                _ => factor(format!("{op:?}({})", sums.iter().map(text).collect::<Vec<_>>().join(", "))),
            }
        }
    }
}

fn constant(value: i128) -> Sum {
    if value == 0 { Sum::new() } else { [(Vec::new(), value)].into() }
}

fn factor(text: String) -> Option<Sum> {
    (text.len() <= MAX_TEXT).then(|| [(vec![text], 1)].into())
}

/// The exponent, if it is a number that is multiplied out.
fn whole(exponent: &Sum) -> Option<i64> {
    let value = match exponent.iter().next() {
        None => 0,
        Some((factors, &value)) if factors.is_empty() && exponent.len() == 1 => i64::try_from(value).ok()?,
        Some(_) => return None,
    };
    (0..=MAX_POWER).contains(&value).then_some(value)
}

fn add(a: &Sum, b: &Sum, sign: i128) -> Option<Sum> {
    let mut sum = a.clone();
    for (factors, value) in b {
        let there = sum.entry(factors.clone()).or_insert(0);
        *there = there.checked_add(value.checked_mul(sign)?)?;
    }
    sum.retain(|_, value| *value != 0);
    (sum.len() <= MAX_TERMS).then_some(sum)
}

fn multiply(a: &Sum, b: &Sum) -> Option<Sum> {
    let mut product = Sum::new();
    for (left, x) in a {
        for (right, y) in b {
            let mut factors: Vec<String> = left.iter().chain(right).cloned().collect();
            factors.sort();
            let there = product.entry(factors).or_insert(0);
            *there = there.checked_add(x.checked_mul(*y)?)?;
        }
    }
    product.retain(|_, value| *value != 0);
    let fits = product.len() <= MAX_TERMS && product.keys().all(|factors| factors.len() <= MAX_TERMS);
    fits.then_some(product)
}

fn power(base: &Sum, exponent: i64) -> Option<Sum> {
    (0..exponent).try_fold(constant(1), |product, _| multiply(&product, base))
}

fn text(sum: &Sum) -> String {
    if sum.is_empty() {
        return "0".into();
    }
    // The constant last, as people write it.
    let terms = sum
        .iter()
        .filter(|(factors, _)| !factors.is_empty())
        .chain(sum.iter().filter(|(factors, _)| factors.is_empty()));
    let term = |(factors, value): (&Vec<String>, &i128)| match (factors.is_empty(), *value) {
        (true, value) => value.to_string(),
        (false, 1) => factors.join("*"),
        (false, value) => format!("{value}*{}", factors.join("*")),
    };
    terms.map(term).collect::<Vec<_>>().join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(text: &str) -> String {
        Expr::parse(text).expect("readable").normal()
    }

    #[test]
    fn ways_to_write_one_polynomial_have_one_text() {
        for same in ["4*s0", "s0*4", "2*s0*2", "s0 + 3*s0", "1 + (s0 - 1)*4 + 3", "(s0 + 1)*4 - 2**2"] {
            assert_eq!(normal(same), "4*s0", "{same}");
        }
        assert_eq!(normal("(s0 + 2)*(s1 - 1)"), "-1*s0 + s0*s1 + 2*s1 + -2");
        assert_eq!(normal("s0 - s0"), "0");
        assert_eq!(normal("s0**0"), "1");
    }

    #[test]
    fn a_quotient_keeps_only_what_does_not_divide() {
        let quotient = |a: &str, b: &str| {
            Expr::parse(a).expect("readable").quotient(&Expr::parse(b).expect("readable")).expect("small")
        };
        assert_eq!(quotient("64*s0 + 3", "2"), "32*s0 + 1");
        assert_eq!(quotient("s0 - 1", "2"), "FloorDiv(s0 + 1, 2) + -1");
        assert_eq!(quotient("6*s0*s1", "s0"), "6*s1");
        assert_eq!(quotient("6*s0 + 5", "s0"), "FloorDiv(5, s0) + 6");
        assert_eq!(quotient("s0*s1", "s0 + 1"), "FloorDiv(s0*s1, s0 + 1)");
        assert_eq!(quotient("s0 - s0", "3"), "0");
        assert_eq!(quotient("s0", "0"), "FloorDiv(s0, 0)");
    }

    #[test]
    fn what_is_no_polynomial_is_compared_by_its_arguments() {
        assert_eq!(normal("(2*s0)//4"), normal("(s0*2) // 4"));
        assert_ne!(normal("s0//4*4"), normal("s0"));
        assert_ne!(normal("Max(s0, 8)"), normal("Max(s1, 8)"));
        assert_ne!(normal("s0**s1"), normal("s1**s0"));
        // Too large to multiply out, and an overflow: left as written.
        for large in ["(a+b+c+d)*".repeat(40) + "2", "9223372036854775807*".repeat(4) + "2", "a*".repeat(500) + "2"] {
            assert_eq!(normal(&large), large);
        }
        let nested = "(1+2*".repeat(30) + "s0//7" + &")//3*(a+b+c+d+e)".repeat(30);
        assert_eq!(normal(&nested), nested);
    }
}
