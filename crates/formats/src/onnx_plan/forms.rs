//! Which values of a model are no tensors: sequences, optional values and maps, by what the file
//! states and by the operators that make and read them.
//!
//! What a value is goes along with it, in both directions: through `Identity`, `If`, `Loop` and
//! calls of functions, and into the graphs of nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::{Outline, OutlinedFunction, OutlinedNode};

/// What a value is; none of both for a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Form {
    /// Whether it may be missing.
    pub is_optional: bool,
    /// Whether it is a sequence, a map or a sparse tensor, or holds one.
    pub is_composed: bool,
}

/// Operators whose results are sequences or maps.
const MAKERS: [&str; 7] = [
    "SequenceConstruct",
    "SequenceEmpty",
    "SequenceErase",
    "SequenceInsert",
    "SequenceMap",
    "SplitToSequence",
    "ZipMap",
];

/// Operators whose first operand is a sequence or a map.
const READERS: [&str; 8] = [
    "CastMap",
    "ConcatFromSequence",
    "DictVectorizer",
    "SequenceAt",
    "SequenceErase",
    "SequenceInsert",
    "SequenceLength",
    "SequenceMap",
];

/// Domains whose operators these are.
const DOMAINS: [&str; 3] = ["", "ai.onnx", "ai.onnx.ml"];

/// Two values of which one follows from the other.
#[derive(Clone, Copy)]
enum Rule {
    /// Both are of one form.
    Same(usize, usize),
    /// One is what the other holds, an optional value.
    Held(usize, usize),
}

/// The values of a graph by name.
type Scope<'a> = BTreeMap<&'a str, usize>;

/// A function by domain and name.
type Called<'a> = (&'a str, &'a str);

#[derive(Default)]
struct Forms<'a> {
    forms: Vec<Form>,
    /// Whether the file states the form.
    is_stated: Vec<bool>,
    rules: Vec<Rule>,
    /// The values of each graph; a graph comes before those of its nodes.
    graphs: Vec<Scope<'a>>,
    /// The scope of each function with its operands and results.
    functions: BTreeMap<Called<'a>, (&'a OutlinedFunction, Scope<'a>)>,
}

/// Finds the values of a graph, and of those in its nodes, that are no tensors. A function counts
/// once, whoever calls it.
pub fn find(outline: &mut Outline, functions: &[OutlinedFunction]) {
    let mut found = Forms::default();
    for function in functions {
        let names = function.inputs.iter().chain(&function.outputs);
        let made = function.nodes.iter().flat_map(|node| &node.outputs);
        let all = names.chain(made).filter(|name| !name.is_empty());
        let scope = all.map(|name| (&**name, found.value())).collect();
        found.functions.insert((&*function.domain, &*function.name), (function, scope));
    }
    let bodies: Vec<(&OutlinedFunction, Scope)> = found.functions.values().cloned().collect();
    for (function, scope) in bodies {
        found.nodes(&function.nodes, &mut vec![scope]);
    }
    // The graphs inside functions are of no further use.
    found.graphs.clear();
    found.graph(outline, &mut Vec::new());
    let others: Vec<BTreeSet<String>> = found.solved();
    give(outline, &mut others.into_iter());
}

/// Gives each graph its values that are no tensors, in the order in which they were found.
fn give(outline: &mut Outline, others: &mut impl Iterator<Item = BTreeSet<String>>) {
    outline.others = others.next().unwrap_or_default();
    for inner in outline.nodes.iter_mut().flat_map(|node| &mut node.subgraphs) {
        give(inner, others);
    }
}

impl<'a> Forms<'a> {
    fn value(&mut self) -> usize {
        self.forms.push(Form::default());
        self.is_stated.push(false);
        self.forms.len() - 1
    }

