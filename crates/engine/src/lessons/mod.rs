//! Sources of lessons → lessons and pages of plain text. Every scene is planned, every figure
//! computed and every claim checked.
//!
//! | file | contents |
//! |---|---|
//! | `source` | a lesson as it is written |
//! | `staged` | a scene with its plan |
//! | `figures` | expressions and conditions over scenes |
//! | `tasks` | an exercise with its answers |
//! | `texts` | texts with their figures |
//! | `resolve` | a source → a lesson, or everything that is wrong with it |
//! | `pages` | a lesson → a page of plain text in each language |

mod figures;
mod pages;
mod resolve;
mod source;
mod staged;
mod tasks;
mod texts;

use std::path::Path;

pub use pages::{Site, site};
pub use resolve::{Resolved, resolve};

use memplan_teach::lesson::{IndexEntry, Lesson};

/// All lessons of a folder, in order of their numbers.
#[derive(Debug, Default)]
pub struct Course {
    /// The lessons, each with what its pages show.
    pub lessons: Vec<Resolved>,
    /// What is wrong, one line each, with the file.
    pub faults: Vec<String>,
}

impl Course {
    /// Reads and resolves all lessons of a folder. `graphs` is the folder of the built-in examples.
    pub fn read(lessons: &Path, graphs: &Path) -> Course {
        let mut course = Course::default();
        let entries = std::fs::read_dir(lessons).into_iter().flatten().flatten();
        let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        if files.is_empty() {
            course.faults.push(format!("{}: no lessons", lessons.display()));
        }
        for file in files {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            match resolve(&text, graphs) {
                Ok(resolved) => {
                    let number = resolved.lesson.number;
                    if name != format!("{number:02}.json") {
                        course.faults.push(format!("{name}: lesson {number} belongs into {number:02}.json"));
                    }
                    course.lessons.push(resolved);
                }
                Err(faults) => course.faults.extend(faults.into_iter().map(|fault| format!("{name}: {fault}"))),
            }
        }
        course
    }

    /// What the index of the page shows.
    pub fn index(&self) -> Vec<IndexEntry> {
        self.lessons.iter().map(|resolved| entry(&resolved.lesson, resolved)).collect()
    }
}

fn entry(lesson: &Lesson, resolved: &Resolved) -> IndexEntry {
    let Lesson { number, id, part, title, able, minutes, paragraphs, .. } = lesson;
    let tasks = paragraphs.iter().filter_map(|paragraph| paragraph.task.as_ref());
    IndexEntry {
        number: *number,
        id: id.clone(),
        part: *part,
        title: title.clone(),
        able: able.clone(),
        minutes: *minutes,
        paragraphs: paragraphs.len() as u32,
        tasks: tasks.map(|task| (task.id.clone(), task.ask.clone())).collect(),
        must: lesson.must(),
        picture: resolved.picture.clone(),
        games: resolved.games.clone(),
    }
}
