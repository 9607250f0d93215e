//! Integer expressions over symbols, as shapes use them: `s0*(s1+1)`, `Max(s0, 8)`, `s0//2`.

mod normal;

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A parsed expression together with the text it came from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Expr {
    source: String,
    root: Term,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Term {
    Number(i64),
    Symbol(String),
    Apply(Op, Vec<Term>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Op {
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
    Pow,
    Max,
    Min,
}

/// Why an expression has no text form we read, or no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprError {
    /// Not understood at this character (0-based).
    Syntax {
        /// Position of the character in bytes.
        at: usize,
    },
    /// Nested deeper than `MAX_DEPTH`, or too long.
    TooDeep,
    /// The symbol of this name has no value.
    UnknownSymbol(String),
    /// An extent that the file leaves open ([`super::Dim::Unknown`]).
    Unknown,
    /// A divisor is 0, or may be 0 between the bounds of its symbols.
    DivisionByZero,
    /// An extent or size came out below 0, with this value.
    Negative(i128),
    /// Beyond 2^53 - 1.
    TooLarge,
}

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExprError::Syntax { at } => write!(f, "not understood at character {}", at + 1),
            ExprError::TooDeep => write!(f, "nested too deeply or too long"),
            ExprError::UnknownSymbol(name) => write!(f, "symbol {name} has no value"),
            ExprError::Unknown => write!(f, "not known"),
            ExprError::DivisionByZero => write!(f, "division by zero"),
            ExprError::Negative(value) => write!(f, "value {value} is negative"),
            ExprError::TooLarge => write!(f, "value beyond 2^53 - 1"),
        }
    }
}

impl std::error::Error for ExprError {}

/// Deepest nesting read, so that hostile text cannot exhaust the stack.
pub const MAX_DEPTH: usize = 64;

/// Most sums and products of terms in one expression: `a + b + c + …` is a tree as deep as it is
/// long.
const MAX_OPERATIONS: usize = 1_000;

impl Expr {
    /// Reads an expression: whole numbers, symbols, `+ - * // / % **`, parentheses, and the
    /// functions `Max`, `Min`, `Mod`, `FloorDiv`, `CeilDiv`. `/` is floor division, as extents are
    /// whole.
    ///
    /// # Errors
    /// [`ExprError::Syntax`] with the place, or [`ExprError::TooDeep`].
    pub fn parse(source: &str) -> Result<Expr, ExprError> {
        let mut parser = Parser { text: source.as_bytes(), at: 0, depth: 0, operations: 0 };
        let root = parser.sum()?;
        parser.blanks();
        if parser.at < parser.text.len() {
            return Err(ExprError::Syntax { at: parser.at });
        }
        Ok(Expr { source: source.to_string(), root })
    }

    /// The text as written in the file.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub(super) fn root(&self) -> &Term {
        &self.root
    }

    /// Names of the symbols, each once, in order of appearance.
    pub fn symbols(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.root.collect(&mut names);
        names
    }

    /// The value for the given symbols.
    ///
    /// # Errors
    /// [`ExprError::UnknownSymbol`], [`ExprError::DivisionByZero`] or [`ExprError::TooLarge`].
    pub fn value(&self, symbols: &BTreeMap<String, u64>) -> Result<i128, ExprError> {
        self.root.value(symbols)
    }

    /// The value as an extent or a size.
    ///
    /// # Errors
    /// As [`Expr::value`], and [`ExprError::Negative`].
    pub fn size(&self, symbols: &BTreeMap<String, u64>) -> Result<u64, ExprError> {
        let value = self.value(symbols)?;
        if value < 0 {
            return Err(ExprError::Negative(value));
        }
        u64::try_from(value).map_err(|_| ExprError::TooLarge)
    }
}

impl Term {
    fn collect<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Term::Number(_) => {}
            Term::Symbol(name) => {
                if !names.contains(&name.as_str()) {
                    names.push(name);
                }
            }
            Term::Apply(_, terms) => terms.iter().for_each(|term| term.collect(names)),
        }
    }

    fn value(&self, symbols: &BTreeMap<String, u64>) -> Result<i128, ExprError> {
        match self {
            Term::Number(value) => Ok(*value as i128),
            Term::Symbol(name) => match symbols.get(name) {
                Some(value) => Ok(*value as i128),
                None => Err(ExprError::UnknownSymbol(name.clone())),
            },
            Term::Apply(op, terms) => {
                let mut values = terms.iter().map(|term| term.value(symbols));
                let mut result = values.next().unwrap_or(Ok(0))?;
                for value in values {
                    result = op.apply(result, value?)?;
                }
                Ok(result)
            }
        }
    }
}

impl Op {
    fn apply(self, a: i128, b: i128) -> Result<i128, ExprError> {
        let result = match self {
            Op::Add => a.checked_add(b),
            Op::Sub => a.checked_sub(b),
            Op::Mul => a.checked_mul(b),
            Op::FloorDiv | Op::CeilDiv | Op::Mod if b == 0 => return Err(ExprError::DivisionByZero),
            Op::FloorDiv => Some(floor_div(a, b)),
            Op::CeilDiv => Some(-floor_div(-a, b)),
            Op::Mod => Some(a - b * floor_div(a, b)),
            Op::Pow => u32::try_from(b).ok().and_then(|exponent| a.checked_pow(exponent)),
            Op::Max => Some(a.max(b)),
            Op::Min => Some(a.min(b)),
        };
        // Bounded well inside i128, so that the next operation cannot overflow unnoticed.
        result.filter(|value| value.unsigned_abs() < 1 << 100).ok_or(ExprError::TooLarge)
    }
}

