//! The keys of the page, in one table: the page acts by it, the help lists it, and buttons name
//! their keys from it.

mod actions;
mod commands;
mod table;
#[cfg(test)]
mod tests;

pub use commands::Command;
pub use table::KEYS;

/// Where a key acts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Everywhere, while the page is not presented.
    Page,
    /// Everywhere a plan is shown to be moved.
    Plan,
    /// On the plan itself: elsewhere the browser needs the key.
    Canvas,
    /// In Compare.
    Compare,
    /// In Learn.
    Lesson,
    /// While the plan is presented.
    Present,
    /// Everywhere while a question about the next placement is open.
    Question,
    /// In a table of Edit.
    Cell,
    /// On a block of Pack or Tetris.
    Block,
    /// On the plan of Break.
    Board,
    /// On a row of an order that is changed.
    Row,
}

/// A key, by what the browser calls it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// A key with a name, such as `ArrowRight`.
    Named(&'static str),
    /// The letter or sign typed, in lower case.
    Typed(char),
    /// The key in the place that this letter has on a QWERTY keyboard: keys for moving lie together
    /// on every keyboard.
    Placed(char),
}

/// A key with the keys held down with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chord {
    /// The key.
    pub key: Key,
    /// Ctrl or Cmd is held down.
    pub ctrl: bool,
    /// Alt is held down.
    pub alt: bool,
    /// Whether Shift is held down; none where that makes no difference.
    pub shift: Option<bool>,
}

/// A key of the table and what it asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binding {
    /// The key.
    pub chord: Chord,
    /// What it asks for.
    pub command: Command,
    /// Whether the help names it; otherwise it is another key for the same.
    pub listed: bool,
}

/// Keys that the help explains in one line.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Key of the sentence that explains them.
    pub help: &'static str,
    /// Where they act.
    pub places: &'static [Place],
    /// The keys.
    pub keys: &'static [Binding],
}

/// A key as it was pressed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stroke {
    /// The browser's `key`.
    pub key: String,
    /// The browser's `code`: the place of the key.
    pub code: String,
    /// Ctrl or Cmd is held down.
    pub ctrl: bool,
    /// Alt is held down.
    pub alt: bool,
    /// Shift is held down.
    pub shift: bool,
}

/// What a key asks for in a place.
pub fn command(stroke: &Stroke, place: Place) -> Option<Command> {
    let lines = KEYS.iter().filter(|line| line.places.contains(&place));
    lines.flat_map(|line| line.keys).find(|binding| binding.chord.is(stroke)).map(|binding| binding.command)
}

/// The keys of a command as ARIA writes them; without those that type something where these are
/// switched off.
pub fn aria(wanted: Command, single_keys: bool) -> String {
    let listed = KEYS.iter().flat_map(|line| line.keys).filter(|binding| binding.listed && binding.command == wanted);
    let listed = listed.filter(|binding| single_keys || !binding.chord.types());
    let mut keys: Vec<String> = Vec::new();
    for key in listed.map(|binding| binding.chord.aria()) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys.join(" ")
}

impl Chord {
    /// Returns true if this is what was pressed.
    pub fn is(&self, stroke: &Stroke) -> bool {
        let held =
            (self.ctrl, self.alt) == (stroke.ctrl, stroke.alt) && self.shift.is_none_or(|held| held == stroke.shift);
        held && match self.key {
            Key::Named(name) => stroke.key == name,
            // Caps Lock makes no difference.
            Key::Typed(letter) => stroke.key.chars().eq([letter]) || stroke.key.to_lowercase().chars().eq([letter]),
            Key::Placed(letter) => {
                stroke.code.strip_prefix("Key").is_some_and(|key| key.chars().eq([letter.to_ascii_uppercase()]))
            }
        }
    }

    /// Returns true if the key alone types something, so that it may be switched off and never acts
    /// in a field.
    pub fn types(&self) -> bool {
        !self.ctrl && !matches!(self.key, Key::Named(_))
    }

    fn held(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let held = [
            (self.ctrl, ("Ctrl", "Control")),
            (self.alt, ("Alt", "Alt")),
            (self.shift == Some(true), ("Shift", "Shift")),
        ];
        held.into_iter().filter(|(held, _)| *held).map(|(_, names)| names)
    }

    /// What stands on the key.
    fn sign(&self) -> String {
        match self.key {
            Key::Named(name) => match name {
                "ArrowRight" => "→",
                "ArrowLeft" => "←",
                "ArrowUp" => "↑",
                "ArrowDown" => "↓",
                " " => "Space",
                "Escape" => "Esc",
                "ContextMenu" => "☰",
                other => other,
            }
            .to_string(),
            Key::Typed('-') => "−".to_string(),
            Key::Typed(letter) | Key::Placed(letter) => letter.to_ascii_uppercase().to_string(),
        }
    }

    fn aria(&self) -> String {
        let key = match self.key {
            Key::Named(" ") => "Space".to_string(),
            Key::Named(name) => name.to_string(),
            // A plus joins keys there.
            Key::Typed('+') => "Plus".to_string(),
            Key::Typed(letter) | Key::Placed(letter) => letter.to_ascii_uppercase().to_string(),
        };
        self.held().map(|(_, name)| name.to_string()).chain([key]).collect::<Vec<_>>().join("+")
    }
}

impl Line {
    /// The keys as the help lists them: `N  Shift + N`. Keys that are held down stand once before
    /// those that follow.
    pub fn signs(&self) -> String {
        let mut text = String::new();
        let mut before: Option<Vec<&str>> = None;
        for chord in self.keys.iter().filter(|binding| binding.listed).map(|binding| binding.chord) {
            let held: Vec<&str> = chord.held().map(|(name, _)| name).collect();
            match &before {
                Some(same) if *same == held => text.push(' '),
                Some(_) => text.push_str("  "),
                None => {}
            }
            if before.as_ref() != Some(&held) {
                held.iter().for_each(|name| text.push_str(&format!("{name} + ")));
            }
            text.push_str(&chord.sign());
            before = Some(held);
        }
        text
    }
}
