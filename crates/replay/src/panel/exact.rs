//! Exact search: what was asked and answered, and the nodes looked at last with what became of
//! their candidates.

use std::collections::VecDeque;

use super::{Cell, Row, Section, Table, View};
use crate::fold::Fold;
use crate::{Frame, Run};
use memplan_core::base::{Arg, Message};
use memplan_core::problem::BufferId;
use memplan_core::trace::{Event, Note, SEARCH_ORDERS};

/// Most nodes listed, the latest.
const MAX_NODES: usize = 40;

/// A capacity that a search was asked for.
struct Question {
    capacity: u64,
    limit: u64,
    /// Order of the last run, with its limit.
    word: Option<(usize, u64)>,
    answer: Option<(Note, u64)>,
    /// Best peak and bound known after it.
    known: Option<(u64, u64)>,
}

/// A node of the tree as reported.
#[derive(Clone, Default)]
struct Emitted {
    node: u64,
    depth: u32,
    candidates: u64,
    canonical: u64,
    dominated: u64,
    section: u64,
    pushed: u64,
    placed: Option<(BufferId, u64)>,
    failed: bool,
}

/// What questions are made of.
const ASKED: [Note; 6] =
    [Note::SearchAsk, Note::SearchWord, Note::SearchFound, Note::SearchNone, Note::SearchOpen, Note::SearchBest];

/// The nodes reported last, in order.
#[derive(Clone, Default)]
struct Nodes {
    emitted: VecDeque<Emitted>,
    /// Nodes that were reported before those.
    left_out: usize,
    /// Those whose candidates are not used up, from the root: number, node and depth.
    path: Vec<(usize, u64, u32)>,
    /// Whether the last of them is the one spoken of: samples skip nodes.
    known: bool,
}

impl Nodes {
    fn last(&mut self) -> Option<&mut Emitted> {
        let (number, ..) = *self.path.last()?;
        self.emitted.get_mut(number.checked_sub(self.left_out)?)
    }
}

impl Fold for Nodes {
    fn new(_: &Run) -> Nodes {
        Nodes::default()
    }

    fn apply(&mut self, _: &Run, event: &Event) {
        let Event::Note { note, subject, a, b } = *event else { return };
        match note {
            Note::SearchNode => {
                self.path.retain(|&(.., depth)| depth < subject);
                self.path.push((self.left_out + self.emitted.len(), a, subject));
                self.emitted.push_back(Emitted { node: a, depth: subject, candidates: b, ..Emitted::default() });
                if self.emitted.len() > MAX_NODES {
                    self.emitted.pop_front();
                    self.left_out += 1;
                }
                self.known = true;
                return;
            }
            Note::SearchBack => {
                if self.path.last().is_some_and(|&(_, node, _)| node == a) {
                    self.last().into_iter().for_each(|node| node.failed = true);
                    self.path.pop();
                }
                self.known = self.path.last().is_some_and(|&(.., depth)| depth + 1 == subject);
                return;
            }
            Note::SearchWord => {
                self.path.clear();
                self.known = false;
            }
            _ => {}
        }
        let known = self.known;
        let Some(node) = self.last().filter(|_| known) else { return };
        match note {
            Note::SearchCanonical => node.canonical += 1,
            Note::SearchDominated => node.dominated += 1,
            Note::SearchSection => node.section += 1,
            Note::SearchPushed => node.pushed += 1,
            Note::SearchPlace => node.placed = Some((BufferId(subject), a)),
            _ => {}
        }
    }
}

/// One line a capacity: how many nodes were allowed, the order of the last run, the answer, and
/// what is known since.
pub fn questions(run: &Run, frame: &Frame) -> Option<Section> {
    let mut questions: Vec<Question> = Vec::new();
    for (_, (note, subject, a, b)) in run.noted(frame.events, &ASKED) {
        let last = questions.last_mut();
        match note {
            Note::SearchAsk => {
                questions.push(Question { capacity: a, limit: b, word: None, answer: None, known: None });
            }
            Note::SearchWord => last.into_iter().for_each(|question| question.word = Some((subject as usize, a))),
            // A better plan on the way to the capacity is no answer to the question.
            Note::SearchFound if last.as_ref().is_some_and(|question| a > question.capacity) => {}
            Note::SearchFound | Note::SearchNone | Note::SearchOpen => {
                last.into_iter().for_each(|question| question.answer = Some((note, b)));
            }
            Note::SearchBest => last.into_iter().for_each(|question| question.known = Some((a, b))),
            _ => {}
        }
    }
    let row = |question: &Question| {
        let answer = match question.answer {
            Some((Note::SearchFound, _)) => Message::new("search.found"),
            Some((Note::SearchNone, _)) => Message::new("search.none"),
            Some(_) => Message::new("search.open"),
            None => Message::new("search.running"),
        };
        let word = |(word, limit): (usize, u64)| {
            let letters = SEARCH_ORDERS.get(word).copied().unwrap_or_default();
            Cell::Value(Arg::Text(format!("{letters} · {limit}")))
        };
        let known =
            |figure: fn((u64, u64)) -> u64| question.known.map_or(Cell::Empty, |both| Cell::bytes(figure(both)));
        let cells = vec![
            Cell::bytes(question.capacity),
            Cell::Say(answer),
            question.answer.map_or(Cell::Empty, |(_, nodes)| Cell::count(nodes)),
            Cell::count(question.limit),
            question.word.map_or(Cell::Empty, word),
            known(|both| both.0),
            known(|both| both.1),
        ];
        let changed = question.answer.is_none().then(|| Message::new("panel.changed.new"));
        Row { cells, changed, ..Row::default() }
    };
    let rows: Vec<Row> = questions.iter().map(row).collect();
    let current = rows.len().checked_sub(1)?;
    let columns = ["#capacity", "answer", "#visited", "#limit", "word", "#best", "#bound"];
    Some(Section { id: "questions", view: View::Table(Table::new(&columns, rows, Some(current))) })
}

