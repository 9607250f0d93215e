//! `memplan lessons`: the lessons of the page, checked and made ready for it.

use std::path::{Path, PathBuf};

use clap::Args;
use memplan::lesson::build::{Course, site};
use memplan::lesson::{INDEX_FILE, lesson_file, to_file};

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

    /// Folder of a site: gets `lessons/*.bin` for the page and `learn/` with the pages of plain text; nothing is written if absent
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

fn put(path: &Path, content: impl AsRef<[u8]>) -> Result<(), CliError> {
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.map_err(|error| CliError::Unusable(vec![format!("{}: {error}", path.display())]))?;
    write_bytes(path, content.as_ref())
}
