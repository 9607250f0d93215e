//! `memplan lessons`: the lessons of the page, checked and made ready for it, with the answers that
//! a first visit begins with.

use std::path::{Path, PathBuf};

use clap::Args;
use memplan::engine::{FIRST_ANSWERS, START, first_answers};
use memplan::lesson::build::{Course, site};
use memplan::lesson::{INDEX_FILE, lesson_file, to_file};
use memplan::text::Speech;

use super::error::CliError;
use super::output::{print, write_bytes};

/// Check lessons and write them for the page and as pages of plain text
#[derive(Args)]
pub struct LessonsCommand {
    /// Folder of the lessons
    #[arg(value_name = "LESSONS")]
    lessons: PathBuf,

    /// Folder of the built-in examples
    #[arg(long, value_name = "DIR", default_value = "www/graphs")]
    graphs: PathBuf,

    /// Folder of a site: gets `lessons/*.bin` and `first.bin` for the page, and `learn/` with the
    /// pages of plain text; nothing is written if absent
    #[arg(short, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl LessonsCommand {
    pub fn run(self) -> Result<(), CliError> {
        let course = Course::read(&self.lessons, &self.graphs);
        if !course.faults.is_empty() {
            return Err(CliError::Unusable(course.faults));
        }
        if let Some(folder) = &self.output {
            put(&folder.join(INDEX_FILE), to_file(&course.index()))?;
            put(&folder.join(FIRST_ANSWERS), self.first_answers()?)?;
            for resolved in &course.lessons {
                let file = folder.join(lesson_file(resolved.lesson.number));
                put(&file, to_file(&resolved.lesson))?;
            }
            for (path, text) in site(&course) {
                put(&folder.join("learn").join(path), text)?;
            }
        }
        print(&format!("{} lessons\n", course.lessons.len()))
    }
}

impl LessonsCommand {
    /// The file of the answers that a first visit begins with.
    fn first_answers(&self) -> Result<Vec<u8>, CliError> {
        let path = self.graphs.join(format!("{START}.json"));
        let told = |why: String| CliError::Unusable(vec![format!("{}: {why}", path.display())]);
        let file = std::fs::read(&path).map_err(|error| told(error.to_string()))?;
        first_answers(&file).map_err(|failure| told(Speech::default().say(&failure.message())))
    }
}

fn put(path: &Path, content: impl AsRef<[u8]>) -> Result<(), CliError> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.map_err(|error| CliError::Unusable(vec![format!("{}: {error}", path.display())]))?;
    write_bytes(path, content.as_ref())
}
