//! SymPy printouts of extents, as `sympy.srepr` or `str` wrote them, in the words of
//! [`memplan_core::graph::Expr`].
//!
//! Fractions are kept apart until something makes them whole: `CeilToInt(IntTrueDiv(a, b))` is
//! `CeilDiv(a, b)`.

/// Deepest nesting followed.
const MAX_DEPTH: usize = 40;

/// Longest text taken: each step copies what it has so far.
const MAX_TEXT: usize = 1024;

/// The same expression as we write it; `None` where it is none that an extent may be.
pub fn translate(text: &str) -> Option<String> {
    (text.len() <= MAX_TEXT).then_some(())?;
    let mut parser = Parser { text, at: 0, depth: 0 };
    let value = parser.sum()?;
    parser.blanks();
    (parser.at == text.len()).then(|| value.whole().text)
}

/// How tightly a text holds together: what stands around it may need brackets.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Sum,
    Product,
    Atom,
}

struct Value {
    text: String,
    level: Level,
    below: Option<String>,
}

impl Value {
    fn new(text: String, level: Level) -> Value {
        Value { text, level, below: None }
    }

    /// In brackets unless it holds together as tightly as asked.
    fn held(&self, level: Level) -> String {
        if self.level >= level { self.text.clone() } else { format!("({})", self.text) }
    }

    /// A fraction that must be whole is an exact division.
    fn whole(self) -> Value {
        match &self.below {
            None => self,
            Some(below) => call("FloorDiv", &[&self.text, below]),
        }
    }

    fn plain(self) -> Option<Value> {
        self.below.is_none().then_some(self)
    }
}

fn call(name: &str, arguments: &[&str]) -> Value {
    Value::new(format!("{name}({})", arguments.join(", ")), Level::Atom)
}

fn times(a: &str, b: &str) -> String {
    format!("{a}*{b}")
}

fn multiply(a: Value, b: Value) -> Value {
    let below = match (a.below.as_deref(), b.below.as_deref()) {
        (Some(a), Some(b)) => Some(times(&bracketed(a), &bracketed(b))),
        (a, b) => a.or(b).map(str::to_string),
    };
    let text = match (a.text.as_str(), b.text.as_str()) {
        ("1", _) => return Value { below, ..b },
        (_, "1") => return Value { below, ..a },
        _ => times(&a.held(Level::Product), &b.held(Level::Atom)),
    };
    Value { text, level: Level::Product, below }
}

fn bracketed(text: &str) -> String {
    let simple = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if simple { text.to_string() } else { format!("({text})") }
}

fn divide(a: Value, b: Value) -> Value {
    let over = Value { text: b.below.unwrap_or_else(|| "1".into()), level: Level::Sum, below: Some(b.text) };
    multiply(a, over)
}

fn add(a: Value, sign: char, b: Value) -> Option<Value> {
    let (a, b) = (a.plain()?, b.plain()?);
    let level = if sign == '-' { Level::Product } else { Level::Sum };
    Some(Value::new(format!("{} {sign} {}", a.text, b.held(level)), Level::Sum))
}