/// The nodes reported last, in order; how many candidates each rule took, and what was placed last
/// or that all failed.
pub fn nodes(run: &Run, frame: &Frame) -> Option<Section> {
    let Nodes { emitted, .. } = &*run.fold::<Nodes>(frame.events);
    let row = |node: &Emitted| {
        let became = match (node.placed, node.failed) {
            (Some((buffer, offset)), false) => Message::new("search.placed")
                .name("name", run.problem.buffers[buffer].name.clone())
                .address("offset", offset),
            (_, true) => Message::new("search.failed"),
            (None, false) => Message::new("search.looking"),
        };
        let mut cells = vec![Cell::count(node.node), Cell::count(node.depth), Cell::count(node.candidates)];
        cells.extend([node.canonical, node.dominated, node.section, node.pushed].map(Cell::count));
        cells.push(Cell::Say(became));
        let buffer = node.placed.filter(|_| !node.failed).map(|(buffer, _)| buffer);
        Row { cells, buffer, faded: node.failed, ..Row::default() }
    };
    let rows: Vec<Row> = emitted.iter().map(row).collect();
    let current = rows.len().checked_sub(1)?;
    let columns = ["#node", "#depth", "#candidates", "#canonical", "#dominated", "#section", "#pushed", "became"];
    Some(Section { id: "search", view: View::Table(Table::new(&columns, rows, Some(current))) })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::Level;
    use memplan_core::problem::sample;
    use memplan_core::text::Speech;
    use memplan_core::trace::Recorder;
    use memplan_planners::{Input, find, origin};

    fn run(planner: &str) -> Run {
        let problem = sample(30, 1);
        let planner = find(planner).unwrap();
        let mut recorder = Recorder::default();
        let input = Input { problem: &problem, graph: None };
        let plan = planner.plan(input, &planner.info().defaults(), &mut recorder).unwrap();
        Run::new(Rc::new(problem), origin(planner.info().id, 1), plan, recorder.events)
    }

    fn table(section: Option<Section>) -> Table {
        match section {
            Some(Section { view: View::Table(table), .. }) => table,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_search_is_shown_before_the_first_placement() {
        let run = run("exact");
        let first = run.timeline.decisions[0].begin;
        let frame = run.frame(first);
        let asked = table(questions(&run, &frame));
        let speech = Speech::default();
        let answer = |row: &Row| match &row.cells[1] {
            Cell::Say(message) => speech.say(message),
            other => panic!("{other:?}"),
        };
        assert_eq!(asked.rows.iter().map(answer).collect::<Vec<_>>(), ["found"]);
        assert_eq!(asked.rows[0].cells[5], Cell::bytes(run.metrics.peak));
        assert_eq!(asked.rows[0].cells[5], asked.rows[0].cells[6]);
        let nodes = table(nodes(&run, &frame));
        assert_eq!(nodes.rows.len(), 30);
        let numbers: Vec<&Cell> = nodes.rows.iter().map(|row| &row.cells[0]).collect();
        assert_eq!(
            numbers,
            (1..=30).map(|node| Cell::count(node as u64)).collect::<Vec<_>>().iter().collect::<Vec<_>>()
        );
        // What was placed last at each node of a path without a step back is the plan.
        assert!(nodes.rows.iter().filter(|row| !row.faded).all(|row| row.buffer.is_some()));
    }

    #[test]
    fn a_question_is_open_until_it_is_answered() {
        let run = run("exact");
        let node = |event: &Event| matches!(event, Event::Note { note: Note::SearchNode, .. });
        let first = run.timeline.events.iter().position(node).unwrap() as u32;
        let frame = run.frame(first + 1);
        let asked = table(questions(&run, &frame));
        assert_eq!((asked.rows.len(), asked.rows[0].changed.is_some()), (1, true));
        assert_eq!(table(nodes(&run, &frame)).rows.len(), 1);
        assert_eq!((questions(&run, &run.frame(0)), nodes(&run, &run.frame(0))), (None, None));
    }

    #[test]
    fn other_planners_have_no_search() {
        let run = run("first-fit");
        let frame = run.frame(run.timeline.events_at(Level::Decisions, u32::MAX));
        assert_eq!((questions(&run, &frame), nodes(&run, &frame)), (None, None));
    }
}
