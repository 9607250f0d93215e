//! A program that is written in an exercise, and what came of it.

use std::rc::Rc;

use memplan_core::base::Message;
use memplan_engine::{JudgedProgram, PictureLook};

/// A program with the verdict on it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Writing {
    /// The text.
    pub code: Rc<str>,
    /// The text that was checked last, and what came of it.
    checked: Option<Rc<(Rc<str>, JudgedProgram)>>,
    /// Why there is no verdict.
    pub failure: Option<Message>,
}

/// What is done with a program.
#[derive(Clone, PartialEq, Debug)]
pub enum WriteAction {
    /// The text was changed.
    Type(Rc<str>),
    /// The browser kept this text.
    Kept(Rc<str>),
    /// Have it judged; the verdict has pictures that are looked at there.
    Check(PictureLook),
    /// Have a set of buffers shown that it was judged on, by its number from 1.
    Show(u32, PictureLook),
}

impl Writing {
    /// A text that nobody has checked.
    pub fn of(code: &str) -> Writing {
        Writing { code: code.into(), ..Writing::default() }
    }

    /// What came of the last text that was checked.
    pub fn last(&self) -> Option<&JudgedProgram> {
        self.checked.as_deref().map(|(_, judged)| judged)
    }

    /// What came of the present text; none if it was changed since.
    pub fn verdict(&self) -> Option<&JudgedProgram> {
        self.checked.as_deref().filter(|(code, _)| *code == self.code).map(|(_, judged)| judged)
    }

    /// Takes what came of a text, or why that is not known.
    pub fn take(&mut self, code: &str, answer: Result<JudgedProgram, Message>) {
        match answer {
            Ok(judged) => (self.checked, self.failure) = (Some(Rc::new((code.into(), judged))), None),
            Err(why) => self.failure = Some(why),
        }
    }
}
