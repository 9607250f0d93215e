//! Comparisons that never hold, whatever the values are: an array with a number, a gap with a
//! number. The language calls them false without a word.
//!
//! A name has a type here only if it has it everywhere in the program: the parameters of `place`,
//! `order` and `plan`, and what loops take from them.

use std::collections::BTreeMap;

use memplan_core::base::Message;
use rhai::{AST, ASTNode, Expr, Position, Stmt};

/// What a value is, as far as the text tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Number,
    Text,
    Flag,
    Buffer,
    Gap,
    Buffers,
    Gaps,
    Numbers,
    Map,
}

impl Kind {
    /// What the documentation calls it.
    fn word(self) -> &'static str {
        match self {
            Kind::Number => "integer",
            Kind::Text => "string",
            Kind::Flag => "bool",
            Kind::Buffer => "Buffer",
            Kind::Gap => "Gap",
            Kind::Buffers | Kind::Gaps | Kind::Numbers => "array",
            Kind::Map => "map",
        }
    }

    /// What a loop takes from it.
    fn element(self) -> Option<Kind> {
        match self {
            Kind::Buffers => Some(Kind::Buffer),
            Kind::Gaps => Some(Kind::Gap),
            Kind::Numbers => Some(Kind::Number),
            _ => None,
        }
    }

    /// What was probably meant in place of a name where a number is.
    fn number_of(self, name: &str) -> Option<String> {
        match self {
            Kind::Buffers | Kind::Gaps | Kind::Numbers => Some(format!("{name}.len()")),
            Kind::Buffer | Kind::Gap => Some(format!("{name}.size")),
            _ => None,
        }
    }

    fn field(self, name: &str) -> Option<Kind> {
        Some(match (self, name) {
            (Kind::Buffer, "id" | "size" | "align" | "start" | "end" | "memory") => Kind::Number,
            (Kind::Buffer, "name" | "kind") => Kind::Text,
            (Kind::Buffer, "readers") => Kind::Numbers,
            (Kind::Gap, "start" | "end" | "size" | "from") => Kind::Number,
            (Kind::Gap, "open") => Kind::Flag,
            _ => return None,
        })
    }
}

/// Names that have one type everywhere; none: more than one.
type Names = BTreeMap<String, Option<Kind>>;

/// Returns the first comparison that never holds, with its place.
pub fn never(ast: &AST) -> Option<(Position, Message)> {
    let names = names(ast);
    let mut found = None;
    ast.walk(&mut |path| {
        if let Some(ASTNode::Expr(Expr::FnCall(call, place))) = path.last()
            && let [one, other] = &call.args[..]
            && matches!(call.name.as_str(), "<" | ">" | "<=" | ">=" | "==")
        {
            found = compared(&names, call.name.as_str(), one, other).map(|message| (*place, message));
        }
        found.is_none()
    });
    found
}

fn compared(names: &Names, sign: &str, one: &Expr, other: &Expr) -> Option<Message> {
    let kinds = [kind(names, one)?, kind(names, other)?];
    let [first, second] = kinds.map(Kind::word);
    if first == second {
        return None;
    }
    let never = Message::new("own-planner.never").text("sign", sign).text("one", first).text("other", second);
    let meant = [(one, kinds[0], kinds[1]), (other, kinds[1], kinds[0])].into_iter().find_map(|(it, kind, beside)| {
        let name = variable(it).filter(|_| beside == Kind::Number)?;
        Some((name, kind.number_of(name)?))
    });
    Some(match meant {
        Some((name, meant)) => {
            Message::new("fault.did-you-mean").inner("reason", never.text("name", name)).text("name", meant)
        }
        None => never,
    })
}

fn variable(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Variable(variable, ..) => Some(variable.1.as_str()),
        _ => None,
    }
}

fn kind(names: &Names, expr: &Expr) -> Option<Kind> {
    match expr {
        Expr::IntegerConstant(..) => Some(Kind::Number),
        Expr::StringConstant(..) | Expr::InterpolatedString(..) => Some(Kind::Text),
        Expr::BoolConstant(..) => Some(Kind::Flag),
        Expr::Map(..) => Some(Kind::Map),
        Expr::Variable(..) => names.get(variable(expr)?).copied().flatten(),
        Expr::Dot(parts, ..) => match &parts.rhs {
            Expr::Property(property, _) => kind(names, &parts.lhs)?.field(property.2.as_str()),
            _ => None,
        },
        _ => None,
    }
}

/// The names of a program whose type is known.
fn names(ast: &AST) -> Names {
    let mut names = Names::new();
    let mut set = |name: &str, kind: Option<Kind>| {
        let known = names.entry(name.to_string()).or_insert(kind);
        if *known != kind {
            *known = None;
        }
    };
    for function in ast.iter_functions() {
        let kinds: &[Option<Kind>] = match (function.name, function.params.len()) {
            ("place", 2) => &[Some(Kind::Buffer), Some(Kind::Gaps)],
            ("order", 1) => &[Some(Kind::Buffers)],
            ("plan", 1) => &[Some(Kind::Map)],
            // The names of a function in bars, also those that it sees around it, may mean
            // something else elsewhere, so nothing is known of them.
            _ => &[],
        };
        for (at, name) in function.params.iter().enumerate() {
            set(name, kinds.get(at).copied().flatten());
        }
    }
    // Whatever is written to may become anything.
    ast.walk(&mut |path| {
        match path.last() {
            Some(ASTNode::Stmt(Stmt::Var(parts, ..))) => set(parts.0.name.as_str(), None),
            Some(ASTNode::Stmt(Stmt::Assignment(parts))) => {
                variable(&parts.1.lhs).into_iter().for_each(|name| set(name, None));
            }
            _ => {}
        }
        true
    });
    let mut loops: Vec<(String, Option<Kind>)> = Vec::new();
    ast.walk(&mut |path| {
        if let Some(ASTNode::Stmt(Stmt::For(parts, _))) = path.last() {
            let (name, counter, flow) = &**parts;
            loops.push((name.name.to_string(), kind(&names, &flow.expr).and_then(Kind::element)));
            loops.extend(counter.iter().map(|counter| (counter.name.to_string(), Some(Kind::Number))));
        }
        true
    });
    for (name, kind) in loops {
        let known = names.entry(name).or_insert(kind);
        if *known != kind {
            *known = None;
        }
    }
    names
}
