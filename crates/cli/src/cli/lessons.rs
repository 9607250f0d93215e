//! `memplan lessons`: the lessons of the page, checked and made ready for it, with the answers and
//! the pictures that a first visit begins with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use memplan_core::base::Message;
use memplan_core::problem::Scope;
use memplan_core::text::{Locale, Speech};
use memplan_engine::api;
use memplan_engine::lessons::{Course, site};
use memplan_engine::{FIRST_ANSWERS, START, START_FRAME, first_answers};
use memplan_formats::import::{self, Answers};
use memplan_replay::Level;
use memplan_scene::paint::{Theme, introduction_svg};
use memplan_teach::lesson::{INDEX_FILE, lesson_file, to_file};
use serde_json::json;

use super::error::CliError;
use super::output::{print, print_record, write_bytes};
use memplan_teach::choices;

/// Check lessons and write them for the page and as pages of plain text
#[derive(Args)]
pub struct LessonsCommand {
    /// Folder of the lessons
    #[arg(value_name = "LESSONS")]
    lessons: PathBuf,

    /// Folder of the built-in examples
    #[arg(long, value_name = "DIR", default_value = "www/graphs")]
    graphs: PathBuf,

    /// Folder of a site: gets `lessons/*.bin`, `first.bin` and the pictures `first/*.svg` for the
    /// page, and `learn/` with the pages of plain text; nothing is written if absent
    #[arg(short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

impl LessonsCommand {
    pub fn run(self) -> Result<(), CliError> {
        let course = Course::read(&self.lessons, &self.graphs);
        if !course.faults.is_empty() {
            return Err(CliError::Unusable(course.faults));
        }
        if let Some(folder) = &self.output {
            put(&folder.join(INDEX_FILE), to_file(&course.index()))?;
            put(
                &folder.join(FIRST_ANSWERS),
                first_answers(&self.start()?).map_err(|failure| cli_error(&failure.message()))?,
            )?;
            for (name, picture) in self.first_pictures()? {
                put(&folder.join("first").join(name), picture)?;
            }
            for resolved in &course.lessons {
                let file = folder.join(lesson_file(resolved.lesson.number));
                put(&file, to_file(&resolved.lesson))?;
            }
            for (path, text) in site(&course) {
                put(&folder.join("learn").join(path), text)?;
            }
        }
        if self.json {
            return print_record("lessons/1", json!({ "lessons": course.lessons.len() }));
        }
        print(&format!("{} lessons\n", course.lessons.len()))
    }
}

/// The sizes in px of the plan in a window that is wide, less wide, or that of a phone, by the name
/// that `www/start.js` has for them.
const SIZES: [(&str, (f64, f64)); 3] =
    [("wide", (780.0, 688.0)), ("middle", (984.0, 356.0)), ("narrow", (390.0, 322.0))];

impl LessonsCommand {
    /// The file that a first visit opens.
    fn start(&self) -> Result<Vec<u8>, CliError> {
        let path = self.graphs.join(format!("{START}.json"));
        std::fs::read(&path).map_err(|error| CliError::Unusable(vec![format!("{}: {error}", path.display())]))
    }

    /// The pictures that a first visit begins with, while the program of the page is on its way.
    fn first_pictures(&self) -> Result<Vec<(String, String)>, CliError> {
        let document = import::read(&self.start()?, Answers::default()).map_err(|faults| CliError::faults(&faults))?;
        let (options, scope) = (BTreeMap::new(), Scope::default());
        let (run, _) = api::replay(&document.document, choices::WELCOME, &options, &scope)?;
        let frame = run.frame(run.timeline.events_at(Level::Decisions, START_FRAME));
        let mut pictures = Vec::new();
        for (window, size) in SIZES {
            for (theme, light) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
                for locale in Locale::ALL {
                    let speech = Speech { locale, sizes: run.problem.sizes() };
                    let name = format!("{window}-{light}-{}.svg", locale.tag());
                    pictures.push((name, introduction_svg(&run, &frame, size, theme, speech)));
                }
            }
        }
        Ok(pictures)
    }
}

fn cli_error(message: &Message) -> CliError {
    CliError::Unusable(vec![Speech::default().say(message)])
}

fn put(path: &Path, content: impl AsRef<[u8]>) -> Result<(), CliError> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.map_err(|error| CliError::Unusable(vec![format!("{}: {error}", path.display())]))?;
    write_bytes(path, content.as_ref())
}
