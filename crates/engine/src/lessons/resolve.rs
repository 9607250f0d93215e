//! A source → a lesson, or everything that is wrong with it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::figures::Scenes;
use super::source::{FORMAT, KindSource, LESSONS, ParagraphSource, Source, TaskSource};
use super::staged::Staged;
use super::tasks;
use super::texts::Texts;
use memplan_teach::lesson::{Lesson, Paragraph, Picture, Task, Words};

/// Words that are read in a minute, and minutes that an exercise takes.
const WORDS_A_MINUTE: f64 = 180.0;
const MINUTES_AN_EXERCISE: f64 = 0.75;

/// The highest number of a part.
const PARTS: u32 = 3;

/// A lesson with the plans of its scenes.
pub struct Resolved {
    /// The lesson as the page gets it.
    pub lesson: Lesson,
    /// The plan on its card.
    pub picture: Picture,
    /// Plans on the cards of games, by the name of the game.
    pub games: BTreeMap<String, Picture>,
    /// Its scenes, planned.
    pub(super) staged: BTreeMap<String, Staged>,
}

impl std::fmt::Debug for Resolved {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.lesson.fmt(formatter)
    }
}

/// Resolves the text of a source. `graphs` is the folder of the built-in examples.
///
/// # Errors
/// Everything that does not hold, one line each.
pub fn resolve(text: &str, graphs: &Path) -> Result<Resolved, Vec<String>> {
    let source: Source = serde_json::from_str(text).map_err(|error| vec![error.to_string()])?;
    if source.format != FORMAT {
        return Err(vec![format!("the format is {}, not {FORMAT}", source.format)]);
    }
    let mut texts = Texts::default();
    let mut all: BTreeMap<String, Staged> = BTreeMap::new();
    if !(1..=LESSONS).contains(&source.number) || !(1..=PARTS).contains(&source.part) {
        return Err(vec![format!("lesson {} of part {}", source.number, source.part)]);
    }
    if source.paragraphs.is_empty() {
        return Err(vec!["no paragraphs".into()]);
    }
    for (name, scene) in &source.scenes {
        texts.place = format!("scene {name}");
        // The name is that of a file, too.
        if !is_plain(name) {
            texts.fault("letters, digits and hyphens are needed");
            continue;
        }
        match Staged::new(scene, graphs) {
            Ok(staged) => drop(all.insert(name.clone(), staged)),
            Err(fault) => texts.fault(fault),
        }
    }
    let captions: Vec<(String, Option<Words>)> = source
        .scenes
        .iter()
        .map(|(name, scene)| {
            texts.place = format!("scene {name}");
            let scenes = Scenes { all: &all, here: all.get(name) };
            (name.clone(), scene.caption.as_ref().map(|caption| texts.words(caption, scenes)))
        })
        .collect();
    for (name, caption) in captions {
        all.entry(name).and_modify(|staged| staged.scene.caption = caption);
    }
    texts.place = "head".into();
    let nowhere = Scenes { all: &all, here: None };
    let (title, able) = (texts.words(&source.title, nowhere), texts.words(&source.able, nowhere));
    let paragraphs = paragraphs(&source, &all, &mut texts);
    for fact in &source.facts {
        texts.place = format!("fact {fact}");
        match nowhere.holds(fact) {
            Ok(true) => {}
            Ok(false) => texts.fault("does not hold"),
            Err(fault) => texts.fault(fault),
        }
    }
    texts.place = "scenes".into();
    let used: BTreeSet<&str> = used(&source).collect();
    source
        .scenes
        .keys()
        .filter(|name| !used.contains(name.as_str()))
        .for_each(|name| texts.fault(format!("{name} is not used")));
    let picture = all.get(&source.picture).map(|staged| staged.picture(&[]));
    if picture.is_none() {
        texts.fault(format!("no scene {} for the picture", source.picture));
    }
    let mut games = BTreeMap::new();
    for (game, scene) in &source.games {
        match all.get(scene) {
            Some(staged) => drop(games.insert(game.clone(), staged.picture(&[]))),
            None => texts.fault(format!("no scene {scene} for the game {game}")),
        }
    }
    let minutes = minutes(&source);
    let Some(picture) = picture.filter(|_| texts.faults.is_empty()) else { return Err(texts.faults) };
    let scenes = all.iter().map(|(name, staged)| (name.clone(), staged.scene.clone())).collect();
    let Source { number, id, part, challenge, .. } = source;
    let lesson = Lesson { number, id, part, title, able, minutes, challenge, scenes, paragraphs };
    Ok(Resolved { lesson, picture, games, staged: all })
}

