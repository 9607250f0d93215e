//! Answers and what they add up to. An answer counts once, and nothing is won by answers that are
//! given away: what was shown or skipped is not right, a question with one place to choose from
//! does not count, and growths that were foretold but did not come are counted beside those that
//! did.

use std::collections::BTreeMap;

use super::judge::{Judged, Verdict, choices, rule_of};
use memplan_core::base::{Arg, Message};
use memplan_core::plan::Place as Spot;
use memplan_replay::Run;

/// How a question was answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Given {
    /// By a guess.
    Guess(Spot),
    /// The answer was shown instead.
    Shown,
    /// It was passed over.
    Skipped,
}

/// The answer to the question about one decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Answer {
    /// How it was answered.
    pub given: Given,
    /// How good the guess is; none without a guess.
    pub verdict: Option<Verdict>,
    /// Whether the peak rose.
    pub grew: bool,
    /// Whether it would have risen by the guess.
    pub predicted: bool,
    /// Key of the rule that decided.
    pub rule: String,
    /// Whether there was more than one place to choose from.
    pub counts: bool,
}

impl Answer {
    /// A guess that was judged.
    pub fn guessed(guess: Spot, judged: &Judged) -> Answer {
        Answer {
            given: Given::Guess(guess),
            verdict: Some(judged.verdict),
            grew: judged.grew > 0,
            predicted: judged.guess_grows > 0,
            rule: judged.rule.clone(),
            counts: judged.choices > 1,
        }
    }

    /// No guess.
    pub fn none(run: &Run, decision: u32, given: Given) -> Answer {
        let grew = run.timeline.decisions.get(decision as usize).is_some_and(|decision| decision.grew);
        let counts = choices(run, decision) > 1;
        Answer { given, verdict: None, grew, predicted: false, rule: rule_of(run, decision), counts }
    }

    /// Whether the planner did the same.
    pub fn is_right(&self) -> bool {
        self.verdict == Some(Verdict::Right)
    }

    /// Whether there is a rule to learn: nothing was tried where a question was passed over.
    pub fn is_missed(&self) -> bool {
        self.counts && !self.is_right() && self.given != Given::Skipped
    }
}

/// Answers by decision.
pub type Answers = BTreeMap<u32, Answer>;

/// A rule that was missed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missed {
    /// Its key.
    pub rule: String,
    /// The decisions at which it was missed, in their order.
    pub decisions: Vec<u32>,
}

/// What the answers add up to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// Answers that are right.
    pub right: u32,
    /// All answers that count, also those that were shown or skipped.
    pub of: u32,
    /// Places better than the planner's.
    pub better: u32,
    /// Growths that were foretold.
    pub foreseen: u32,
    /// Growths that there were.
    pub growths: u32,
    /// Growths that were foretold and did not come.
    pub alarms: u32,
    /// Rules that were missed, the latest last.
    pub missed: Vec<Missed>,
}

impl Score {
    /// Adds answers up.
    pub fn new(answers: &Answers) -> Score {
        let mut score = Score::default();
        for (&decision, answer) in answers.iter().filter(|(_, answer)| answer.counts) {
            score.of += 1;
            score.right += u32::from(answer.is_right());
            score.better += u32::from(answer.verdict == Some(Verdict::Better));
            score.growths += u32::from(answer.grew);
            score.foreseen += u32::from(answer.grew && answer.predicted);
            score.alarms += u32::from(!answer.grew && answer.predicted);
            if answer.is_missed() {
                let known = score.missed.iter().position(|missed| missed.rule == answer.rule);
                let mut missed = match known {
                    Some(known) => score.missed.remove(known),
                    None => Missed { rule: answer.rule.clone(), decisions: Vec::new() },
                };
                missed.decisions.push(decision);
                score.missed.push(missed);
            }
        }
        score
    }

    /// Rules that were missed, the most frequent first.
    pub fn by_frequency(&self) -> Vec<Missed> {
        let mut missed = self.missed.clone();
        missed.sort_by_key(|missed| (usize::MAX - missed.decisions.len(), missed.decisions.first().copied()));
        missed
    }

    /// The score in one line.
    pub fn line(&self) -> Message {
        Message::new("predict.score").count("right", self.right).count("n", self.of)
    }

    /// Everything in lines, to be copied; `graph` and `planner` name what was asked about.
    pub fn lines(&self, graph: &str, planner: &str) -> Vec<Message> {
        let mut lines = vec![Message::new("predict.copy-title").text("graph", graph).text("planner", planner)];
        lines.push(self.line());
        lines.push(self.growth_line());
        lines.extend((self.better > 0).then(|| self.better_line()));
        let rule = |missed: Missed| {
            let frames = missed.decisions.iter().map(|decision| decision + 1).collect();
            Message::new("predict.copy-rule")
                .count("n", missed.decisions.len() as u64)
                .inner("rule", Message::new(missed.rule))
                .with("frames", Arg::Frames(frames))
        };
        lines.extend(self.by_frequency().into_iter().map(rule));
        lines
    }

    /// How many growths were foreseen.
    pub fn growth_line(&self) -> Message {
        Message::new("predict.growths")
            .count("foreseen", self.foreseen)
            .count("n", self.growths)
            .count("alarms", self.alarms)
    }

    /// How many places were better than the planner's.
    pub fn better_line(&self) -> Message {
        Message::new("predict.better-places").count("n", self.better)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::plan::PoolId;

    fn answer(verdict: Option<Verdict>, grew: bool, predicted: bool, rule: &str) -> Answer {
        let given = match verdict {
            Some(_) => Given::Guess(Spot { pool: PoolId(0), offset: 0 }),
            None => Given::Shown,
        };
        Answer { given, verdict, grew, predicted, rule: rule.into(), counts: true }
    }

    #[test]
    fn what_is_shown_skipped_or_better_is_not_right() {
        let skipped = Answer { given: Given::Skipped, ..answer(None, true, false, "s") };
        let answers: Answers = [
            answer(Some(Verdict::Right), true, true, "a"),
            answer(Some(Verdict::Wrong), true, false, "b"),
            answer(Some(Verdict::Better), true, false, "c"),
            answer(None, false, false, "b"),
            answer(Some(Verdict::Growth), false, false, "c"),
            answer(Some(Verdict::Wrong), false, true, "c"),
            skipped,
            Answer { counts: false, ..answer(Some(Verdict::Right), true, true, "d") },
            Answer { counts: false, ..answer(None, true, false, "d") },
        ]
        .into_iter()
        .enumerate()
        .map(|(index, answer)| (index as u32, answer))
        .collect();
        let score = Score::new(&answers);
        assert_eq!((score.right, score.of, score.better), (1, 7, 1));
        assert_eq!((score.foreseen, score.growths, score.alarms), (1, 4, 1));
        let listed = |missed: Vec<Missed>| -> Vec<(String, Vec<u32>)> {
            missed.into_iter().map(|missed| (missed.rule, missed.decisions)).collect()
        };
        assert_eq!(listed(score.missed.clone()), [("b".into(), vec![1, 3]), ("c".into(), vec![2, 4, 5])]);
        assert_eq!(listed(score.by_frequency()), [("c".into(), vec![2, 4, 5]), ("b".into(), vec![1, 3])]);
        let lines: Vec<String> = score.lines("g", "p").into_iter().map(|line| line.key.into_owned()).collect();
        let expected = ["copy-title", "score", "growths", "better-places", "copy-rule", "copy-rule"];
        assert_eq!(lines, expected.map(|key| format!("predict.{key}")));
    }
}