    /// Takes in a graph and those of its nodes, `scopes` being around it.
    fn graph(&mut self, outline: &'a Outline, scopes: &mut Vec<Scope<'a>>) -> Scope<'a> {
        let made = outline.nodes.iter().flat_map(|node| &node.outputs);
        let own = outline.inputs.iter().chain(&outline.weights).chain(made);
        let mut scope = Scope::new();
        for name in own.filter(|name| !name.is_empty()) {
            scope.entry(name).or_insert_with(|| self.value());
        }
        for (name, described) in &outline.values {
            if let (Some(&value), Some(form)) = (scope.get(&**name), described.form) {
                (self.forms[value], self.is_stated[value]) = (form, true);
            }
        }
        self.graphs.push(scope.clone());
        scopes.push(scope);
        self.nodes(&outline.nodes, scopes);
        scopes.pop().unwrap_or_default()
    }

    fn nodes(&mut self, nodes: &'a [OutlinedNode], scopes: &mut Vec<Scope<'a>>) {
        for node in nodes {
            self.node(node, scopes);
        }
    }

    fn node(&mut self, node: &'a OutlinedNode, scopes: &mut Vec<Scope<'a>>) {
        let inner: Vec<Scope> = node.subgraphs.iter().map(|graph| self.graph(graph, scopes)).collect();
        let known = |name: &String| scopes.iter().rev().find_map(|scope| scope.get(&**name).copied());
        let operands: Vec<Option<usize>> = node.inputs.iter().map(known).collect();
        let results: Vec<Option<usize>> = node.outputs.iter().map(known).collect();
        // A result of a graph may be a value around it.
        let ends = |at: usize, names: &dyn Fn(&'a Outline) -> &'a [String]| -> Vec<Option<usize>> {
            let of = |name: &String| inner[at].get(&**name).copied().or_else(|| known(name));
            names(&node.subgraphs[at]).iter().map(of).collect()
        };
        let first = |values: &[Option<usize>]| values.first().copied().flatten();
        let mut pairs = Vec::new();
        let mut pair = |a: &[Option<usize>], b: &[Option<usize>]| pairs.extend(a.iter().zip(b).map(|(a, b)| (*a, *b)));
        if let Some((function, scope)) = self.functions.get(&(&*node.domain, &*node.op)) {
            let of = |names: &[String]| names.iter().map(|name| scope.get(&**name).copied()).collect::<Vec<_>>();
            pair(&operands, &of(&function.inputs));
            pair(&results, &of(&function.outputs));
        }
        if !DOMAINS.contains(&&*node.domain) {
            return self.same(pairs);
        }
        match &*node.op {
            "Identity" => pair(&operands, &results),
            "If" => (0..inner.len()).for_each(|at| pair(&results, &ends(at, &|graph| &graph.outputs[..]))),
            "Loop" if !inner.is_empty() => {
                // A number of turns and a condition come before the states.
                let states = operands.get(2..).unwrap_or_default();
                let (begun, ended) = (ends(0, &|graph| &graph.inputs[..]), ends(0, &|graph| &graph.outputs[..]));
                let ended = ended.get(1..).unwrap_or_default();
                pair(states, begun.get(2..).unwrap_or_default());
                pair(states, ended);
                pair(states, &results);
            }
            "Optional" => {
                if let Some(result) = first(&results) {
                    self.set(result, Form { is_optional: true, is_composed: node.holds_composed });
                    self.rules.extend(first(&operands).map(|operand| Rule::Held(result, operand)));
                }
            }
            "OptionalGetElement" => {
                let ends = first(&operands).zip(first(&results));
                self.rules.extend(ends.map(|(operand, result)| Rule::Held(operand, result)));
            }
            _ => {}
        }
        let sequence = Form { is_composed: true, ..Form::default() };
        if MAKERS.contains(&&*node.op) {
            results.iter().flatten().for_each(|&result| _ = self.set(result, sequence));
        }
        if READERS.contains(&&*node.op) {
            first(&operands).iter().for_each(|&operand| _ = self.set(operand, sequence));
        }
        self.same(pairs);
    }

    fn same(&mut self, pairs: Vec<(Option<usize>, Option<usize>)>) {
        self.rules.extend(pairs.into_iter().filter_map(|(a, b)| Some(Rule::Same(a?, b?))));
    }

    /// Adds what is found of a value; whether that is new. What the file states stays.
    fn set(&mut self, value: usize, form: Form) -> bool {
        let old = self.forms[value];
        let new =
            Form { is_optional: old.is_optional || form.is_optional, is_composed: old.is_composed || form.is_composed };
        let is_new = new != old && !self.is_stated[value];
        if is_new {
            self.forms[value] = new;
        }
        is_new
    }

    /// Follows the rules until nothing changes, and returns the names of what is no tensor.
    fn solved(mut self) -> Vec<BTreeSet<String>> {
        let mut rules_of: Vec<Vec<Rule>> = vec![Vec::new(); self.forms.len()];
        for &rule in &self.rules {
            let (Rule::Same(a, b) | Rule::Held(a, b)) = rule;
            rules_of[a].push(rule);
            rules_of[b].push(rule);
        }
        let mut open: Vec<usize> =
            (0..self.forms.len()).filter(|&value| self.forms[value] != Form::default()).collect();
        while let Some(value) = open.pop() {
            for &rule in &rules_of[value] {
                let (Rule::Same(a, b) | Rule::Held(a, b)) = rule;
                let other = if a == value { b } else { a };
                let is_optional = matches!(rule, Rule::Same(..)) && self.forms[value].is_optional;
                if self.set(other, Form { is_optional, ..self.forms[value] }) {
                    open.push(other);
                }
            }
        }
        let is_other = |value: usize| self.forms[value] != Form::default();
        let of = |scope: &Scope| {
            scope.iter().filter(|(_, value)| is_other(**value)).map(|(name, _)| (*name).to_string()).collect()
        };
        self.graphs.iter().map(of).collect()
    }
}
