//! Games under Learn: their links.

use memplan_core::base::Message;
use memplan_core::base::fragment::{escape, unescape};
use memplan_core::problem::Scope;
use memplan_core::text::{Locale, Speech};
use memplan_planners as planner;
use memplan_teach::choices;
use memplan_teach::exercise::activity::{Buffers, Kind};
use memplan_teach::exercise::variant::{Difficulty, MAX_SEED};

const KIB: u64 = 1024;

/// The example of most games, as a link has it.
const NINE_BLOCKS: &str = "ex:learn/nine-blocks";

/// What a game is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GameOf {
    /// An instance made from a seed.
    Seed(u64, Difficulty),
    /// A document as a link has it behind `doc=`, with its name if it is packed.
    Document(String, String),
    /// Nothing: who plays makes it.
    Board,
}

/// A game in a link.
#[derive(Clone, PartialEq, Debug)]
pub struct GameLink {
    /// Its kind.
    pub kind: Kind,
    /// What it is about.
    pub of: GameOf,
    /// Id of the planner.
    pub planner: String,
    /// What of a document is planned.
    pub scope: Scope,
    /// What was done so far: addresses of blocks, numbers of operators, or a board.
    pub done: String,
    /// What is to be beaten: bytes; of a board, hundredths of a ratio.
    pub par: Option<u64>,
}

impl GameLink {
    /// A game of which nothing is done yet.
    pub fn new(kind: Kind, of: GameOf) -> GameLink {
        let planner = choices::WELCOME.to_string();
        GameLink { kind, of, planner, scope: Scope::default(), done: String::new(), par: None }
    }

    /// Nine blocks that most planners do not pack into the lower bound.
    pub fn nine_blocks() -> GameLink {
        GameLink::new(Kind::Pack, GameOf::Document(NINE_BLOCKS.into(), String::new()))
    }

    /// An instance made from a seed.
    pub fn seeded(kind: Kind, seed: u64, difficulty: Difficulty) -> GameLink {
        GameLink::new(kind, GameOf::Seed(seed, difficulty))
    }

    /// The next game of the kind: the instance after this one, and as hard.
    pub fn next(&self) -> GameLink {
        let (seed, difficulty) = match self.of {
            GameOf::Seed(seed, difficulty) => (seed % MAX_SEED + 1, difficulty),
            GameOf::Document(..) | GameOf::Board => (1, Difficulty::default()),
        };
        GameLink { planner: self.planner.clone(), ..GameLink::seeded(self.kind, seed, difficulty) }
    }

    /// What it is about, as the link has it behind the kind.
    fn about(&self) -> String {
        match &self.of {
            GameOf::Seed(seed, difficulty) => format!("seed:{seed}.{}", difficulty.number()),
            GameOf::Document(doc, _) => doc.clone(),
            GameOf::Board => self.planner.clone(),
        }
    }

    /// What it is called: its kind, and what it is about. The name of a file of an example says
    /// nothing to a reader: it is told in words, or not at all.
    pub fn title(&self, speech: Speech) -> String {
        let kind = speech.word(self.kind.activity().title);
        let about = match &self.of {
            GameOf::Document(doc, _) if doc == NINE_BLOCKS => speech.word("game.nine-blocks"),
            GameOf::Document(doc, name) if name.is_empty() && doc.starts_with("ex:") && doc.contains('/') => {
                return kind;
            }
            GameOf::Document(doc, name) if name.is_empty() => doc.rsplit(['/', ':']).next().unwrap_or(doc).to_string(),
            GameOf::Document(_, name) => name.clone(),
            GameOf::Seed(seed, difficulty) => {
                speech.say(&Message::new("game.seed").count("seed", *seed).count("level", difficulty.number()))
            }
            GameOf::Board => planner::info(&self.planner).map_or_else(String::new, |info| info.title(speech).1),
        };
        format!("{kind} · {about}")
    }

    /// The address of the document, which a game does not fetch.
    pub fn distant(&self) -> Option<&str> {
        match &self.of {
            GameOf::Document(doc, _) => doc.strip_prefix("url:"),
            GameOf::Seed(..) | GameOf::Board => None,
        }
    }

    /// Whether its blocks come in the order of the planner.
    pub(super) fn is_in_turn(&self) -> bool {
        self.kind.activity().goals().is_some_and(|goals| goals.in_turn)
    }

    /// Under which the best result is kept; none for a document that only the link has.
    pub fn entry(&self) -> Option<String> {
        let is_kept = !matches!(&self.of, GameOf::Document(doc, _) if !doc.starts_with("ex:"));
        let planner = if self.is_in_turn() { format!(" {}", self.planner) } else { String::new() };
        (is_kept && self.scope == Scope::default()).then(|| format!("{} {}{planner}", self.kind.name(), self.about()))
    }

