//! `memplan exercise --judge`: a program that a student handed in is judged once more.

use std::path::Path;

use memplan_core::base::Message;
use memplan_core::base::shown::visible;
use memplan_core::text::Speech;
use memplan_engine::{
    Answer, Engine, InstanceVerdict, JudgedProgram, NoListener, PictureLook, Request, Taught, TeachTask, use_writer,
};
use memplan_teach::exercise::link::ExerciseLink;
use serde_json::json;

use super::error::CliError;
use super::input::cannot_read;
use super::output::print;
use super::own::may_run;

/// What is judged.
pub struct Judge<'a> {
    /// The program.
    pub file: &'a Path,
    /// Name of the student.
    pub name: &'a str,
    /// The link of the exercise.
    pub link: &'a str,
    /// Whether the verdict is printed for programs.
    pub json: bool,
    /// Language of the verdict.
    pub speech: Speech,
}

impl Judge<'_> {
    /// Prints the verdict.
    ///
    /// # Errors
    /// [`CliError::NotRight`] if the program does not pass; what cannot be read.
    pub fn run(&self) -> Result<(), CliError> {
        let path = self.file.to_string_lossy();
        may_run(&path)?;
        let code = std::fs::read_to_string(self.file).map_err(|error| cannot_read(self.file, &error.to_string()))?;
        let link = ExerciseLink::read(self.link.rsplit('#').next().unwrap_or_default());
        let link = link.map_err(|fault| CliError::because(&fault.message()))?;
        use_writer(memplan_own::answer_packed);
        let task = TeachTask::Judge {
            link: link.write(),
            name: self.name.into(),
            code,
            locale: self.speech.locale,
            look: PictureLook::default(),
            wanted: None,
        };
        let answer = Engine::default().answer(&Request::teach(task), &|| 0.0, &mut NoListener);
        let judged = match answer.map_err(|failure| CliError::because(&failure.message()))? {
            Answer::Taught(Taught::Judged(judged)) => judged,
            _ => return Err(CliError::because(&Message::new("notice.crashed"))),
        };
        let has_passed = judged.right() >= usize::from(link.pass);
        print(&if self.json { self.record(&judged, has_passed) } else { self.words(&judged) })?;
        if has_passed { Ok(()) } else { Err(CliError::NotRight) }
    }

    fn words(&self, judged: &JudgedProgram) -> String {
        let sum = Message::new("exercise.of-sets").count("n", judged.right()).count("of", judged.verdicts.len());
        let mut text = format!("{}: {}\n", visible(self.name), self.speech.say(&sum));
        if let Some(failed) = &judged.failed {
            let set = Message::new("write.set").count("n", failed.number);
            let set = if failed.number > 0 { self.speech.say(&set) + " " } else { String::new() };
            text += &format!("{set}{}\n", self.speech.say(&failed.why));
        }
        text
    }

    fn record(&self, judged: &JudgedProgram, has_passed: bool) -> String {
        let name = |verdict: &InstanceVerdict| match verdict {
            InstanceVerdict::Right => "right",
            InstanceVerdict::Differs(_) => "differs",
            InstanceVerdict::Large => "large",
            InstanceVerdict::Broken => "broken",
            InstanceVerdict::Stopped => "stopped",
            InstanceVerdict::Left => "left",
        };
        let failed = judged.failed.as_ref();
        let record = json!({
            "format": "exercise-program/1",
            "name": self.name,
            "passed": has_passed,
            "right": judged.right(),
            "of": judged.verdicts.len(),
            "sets": judged.verdicts.iter().map(name).collect::<Vec<_>>(),
            "failed": failed.map(|failed| failed.number),
            "why": failed.map(|failed| self.speech.say(&failed.why)),
        });
        serde_json::to_string_pretty(&record).expect("plain data has a JSON form") + "\n"
    }
}