/// Whether a name has only letters, digits and hyphens.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Names of scenes that something refers to.
fn used(source: &Source) -> impl Iterator<Item = &str> {
    let shown = source.paragraphs.iter().flat_map(|paragraph| paragraph.scene.iter().chain(&paragraph.plans));
    let answers = source.paragraphs.iter().filter_map(|paragraph| paragraph.task.as_ref()?.shows.as_deref());
    let facts = source.facts.iter().flat_map(|fact| fact.split('@').skip(1));
    let figures = source.paragraphs.iter().flat_map(figures).flat_map(|text| text.split('@').skip(1));
    let end = |rest: &'_ str| rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len());
    shown
        .map(String::as_str)
        .chain(answers)
        .chain([source.picture.as_str()])
        .chain(source.games.values().map(String::as_str))
        .chain(facts.chain(figures).map(move |rest| &rest[..end(rest)]))
}

/// Every text of a paragraph in which another scene may be named.
fn figures(paragraph: &ParagraphSource) -> Vec<&str> {
    let mut texts: Vec<&str> = paragraph.text.iter().map(|text| text.en.as_str()).collect();
    if let Some(task) = &paragraph.task {
        texts.extend([task.ask.en.as_str(), task.right.en.as_str()]);
        texts.extend(task.hint.iter().map(|hint| hint.en.as_str()));
        texts.extend(task.figure.as_deref());
        texts.extend(task.choices.iter().flat_map(|choice| [choice.when.as_str(), choice.text.en.as_str()]));
        if let super::source::WrongSource::Listed(entries) = &task.wrong {
            texts.extend(entries.iter().map(|entry| entry.say.en.as_str()));
            texts.extend(entries.iter().filter_map(|entry| match &entry.when {
                super::source::NumberSource::Figure(figure) => Some(figure.as_str()),
                super::source::NumberSource::Number(_) => None,
            }));
        }
        if let Some(super::source::NumberSource::Figure(goal)) = &task.goal {
            texts.push(goal);
        }
    }
    texts
}

fn paragraphs(source: &Source, all: &BTreeMap<String, Staged>, texts: &mut Texts) -> Vec<Paragraph> {
    let mut here: Option<&Staged> = None;
    let mut seen = BTreeSet::new();
    let mut paragraphs = Vec::new();
    for paragraph in &source.paragraphs {
        texts.place = format!("paragraph {}", paragraph.id);
        if !seen.insert(format!("p {}", paragraph.id)) {
            texts.fault("the same id twice");
        }
        if let Some(name) = &paragraph.scene {
            here = all.get(name);
            if here.is_none() {
                texts.fault(format!("no scene {name}"));
            }
        }
        let scenes = Scenes { all, here };
        let text = paragraph.text.as_ref().map(|text| texts.words(text, scenes));
        if text.is_none() && paragraph.task.is_none() {
            texts.fault("neither a text nor an exercise");
        }
        let mut plans = Vec::new();
        let beside: Vec<&Staged> = paragraph.plans.iter().filter_map(|name| all.get(name)).collect();
        for name in &paragraph.plans {
            match all.get(name) {
                Some(staged) => plans.push(staged.picture(&beside)),
                None => texts.fault(format!("no scene {name}")),
            }
        }
        let task = paragraph.task.as_ref().and_then(|task| {
            texts.place = format!("exercise {}", task.id);
            if !seen.insert(format!("t {}", task.id)) {
                texts.fault("the same id twice");
            }
            resolve_task(task, scenes, texts)
        });
        paragraphs.push(Paragraph { id: paragraph.id.clone(), scene: paragraph.scene.clone(), text, plans, task });
    }
    if source.paragraphs.first().is_some_and(|paragraph| paragraph.scene.is_none()) {
        texts.place = "paragraphs".into();
        texts.fault("the first one has no scene");
    }
    paragraphs
}

fn resolve_task(task: &TaskSource, scenes: Scenes, texts: &mut Texts) -> Option<Task> {
    let (ask, right) = (texts.words(&task.ask, scenes), texts.words(&task.right, scenes));
    let hint = task.hint.as_ref().map(|hint| texts.words(hint, scenes));
    let shows = task.shows.clone();
    if let Some(name) = shows.as_ref().filter(|name| !scenes.all.contains_key(*name)) {
        texts.fault(format!("no scene {name}"));
    }
    // These two change the plan themselves.
    if shows.is_some() && matches!(task.kind, KindSource::Place | KindSource::Pack) {
        texts.fault("an answer on the plan shows itself");
    }
    match tasks::kind(task, scenes, texts) {
        Ok(kind) => Some(Task { id: task.id.clone(), ask, hint, right, shows, kind }),
        Err(fault) => {
            texts.fault(fault);
            None
        }
    }
}

fn minutes(source: &Source) -> u32 {
    let words = |text: &Words| text.en.split_whitespace().count();
    let read = source.paragraphs.iter().map(|paragraph| {
        let task = paragraph.task.as_ref().map_or(0, |task| words(&task.ask) + words(&task.right));
        paragraph.text.as_ref().map_or(0, words) + task
    });
    let tasks = source.paragraphs.iter().filter(|paragraph| paragraph.task.is_some()).count();
    (read.sum::<usize>() as f64 / WORDS_A_MINUTE + tasks as f64 * MINUTES_AN_EXERCISE).ceil() as u32
}