fn power(base: Value, exponent: Value) -> Option<Value> {
    let (base, exponent) = (base.plain()?, exponent.plain()?);
    if exponent.text == "-1" {
        return Some(divide(Value::new("1".into(), Level::Atom), base));
    }
    // Roots and other negative powers are no extents.
    (!exponent.text.starts_with('-')).then_some(())?;
    Some(Value::new(format!("{}**{}", base.held(Level::Atom), exponent.held(Level::Atom)), Level::Product))
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn sum(&mut self) -> Option<Value> {
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())?;
        let mut value = self.product()?;
        loop {
            value = if self.eat("+") {
                let other = self.product()?;
                add(value, '+', other)?
            } else if self.eat("-") {
                let other = self.product()?;
                add(value, '-', other)?
            } else {
                self.depth -= 1;
                return Some(value);
            };
        }
    }

    fn product(&mut self) -> Option<Value> {
        let mut value = self.factor()?;
        loop {
            self.blanks();
            if self.rest().starts_with("**") {
                return None;
            }
            value = if self.eat("*") {
                multiply(value, self.factor()?)
            } else if self.eat("//") {
                floor_div(value, self.factor()?)
            } else if self.eat("/") {
                divide(value, self.factor()?)
            } else if self.eat("%") {
                let other = self.factor()?;
                call("Mod", &[&value.plain()?.text, &other.plain()?.text])
            } else {
                return Some(value);
            };
        }
    }

    fn factor(&mut self) -> Option<Value> {
        if self.eat("-") {
            self.depth += 1;
            (self.depth <= MAX_DEPTH).then_some(())?;
            let value = self.factor()?;
            self.depth -= 1;
            let text = format!("-{}", value.held(Level::Atom));
            return Some(Value { text, level: Level::Product, ..value });
        }
        let base = self.atom()?;
        if self.eat("**") {
            self.depth += 1;
            (self.depth <= MAX_DEPTH).then_some(())?;
            let exponent = self.factor()?;
            self.depth -= 1;
            return power(base, exponent);
        }
        Some(base)
    }

    fn token(&mut self) -> String {
        self.blanks();
        let token: String =
            self.rest().chars().take_while(|c| c.is_ascii_alphanumeric() || "_.".contains(*c)).collect();
        self.at += token.len();
        token
    }

    fn atom(&mut self) -> Option<Value> {
        if self.eat("(") {
            let inner = self.sum()?;
            return self.eat(")").then_some(inner);
        }
        let token = self.token();
        let first = token.bytes().next()?;
        if first.is_ascii_digit() {
            return token.bytes().all(|byte| byte.is_ascii_digit()).then_some(Value::new(token, Level::Atom));
        }
        if !self.eat("(") {
            return Some(Value::new(token, Level::Atom));
        }
        if matches!(token.as_str(), "Symbol" | "Dummy") {
            return self.symbol();
        }
        let mut arguments = vec![self.sum()?];
        while self.eat(",") {
            arguments.push(self.sum()?);
        }
        self.eat(")").then(|| apply(&token, arguments))?
    }

    /// `'s77', positive=True, integer=True)`: the assumptions add nothing to the range of the
    /// symbol.
    fn symbol(&mut self) -> Option<Value> {
        self.eat("'").then_some(())?;
        let name = self.token();
        self.eat("'").then_some(())?;
        while self.eat(",") {
            self.token();
            self.eat("=").then_some(())?;
            self.token();
        }
        (self.eat(")") && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
            .then_some(Value::new(name, Level::Atom))
    }
}

fn floor_div(a: Value, b: Value) -> Value {
    let Value { text, below, .. } = divide(a, b);
    match below.as_deref() {
        None | Some("1") => Value::new(text, Level::Sum),
        Some(below) => call("FloorDiv", &[&text, below]),
    }
}

fn apply(name: &str, arguments: Vec<Value>) -> Option<Value> {
    let count = arguments.len();
    let mut rest = arguments.into_iter();
    let first = rest.next()?;
    let one = |first: Value| (count == 1).then_some(first);
    match name {
        "Integer" | "ToFloat" | "Identity" | "int" => one(first),
        "Mul" => Some(rest.fold(first, multiply)),
        "Add" => rest.try_fold(first, |sum, term| match term.text.strip_prefix('-') {
            // `a + -1` is written as a subtraction.
            Some(positive) if term.level != Level::Sum && term.below.is_none() => {
                add(sum, '-', Value::new(positive.to_string(), Level::Product))
            }
            _ => add(sum, '+', term),
        }),
        "Pow" | "PowByNatural" => power(first, rest.next().filter(|_| count == 2)?),
        "Rational" | "IntTrueDiv" | "TrueDiv" | "FloatTrueDiv" => {
            Some(divide(first, rest.next().filter(|_| count == 2)?))
        }
        "FloorDiv" | "CleanDiv" => Some(floor_div(first, rest.next().filter(|_| count == 2)?)),
        "CeilDiv" => ceil(divide(first, rest.next().filter(|_| count == 2)?)),
        "CeilToInt" | "ceiling" => ceil(one(first)?),
        "FloorToInt" | "TruncToInt" | "floor" => Some(one(first)?.whole()),
        "Mod" | "PythonMod" => {
            let other = rest.next().filter(|_| count == 2)?;
            Some(call("Mod", &[&first.plain()?.text, &other.plain()?.text]))
        }
        "ModularIndexing" => {
            let (by, wrap) = (rest.next()?, rest.next().filter(|_| count == 3)?);
            Some(call("Mod", &[&floor_div(first, by).text, &wrap.plain()?.text]))
        }
        "Max" | "Min" => {
            let all: Vec<String> =
                [first].into_iter().chain(rest).map(|value| Some(value.plain()?.text)).collect::<Option<_>>()?;
            Some(call(name, &all.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        _ => None,
    }
}

fn ceil(value: Value) -> Option<Value> {
    Some(match &value.below {
        None => value,
        Some(below) => call("CeilDiv", &[&value.text, below]),
    })
}
