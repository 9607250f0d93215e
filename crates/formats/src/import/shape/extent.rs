//! One extent of a shape, or one entry of a shape's contents: a number, an expression over symbols,
//! or not known.

use std::rc::Rc;

use memplan_core::graph::{Expr, RawDim, UNKNOWN};

/// Longest expression kept; a longer one counts as not known.
const MAX_TEXT: usize = 400;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Extent {
    Known(i64),
    /// As [`Expr`] reads it, multiplied out.
    Text(Rc<str>),
    #[default]
    Open,
}

use Extent::{Known, Open, Text};

/// The extents of a tensor; `None` where not even their number is known.
pub type Dims = Vec<Extent>;

impl Extent {
    /// An expression in its simplest form.
    pub fn parse(text: &str) -> Extent {
        match Expr::parse(text) {
            Ok(expr) => tidy(expr.normal()),
            Err(_) => Open,
        }
    }

    pub fn known(&self) -> Option<i64> {
        if let Known(value) = self { Some(*value) } else { None }
    }

    pub fn plus(&self, other: &Extent) -> Extent {
        self.with(other, i64::checked_add, |a, b| format!("({a}) + ({b})"))
    }

    pub fn minus(&self, other: &Extent) -> Extent {
        self.with(other, i64::checked_sub, |a, b| format!("({a}) - ({b})"))
    }

    pub fn times(&self, other: &Extent) -> Extent {
        match (self, other) {
            (Known(0), _) | (_, Known(0)) => Known(0),
            _ => self.with(other, i64::checked_mul, |a, b| format!("({a})*({b})")),
        }
    }

    /// The quotient rounded down.
    pub fn over(&self, other: &Extent) -> Extent {
        match (self, other) {
            (_, Known(1)) => self.clone(),
            (_, Known(0)) | (Open, _) | (_, Open) => Open,
            (Known(a), Known(b)) => match (a.checked_div(*b), a.checked_rem(*b)) {
                (Some(quotient), Some(rest)) => Known(quotient - i64::from(rest != 0 && (rest < 0) != (*b < 0))),
                _ => Open,
            },
            _ if self == other => Known(1),
            _ => match (Expr::parse(&self.text()), Expr::parse(&other.text())) {
                (Ok(a), Ok(b)) => a.quotient(&b).map_or(Open, tidy),
                _ => Open,
            },
        }
    }

    /// The quotient rounded up, for a positive divisor.
    pub fn over_up(&self, other: &Extent) -> Extent {
        self.plus(other).minus(&Known(1)).over(other)
    }

    pub fn at_least(&self, other: &Extent) -> Extent {
        if self == other {
            return self.clone();
        }
        self.with(other, |a, b| Some(a.max(b)), |a, b| format!("Max({a}, {b})"))
    }

    pub fn at_most(&self, other: &Extent) -> Extent {
        if self == other {
            return self.clone();
        }
        self.with(other, |a, b| Some(a.min(b)), |a, b| format!("Min({a}, {b})"))
    }

    /// What is left of a division rounded down; it has the sign of the divisor.
    pub fn modulo(&self, other: &Extent) -> Extent {
        if *other == Known(0) {
            return Open;
        }
        if *other == Known(1) || (self == other && *self != Open) {
            return Known(0);
        }
        let numbers = |a: i64, b: i64| {
            let rest = a.checked_rem(b)?;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        };
        self.with(other, numbers, |a, b| format!("Mod({a}, {b})"))
    }

    /// Whether it is known not to be negative. Symbols are extents, and so are their sums and
    /// products.
    pub fn is_extent(&self) -> bool {
        match self {
            Known(value) => *value >= 0,
            Text(text) => !text.contains('-'),
            Open => false,
        }
    }

    fn with(&self, other: &Extent, numbers: fn(i64, i64) -> Option<i64>, texts: fn(&str, &str) -> String) -> Extent {
        match (self, other) {
            (Open, _) | (_, Open) => Open,
            (Known(a), Known(b)) => numbers(*a, *b).map_or(Open, Known),
            _ => Extent::parse(&texts(&self.text(), &other.text())),
        }
    }