pub(super) fn floor_div(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
    operations: usize,
}

impl Parser<'_> {
    fn blanks(&mut self) {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.text[self.at.min(self.text.len())..].starts_with(token.as_bytes());
        if found {
            self.at += token.len();
        }
        found
    }

    /// A long chain of operations is a deep tree, too.
    fn operation(&mut self) -> Result<(), ExprError> {
        self.operations += 1;
        if self.operations > MAX_OPERATIONS { Err(ExprError::TooDeep) } else { Ok(()) }
    }

    fn sum(&mut self) -> Result<Term, ExprError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ExprError::TooDeep);
        }
        let mut left = self.product()?;
        loop {
            self.operation()?;
            if self.eat("+") {
                left = Term::Apply(Op::Add, vec![left, self.product()?]);
            } else if self.eat("-") {
                left = Term::Apply(Op::Sub, vec![left, self.product()?]);
            } else {
                self.depth -= 1;
                return Ok(left);
            }
        }
    }

    fn product(&mut self) -> Result<Term, ExprError> {
        let mut left = self.factor()?;
        loop {
            self.operation()?;
            self.blanks();
            let op = if self.text[self.at.min(self.text.len())..].starts_with(b"**") {
                return Ok(left);
            } else if self.eat("*") {
                Op::Mul
            } else if self.eat("//") || self.eat("/") {
                Op::FloorDiv
            } else if self.eat("%") {
                Op::Mod
            } else {
                return Ok(left);
            };
            left = Term::Apply(op, vec![left, self.factor()?]);
        }
    }

    fn factor(&mut self) -> Result<Term, ExprError> {
        if self.eat("-") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(ExprError::TooDeep);
            }
            let inner = self.factor()?;
            self.depth -= 1;
            return Ok(Term::Apply(Op::Sub, vec![Term::Number(0), inner]));
        }
        let base = self.atom()?;
        if self.eat("**") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(ExprError::TooDeep);
            }
            let exponent = self.factor()?;
            self.depth -= 1;
            return Ok(Term::Apply(Op::Pow, vec![base, exponent]));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Term, ExprError> {
        self.blanks();
        let start = self.at;
        if self.eat("(") {
            let inner = self.sum()?;
            return if self.eat(")") { Ok(inner) } else { Err(ExprError::Syntax { at: self.at }) };
        }
        while self.text.get(self.at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.')
        {
            self.at += 1;
        }
        let token = std::str::from_utf8(&self.text[start..self.at]).unwrap_or_default();
        if token.is_empty() {
            return Err(ExprError::Syntax { at: start });
        }
        if token.as_bytes()[0].is_ascii_digit() {
            return token.parse().map(Term::Number).map_err(|_| ExprError::Syntax { at: start });
        }
        if self.eat("(") {
            let op = match token {
                "Max" | "max" => Op::Max,
                "Min" | "min" => Op::Min,
                "Mod" | "PythonMod" => Op::Mod,
                "FloorDiv" => Op::FloorDiv,
                "CeilDiv" => Op::CeilDiv,
                _ => return Err(ExprError::Syntax { at: start }),
            };
            let mut terms = vec![self.sum()?];
            while self.eat(",") {
                terms.push(self.sum()?);
            }
            let exactly_two = matches!(op, Op::Mod | Op::FloorDiv | Op::CeilDiv);
            if !self.eat(")") || (exactly_two && terms.len() != 2) {
                return Err(ExprError::Syntax { at: self.at });
            }
            return Ok(Term::Apply(op, terms));
        }
        Ok(Term::Symbol(token.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<i128, ExprError> {
        let symbols = [("s0", 8), ("s1", 3)].map(|(name, value)| (name.to_string(), value)).into();
        Expr::parse(text)?.value(&symbols)
    }

    #[test]
    fn follows_the_usual_precedence() {
        assert_eq!(value("s0*(s1+1)"), Ok(32));
        assert_eq!(value("1 + 2*s0 - s1"), Ok(14));
        assert_eq!(value("s0//s1"), Ok(2));
        assert_eq!(value("s0 % s1"), Ok(2));
        assert_eq!(value("-s0 // s1"), Ok(-3));
        assert_eq!(value("2**s1*s0"), Ok(64));
        assert_eq!(value("Max(s0, s1, 20) + Min(s0, s1)"), Ok(23));
        assert_eq!(value("CeilDiv(s0, s1)"), Ok(3));
        assert_eq!(value("24*s0 + 12"), Ok(204));
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        assert_eq!(value("s0 +"), Err(ExprError::Syntax { at: 4 }));
        assert_eq!(value("s0 s1"), Err(ExprError::Syntax { at: 3 }));
        assert_eq!(value(""), Err(ExprError::Syntax { at: 0 }));
        assert_eq!(value("sqrt(s0)"), Err(ExprError::Syntax { at: 0 }));
        assert_eq!(value("s9"), Err(ExprError::UnknownSymbol("s9".into())));
        assert_eq!(value("s0 / 0"), Err(ExprError::DivisionByZero));
        assert_eq!(value("10**99"), Err(ExprError::TooLarge));
        assert_eq!(Expr::parse(&"(".repeat(1000)), Err(ExprError::TooDeep));
        assert_eq!(Expr::parse(&"-".repeat(1000)), Err(ExprError::TooDeep));
        for sign in ["+", "-", "*", "//", "%"] {
            let long = |terms: usize| Expr::parse(&vec!["s"; terms].join(sign)).map(|expr| expr.symbols().len());
            assert_eq!((long(300), long(200_000)), (Ok(1), Err(ExprError::TooDeep)), "{sign}");
        }
    }
}
