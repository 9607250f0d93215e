//! The table of keys.

use crate::shell::state::keys::{Binding, Chord, Command, Key, Line, Place};

const fn on(key: Key, command: Command) -> Binding {
    Binding { chord: Chord { key, ctrl: false, alt: false, shift: None }, command, listed: true }
}

const fn named(name: &'static str, command: Command) -> Binding {
    on(Key::Named(name), command)
}

const fn typed(letter: char, command: Command) -> Binding {
    on(Key::Typed(letter), command)
}

const fn placed(letter: char, command: Command) -> Binding {
    on(Key::Placed(letter), command)
}

impl Binding {
    const fn shift(mut self, held: bool) -> Binding {
        self.chord.shift = Some(held);
        self
    }

    const fn ctrl(mut self) -> Binding {
        self.chord.ctrl = true;
        self
    }

    const fn alt(mut self) -> Binding {
        self.chord.alt = true;
        self
    }

    const fn also(mut self) -> Binding {
        self.listed = false;
        self
    }
}

const PAGE: &[Place] = &[Place::Page];
const SHOWN: &[Place] = &[Place::Page, Place::Present];
const PLAN: &[Place] = &[Place::Plan];
const CANVAS: &[Place] = &[Place::Canvas];
const COMPARE: &[Place] = &[Place::Compare];
const LESSON: &[Place] = &[Place::Lesson];
const PRESENT: &[Place] = &[Place::Present];
const QUESTION: &[Place] = &[Place::Question];
const CELL: &[Place] = &[Place::Cell];
const BLOCK: &[Place] = &[Place::Block];
const BOARD: &[Place] = &[Place::Board];
const ORDERED: &[Place] = &[Place::Cell, Place::Row];