    /// The keys of the link with their values, without those at what is meant if they are left out.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = vec![(self.kind.name(), self.about())];
        let is_board = self.of == GameOf::Board;
        if let GameOf::Document(_, name) = &self.of {
            pairs.push(("name", name.clone()));
        }
        if !is_board && self.planner != choices::WELCOME {
            pairs.push(("plan", self.planner.clone()));
        }
        pairs.push((if is_board { "b" } else { "p" }, self.done.clone()));
        let par = self.par.map(|par| {
            if is_board {
                ("beat", format!("{}.{:02}", par / 100, par % 100))
            } else if par.is_multiple_of(KIB) {
                ("par", (par / KIB).to_string())
            } else {
                ("par", format!("{par}b"))
            }
        });
        pairs.extend(par);
        pairs.retain(|(_, value)| !value.is_empty());
        pairs
    }

    /// The fragment of the link, with its `#`.
    pub fn fragment(&self, locale: Locale) -> String {
        let pairs = self.pairs().into_iter().map(|(key, value)| format!("{key}={}", escape(&value)));
        let parts: Vec<String> = pairs.chain([format!("lang={}", locale.name())]).collect();
        format!("#{}", parts.join("&"))
    }

    /// Reads the values of a link by their keys; none for a link that is of no game, or of
    /// something that there is not.
    pub fn read(value: impl Fn(&str) -> Option<String>) -> Option<GameLink> {
        let (kind, about) = Kind::GAMES.into_iter().find_map(|kind| Some((kind, value(kind.name())?)))?;
        let is_board = kind.activity().buffers == Buffers::Board;
        let of = match (is_board, about.strip_prefix("seed:"), about.split_once(':')) {
            (true, ..) => GameOf::Board,
            (_, Some(seed), _) => {
                let (seed, difficulty) = seed.split_once('.').unwrap_or((seed, ""));
                let difficulty = difficulty.parse().ok().and_then(Difficulty::new).unwrap_or_default();
                GameOf::Seed(seed.parse().ok().filter(|seed| *seed <= MAX_SEED)?, difficulty)
            }
            (.., Some(("ex" | "z" | "url", _))) => GameOf::Document(about.clone(), value("name").unwrap_or_default()),
            _ => return None,
        };
        let mut link = GameLink::new(kind, of);
        link.done = value(if is_board { "b" } else { "p" }).unwrap_or_default();
        match is_board {
            true => link.planner = about,
            false => value("plan").into_iter().for_each(|planner| link.planner = planner),
        }
        link.par = if is_board { value("beat").and_then(hundredths) } else { value("par").and_then(bytes) };
        Some(link)
    }

    /// Reads a fragment, with or without `#`.
    pub fn of_fragment(fragment: &str) -> Option<GameLink> {
        let parts = fragment.trim_start_matches('#').split('&').filter_map(|part| part.split_once('='));
        let pairs: Vec<(&str, String)> = parts.map(|(key, value)| (key, unescape(value))).collect();
        GameLink::read(|key| pairs.iter().find(|(known, _)| *known == key).map(|(_, value)| value.clone()))
    }
}

fn bytes(text: String) -> Option<u64> {
    match text.strip_suffix('b') {
        Some(bytes) => bytes.parse().ok(),
        None => text.parse::<u64>().ok()?.checked_mul(KIB),
    }
}

fn hundredths(text: String) -> Option<u64> {
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let rest: String = rest.chars().chain("00".chars()).take(2).collect();
    whole.parse::<u64>().ok()?.checked_mul(100)?.checked_add(rest.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(link: &GameLink) -> String {
        link.pairs().iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join("&")
    }

    #[test]
    fn links_of_games_are_read_back() {
        for text in [
            "pack=ex:learn/nine-blocks&p=160.0.224&par=416",
            "pack=seed:7.2",
            "pack=z:abc&name=mine&p=-.3b&par=1000b",
            "tetris=seed:9.1&plan=best-fit",
            "order=seed:7.3",
            "debug=seed:7.2",
            "break=best-fit&b=A.80.0.1_B.16.0.3&beat=1.82",
        ] {
            let link = GameLink::of_fragment(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(written(&link), text);
        }
        let read = GameLink::of_fragment("#break=first-fit&beat=2").expect("a game");
        assert_eq!((read.planner.as_str(), read.par), ("first-fit", Some(200)));
    }

    #[test]
    fn what_is_no_game_is_none() {
        for text in
            ["", "learn=3", "predict=1", "pack=file:x", "pack=seed:x", "pack=", "tetris=seed:99999999999999999999"]
        {
            assert_eq!(GameLink::of_fragment(text), None, "{text}");
        }
    }

    #[test]
    fn only_what_can_be_found_again_is_kept() {
        let entry = |text: &str| GameLink::of_fragment(text).expect("a game").entry();
        assert_eq!(entry("pack=ex:learn/nine-blocks&p=1.2").as_deref(), Some("pack ex:learn/nine-blocks"));
        assert_eq!(entry("tetris=seed:7.2").as_deref(), Some("tetris seed:7.2 first-fit"));
        assert_eq!(entry("pack=z:abc"), None);
    }

    #[test]
    fn lessons_end_with_games_that_there_are() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/www/lessons");
        let mut named = 0;
        for path in std::fs::read_dir(folder).expect("lessons").flatten().map(|entry| entry.path()) {
            let text = std::fs::read_to_string(&path).expect("a lesson");
            let lesson: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let Some(challenge) = lesson.get("challenge").and_then(|link| link.as_str()) else { continue };
            let game = GameLink::of_fragment(challenge).unwrap_or_else(|| panic!("{challenge} is no game"));
            assert_eq!(written(&game), challenge);
            named += 1;
        }
        assert!(named > 1, "some lessons lead to a game");
    }
}
