//! What an `if` or a `while` decides: the values that are compared, and whether it holds. Only what
//! has no effects is looked at: variables, their fields, whole numbers and comparisons.

use rhai::{ASTNode, Dynamic, Expr, FnCallExpr, Map, Position, Scope, Stmt};

use super::raised::type_word;
use super::values::{BufferValue, GapValue};

/// Sizes above this are those of the gap above everything.
const ENDLESS: i64 = 1 << 52;

/// Most letters of a condition.
const LETTERS: usize = 60;

/// What a condition sees.
struct Seen<'a> {
    scope: &'a Scope<'a>,
    state: Option<&'a Dynamic>,
}

/// Returns the compared values of a condition that is about to be decided, as `64 ≥ 32`, and
/// whether it holds; none for anything else, and where it calls functions.
pub fn condition(node: &ASTNode, scope: &Scope, state: Option<&Dynamic>) -> Option<(String, bool)> {
    let seen = Seen { scope, state };
    let decided = match node {
        ASTNode::Stmt(Stmt::If(flow, _) | Stmt::While(flow, _)) => seen.decide(&flow.expr),
        ASTNode::Expr(expr @ (Expr::And(..) | Expr::Or(..) | Expr::FnCall(..))) => seen.decide(expr),
        _ => None,
    };
    decided.filter(|(words, _)| words.chars().count() <= LETTERS)
}

/// A comparison of values of different types, which never holds.
pub struct Mixed {
    /// Where it stands.
    pub place: Position,
    /// Its sign.
    pub sign: String,
    /// The types on both sides.
    pub types: [String; 2],
}

/// Returns the first comparison in a condition that never holds, whatever the values are. What is
/// compared by `==` or `!=` may be of two types on purpose.
pub fn mixed(node: &ASTNode, scope: &Scope, state: Option<&Dynamic>) -> Option<Mixed> {
    let seen = Seen { scope, state };
    match node {
        ASTNode::Stmt(Stmt::If(flow, _) | Stmt::While(flow, _)) => seen.mixed(&flow.expr),
        ASTNode::Expr(expr) => seen.mixed(expr),
        _ => None,
    }
}

impl Seen<'_> {
    fn mixed(&self, expr: &Expr) -> Option<Mixed> {
        match expr {
            Expr::And(all, _) | Expr::Or(all, _) => all.iter().find_map(|part| self.mixed(part)),
            Expr::FnCall(call, place) => {
                let [one, other] = &call.args[..] else { return None };
                if !matches!(call.name.as_str(), ">" | "<" | ">=" | "<=") {
                    return None;
                }
                let types =
                    [self.value(one)?, self.value(other)?].map(|value| type_word(value.type_name()).to_string());
                let is_mixed = types[0] != types[1];
                is_mixed.then(|| Mixed { place: *place, sign: call.name.to_string(), types })
            }
            _ => None,
        }
    }

    fn decide(&self, expr: &Expr) -> Option<(String, bool)> {
        match expr {
            Expr::And(all, _) => self.joined(all, " && ", false),
            Expr::Or(all, _) => self.joined(all, " || ", true),
            Expr::FnCall(call, _) => self.compared(call),
            _ => {
                let holds = self.value(expr)?.as_bool().ok()?;
                Some((named(expr)?, holds))
            }
        }
    }

    /// The parts up to the one that decides: what comes after it is not looked at.
    fn joined(&self, all: &[Expr], between: &str, decides: bool) -> Option<(String, bool)> {
        let mut words = Vec::new();
        for part in all {
            let (word, holds) = self.decide(part)?;
            words.push(word);
            if holds == decides {
                return Some((words.join(between), decides));
            }
        }
        Some((words.join(between), !decides))
    }

    fn compared(&self, call: &FnCallExpr) -> Option<(String, bool)> {
        if let ("!", [inner]) = (call.name.as_str(), &call.args[..]) {
            let (words, holds) = self.decide(inner)?;
            return Some((format!("!({words})"), !holds));
        }
        let [one, other] = &call.args[..] else { return None };
        let (one, other) = (self.whole(one)?, self.whole(other)?);
        let (sign, holds) = match call.name.as_str() {
            ">" => (">", one > other),
            "<" => ("<", one < other),
            ">=" => ("≥", one >= other),
            "<=" => ("≤", one <= other),
            "==" => ("=", one == other),
            "!=" => ("≠", one != other),
            _ => return None,
        };
        Some((format!("{} {sign} {}", words(one), words(other)), holds))
    }

    fn whole(&self, expr: &Expr) -> Option<i64> {
        match expr {
            Expr::FnCall(call, _) => {
                let [one, other] = &call.args[..] else { return None };
                let (one, other) = (self.whole(one)?, self.whole(other)?);
                match call.name.as_str() {
                    "+" => one.checked_add(other),
                    "-" => one.checked_sub(other),
                    "*" => one.checked_mul(other),
                    _ => None,
                }
            }
            _ => self.value(expr)?.as_int().ok(),
        }
    }

    fn value(&self, expr: &Expr) -> Option<Dynamic> {
        match expr {
            Expr::IntegerConstant(whole, _) => Some((*whole).into()),
            Expr::BoolConstant(flag, _) => Some((*flag).into()),
            Expr::StringConstant(text, _) => Some(text.clone().into()),
            Expr::Unit(_) => Some(Dynamic::UNIT),
            Expr::Variable(variable, ..) => self.scope.get(variable.1.as_str()).cloned(),
            Expr::ThisPtr(_) => self.state.cloned(),
            Expr::Dot(parts, ..) => match &parts.rhs {
                Expr::Property(property, _) => field(&self.value(&parts.lhs)?, property.2.as_str()),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A number as people read it: the gap above everything has no end.
fn words(whole: i64) -> String {
    if whole > ENDLESS { "∞".into() } else { whole.to_string() }
}

/// A field of a value; none of those that are arrays.
fn field(value: &Dynamic, name: &str) -> Option<Dynamic> {
    if let Some(buffer) = value.read_lock::<BufferValue>() {
        let facts = &buffer.0.facts;
        return Some(Dynamic::from(match name {
            "id" => i64::from(facts.id),
            "size" => facts.size as i64,
            "align" => facts.align as i64,
            "start" => i64::from(facts.start),
            "end" => i64::from(facts.end),
            "memory" => i64::from(facts.memory),
            "name" => return Some(facts.name.clone().into()),
            "kind" => return Some(facts.kind.into()),
            _ => return None,
        }));
    }
    if let Some(gap) = value.read_lock::<GapValue>() {
        return Some(match name {
            "open" => gap.0.is_open.into(),
            "from" => (gap.0.from as i64).into(),
            "start" => (gap.0.start as i64).into(),
            "end" => (gap.0.end as i64).into(),
            "size" => (gap.0.size() as i64).into(),
            _ => return None,
        });
    }
    value.read_lock::<Map>().and_then(|map| map.get(name).cloned())
}

/// What stands for a flag in the program.
fn named(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Variable(variable, ..) => Some(variable.1.to_string()),
        Expr::ThisPtr(_) => Some("this".into()),
        Expr::BoolConstant(flag, _) => Some(flag.to_string()),
        Expr::Dot(parts, ..) => match &parts.rhs {
            Expr::Property(property, _) => Some(format!("{}.{}", named(&parts.lhs)?, property.2)),
            _ => None,
        },
        _ => None,
    }
}