    fn text(&self) -> String {
        match self {
            Known(value) => value.to_string(),
            Text(text) => text.to_string(),
            Open => UNKNOWN.to_string(),
        }
    }

    /// As a graph takes it; a negative number is no extent.
    pub fn raw(&self) -> RawDim {
        match self {
            Known(value) => u64::try_from(*value).map_or_else(|_| RawDim::Text(UNKNOWN.to_string()), RawDim::Fixed),
            _ => RawDim::Text(self.text()),
        }
    }
}

fn tidy(text: String) -> Extent {
    match text.parse() {
        Ok(value) => Known(value),
        Err(_) if text.len() > MAX_TEXT || Expr::parse(&text).is_err() => Open,
        Err(_) => Text(text.replace(" + -", " - ").into()),
    }
}

/// The shape in words, as it is asked for.
pub fn words(dims: &[Extent]) -> String {
    dims.iter().map(Extent::text).collect::<Vec<_>>().join(", ")
}

/// All extents multiplied.
pub fn product(dims: &[Extent]) -> Extent {
    dims.iter().fold(Known(1), |product, extent| product.times(extent))
}

/// The shape that several broadcast to; `None` if they do not fit.
pub fn broadcast(shapes: &[&[Extent]]) -> Option<Dims> {
    let rank = shapes.iter().map(|dims| dims.len()).max()?;
    let mut result = vec![Known(1); rank];
    for dims in shapes {
        for (into, extent) in result.iter_mut().rev().zip(dims.iter().rev()) {
            *into = broadcast_one(into, extent)?;
        }
    }
    Some(result)
}

fn broadcast_one(a: &Extent, b: &Extent) -> Option<Extent> {
    Some(match (a, b) {
        (Known(1), other) | (other, Known(1)) => other.clone(),
        (Known(a), Known(b)) => return (a == b).then_some(Known(*a)),
        // What is not known can only be the same, or one.
        (Known(value), _) | (_, Known(value)) => Known(*value),
        (Open, _) | (_, Open) => Open,
        _ => a.at_least(b),
    })
}

/// Counts from the end if negative.
pub fn axis_of(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis.checked_add(rank)? } else { axis };
    (0..rank).contains(&axis).then_some(axis as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_stay_short_and_symbols_keep_their_names() {
        let n = Extent::parse("batch");
        assert_eq!(n, Text("batch".into()));
        assert_eq!(n.times(&Known(62720)).over(&n), Known(62720));
        assert_eq!(n.plus(&Known(6)).minus(&Known(7)).over(&Known(2)).plus(&Known(1)), Extent::parse("(batch+1)//2"));
        assert_eq!(n.minus(&Known(1)), Text("batch - 1".into()));
        assert_eq!(n.times(&Known(0)), Known(0));
        assert_eq!(n.over(&Known(0)), Open);
        assert_eq!(Known(-7).over(&Known(2)), Known(-4));
        assert_eq!(Known(i64::MIN).over(&Known(-1)), Open);
        assert_eq!(Known(i64::MAX).plus(&n).plus(&Known(i64::MAX)).known(), None);
    }

    #[test]
    fn broadcasting_takes_the_extent_that_is_not_one() {
        let n = Extent::parse("n");
        let shape = |dims: &[Extent]| dims.to_vec();
        assert_eq!(
            broadcast(&[&shape(&[n.clone(), Known(1)]), &shape(&[Known(5)])]),
            Some(shape(&[n.clone(), Known(5)]))
        );
        assert_eq!(broadcast(&[&shape(&[Known(2)]), &shape(&[Known(3)])]), None);
        assert_eq!(broadcast(&[&shape(&[n]), &shape(&[Known(3)])]), Some(shape(&[Known(3)])));
    }
}