/// All keys, in the order of the help.
pub const KEYS: &[Line] = &[
    Line {
        help: "help.frame",
        places: SHOWN,
        keys: &[named("ArrowRight", Command::Next).shift(false), named("ArrowLeft", Command::Previous).shift(false)],
    },
    Line {
        help: "help.buffer",
        places: SHOWN,
        keys: &[
            named("ArrowRight", Command::NextBuffer).shift(true),
            named("ArrowLeft", Command::PreviousBuffer).shift(true),
        ],
    },
    Line { help: "help.ends", places: SHOWN, keys: &[named("Home", Command::First), named("End", Command::Last)] },
    Line { help: "help.play", places: SHOWN, keys: &[named(" ", Command::Play)] },
    Line {
        help: "help.run-to",
        places: PAGE,
        keys: &[typed('n', Command::NextEvent).shift(false), typed('n', Command::PreviousEvent).shift(true)],
    },
    Line { help: "help.break", places: PAGE, keys: &[typed('b', Command::Break)] },
    Line {
        help: "help.speed",
        places: PAGE,
        keys: &[
            typed(',', Command::Slower),
            typed('.', Command::Faster),
            typed('<', Command::Slower).also(),
            typed('>', Command::Faster).also(),
        ],
    },
    Line {
        help: "help.level",
        places: SHOWN,
        keys: &[typed('1', Command::LevelAll), typed('2', Command::LevelDecisions), typed('3', Command::LevelOutcomes)],
    },
    Line {
        help: "help.fullest",
        places: PAGE,
        keys: &[typed('x', Command::Fullest).shift(false), typed('x', Command::NextFullest).shift(true)],
    },
    Line { help: "help.slice", places: PAGE, keys: &[typed('h', Command::Slice)] },
    Line {
        help: "help.move",
        places: PLAN,
        keys: &[
            placed('w', Command::ZoomIn),
            placed('s', Command::ZoomOut),
            placed('a', Command::PanLeft),
            placed('d', Command::PanRight),
            placed('r', Command::PanUp),
            placed('f', Command::PanDown),
        ],
    },
    Line {
        help: "help.zoom",
        places: PLAN,
        keys: &[
            typed('+', Command::ZoomIn),
            typed('=', Command::ZoomIn).also(),
            typed('-', Command::ZoomOut),
            typed('0', Command::FitAll),
            typed('9', Command::FitPool),
            typed('z', Command::FitSelection).shift(false),
        ],
    },
    Line {
        help: "help.neighbour",
        places: CANVAS,
        keys: &[
            named("ArrowLeft", Command::NeighbourLeft).alt(),
            named("ArrowRight", Command::NeighbourRight).alt(),
            named("ArrowUp", Command::NeighbourUp).alt(),
            named("ArrowDown", Command::NeighbourDown).alt(),
        ],
    },
    Line { help: "help.tooltip", places: PLAN, keys: &[typed('i', Command::Pin)] },
    Line {
        help: "help.menu",
        places: CANVAS,
        keys: &[named("ContextMenu", Command::Menu), named("F10", Command::Menu).shift(true)],
    },
    Line {
        help: "help.panels",
        places: PAGE,
        keys: &[
            typed('g', Command::Graph),
            typed('t', Command::State),
            typed('u', Command::Buffers),
            typed('y', Command::Why),
        ],
    },
    Line {
        help: "help.toggle",
        places: PAGE,
        keys: &[typed('[', Command::LeftPanel), typed(']', Command::RightPanel), typed('\\', Command::Panels)],
    },
    Line {
        help: "help.paragraph",
        places: LESSON,
        keys: &[typed('j', Command::NextParagraph), typed('k', Command::PreviousParagraph)],
    },
    Line { help: "help.exercise", places: LESSON, keys: &[typed('e', Command::NextExercise)] },
    Line { help: "help.picker", places: PAGE, keys: &[typed('j', Command::Picker)] },
    Line {
        help: "help.planner",
        places: PAGE,
        keys: &[typed('p', Command::NextPlanner).shift(false), typed('p', Command::PreviousPlanner).shift(true)],
    },
    Line { help: "help.compare", places: PAGE, keys: &[typed('c', Command::Compare)] },
    Line {
        help: "help.difference",
        places: COMPARE,
        keys: &[typed('e', Command::NextDifference).shift(false), typed('e', Command::PreviousDifference).shift(true)],
    },
    Line {
        help: "help.switches",
        places: PAGE,
        keys: &[typed('v', Command::Waste), typed('o', Command::Tree), typed('m', Command::Minimap)],
    },
    // Z alone shows the selected buffer.
    Line { help: "help.present", places: SHOWN, keys: &[typed('z', Command::Present).shift(true)] },
    Line {
        help: "help.presented",
        places: PRESENT,
        keys: &[
            typed('b', Command::Blank),
            typed('h', Command::Highlight),
            // What clickers send.
            named("PageDown", Command::Next).also(),
            named("PageUp", Command::Previous).also(),
        ],
    },
    Line { help: "help.predict", places: PAGE, keys: &[typed('q', Command::Predict).shift(false)] },
    Line {
        help: "help.question",
        places: QUESTION,
        keys: &[
            named("ArrowUp", Command::PlaceAbove).shift(false),
            named("ArrowDown", Command::PlaceBelow).shift(false),
            named("Enter", Command::CheckPlace),
        ],
    },
    Line { help: "help.link", places: PAGE, keys: &[typed('l', Command::Link)] },
    Line { help: "help.open", places: PAGE, keys: &[typed('o', Command::Open).ctrl()] },
    Line { help: "help.save", places: PAGE, keys: &[typed('s', Command::Save).ctrl()] },
    Line { help: "help.picture", places: PAGE, keys: &[typed('e', Command::Picture).ctrl().shift(true)] },
    Line { help: "help.print", places: PAGE, keys: &[typed('p', Command::Print).ctrl()] },
    Line {
        help: "help.undo",
        places: PAGE,
        keys: &[
            typed('z', Command::Undo).ctrl().shift(false),
            typed('z', Command::Redo).ctrl().shift(true),
            typed('y', Command::Redo).ctrl().also(),
        ],
    },
    Line {
        help: "help.cells",
        places: CELL,
        keys: &[
            named("ArrowUp", Command::CellAbove),
            named("ArrowDown", Command::CellBelow),
            named("ArrowLeft", Command::CellBefore),
            named("ArrowRight", Command::CellAfter),
            // A list keeps the arrows alone for its values.
            named("ArrowUp", Command::CellAbove).ctrl().also(),
            named("ArrowDown", Command::CellBelow).ctrl().also(),
        ],
    },
    Line {
        help: "help.move-node",
        places: ORDERED,
        keys: &[named("ArrowUp", Command::RowEarlier).alt(), named("ArrowDown", Command::RowLater).alt()],
    },
    Line {
        help: "help.row",
        places: CELL,
        keys: &[
            named("Enter", Command::EnterRow),
            named("F2", Command::EnterRow).also(),
            named("Delete", Command::DeleteRow),
            named("Backspace", Command::DeleteRow).also(),
        ],
    },
    Line {
        help: "help.block",
        places: BLOCK,
        keys: &[named("ArrowUp", Command::BlockAbove), named("ArrowDown", Command::BlockBelow)],
    },
    Line {
        help: "help.block-step",
        places: BLOCK,
        keys: &[named("PageUp", Command::BlockUp), named("PageDown", Command::BlockDown)],
    },
    Line {
        help: "help.block-drop",
        places: BLOCK,
        keys: &[
            named("Enter", Command::DropBlock),
            named(" ", Command::DropBlock).also(),
            named("Escape", Command::PutBlockBack),
            named("Backspace", Command::TakeBlockOff),
            named("Delete", Command::TakeBlockOff).also(),
        ],
    },
    Line {
        help: "help.board",
        places: BOARD,
        keys: &[named("PageDown", Command::NextOnBoard), named("PageUp", Command::PreviousOnBoard)],
    },
    Line {
        help: "help.board-size",
        places: BOARD,
        keys: &[named("ArrowUp", Command::LargerBuffer), named("ArrowDown", Command::SmallerBuffer)],
    },
    Line {
        help: "help.board-life",
        places: BOARD,
        keys: &[
            named("ArrowRight", Command::EndLater).shift(false),
            named("ArrowLeft", Command::EndEarlier).shift(false),
            named("ArrowRight", Command::StartLater).shift(true),
            named("ArrowLeft", Command::StartEarlier).shift(true),
        ],
    },
    Line {
        help: "help.board-row",
        places: BOARD,
        keys: &[
            named("Enter", Command::AddBuffer),
            named("Delete", Command::RemoveBuffer),
            named("Backspace", Command::RemoveBuffer).also(),
        ],
    },
    Line {
        help: "help.regions",
        places: PAGE,
        keys: &[named("F6", Command::NextRegion).shift(false), named("F6", Command::PreviousRegion).shift(true)],
    },
    Line { help: "help.escape", places: SHOWN, keys: &[named("Escape", Command::Escape)] },
    Line { help: "help.find", places: PAGE, keys: &[typed('/', Command::Find), typed('k', Command::Find).ctrl()] },
    Line { help: "help.help", places: SHOWN, keys: &[typed('?', Command::Help)] },
];
