//! Lines that students sent → a table: who passed, who did not, and what cannot be read.

use std::collections::BTreeMap;

use super::letters;
use super::result::{Code, CodeFault, Outcome, PREFIX, VERSIONS, date, read};
use crate::exercise::activity::Kind;
use crate::exercise::link::{ExerciseLink, ratio_text};
use memplan_core::base::Message;
use memplan_core::base::shown::csv_field;
use memplan_core::text::{Locale, Speech};

/// What stands between the name, the words and the code of a line.
const BETWEEN: &str = " · ";

/// What a line comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Enough right answers.
    Passed,
    /// The code can be read, but not how many right answers are needed: no exercise is given.
    Unknown,
    /// Fewer than needed.
    Below {
        /// Right answers that are needed, or goals.
        needed: u8,
        /// Whether it is goals that count.
        goals: bool,
    },
    /// The ratio does not beat the one that was asked for.
    NotBeaten {
        /// The ratio to be beaten, in hundredths.
        beat: u16,
    },
    /// The code is of another exercise.
    OtherExercise,
    /// The code says what cannot be, or what the exercise does not allow.
    Contradicts,
    /// The code was made for another name.
    NameDiffers,
    /// The code was made for a name, and the line has none.
    NameMissing,
    /// The words before the code tell another outcome.
    TextDiffers,
    /// An earlier line has the same code.
    Copy {
        /// Its number, from 1, of the lines that are not empty.
        line: usize,
    },
    /// There is no code.
    Missing,
    /// The code is mistyped.
    Unreadable(CodeFault),
}

/// Minutes that the clock of a student may be ahead: those of a day.
const AHEAD: u32 = 24 * 60;

impl Verdict {
    /// What a code comes to that is read at the minute `now`.
    pub fn of_code(code: &Code, exercise: Option<&ExerciseLink>, now: u32) -> Verdict {
        if fits(code, exercise, now) { Verdict::of(&code.outcome, exercise) } else { Verdict::Contradicts }
    }

    /// What an outcome comes to in an exercise.
    pub fn of(outcome: &Outcome, exercise: Option<&ExerciseLink>) -> Verdict {
        let Some(exercise) = exercise else { return Verdict::Unknown };
        match exercise.beat {
            _ if outcome.right >= exercise.pass => Verdict::Passed,
            Some(beat) => Verdict::NotBeaten { beat },
            None => Verdict::Below { needed: exercise.pass, goals: exercise.kind.is_game() },
        }
    }

    /// Whether the student passed; none if no exercise says what is needed.
    pub fn passed(self) -> Option<bool> {
        // A copy is told once, where it comes first.
        let is_open = matches!(self, Verdict::Unknown | Verdict::Copy { .. });
        (!is_open).then_some(self == Verdict::Passed)
    }

    /// The verdict in words.
    pub fn message(self) -> Message {
        match self {
            Verdict::Passed => Message::new("code.passed"),
            Verdict::Unknown => Message::new("code.unknown"),
            Verdict::Below { needed, goals } => {
                Message::new(if goals { "code.below-goals" } else { "code.below" }).count("needed", needed)
            }
            Verdict::NotBeaten { beat } => Message::new("code.not-beaten").text("ratio", ratio_text(beat)),
            Verdict::OtherExercise => Message::new("code.other-exercise"),
            Verdict::Contradicts => Message::new("code.contradicts"),
            Verdict::NameDiffers => Message::new("code.name-differs"),
            Verdict::NameMissing => Message::new("code.name-missing"),
            Verdict::TextDiffers => Message::new("code.text-differs"),
            Verdict::Copy { line } => Message::new("code.copy").count("line", line),
            Verdict::Missing => Message::new("code.missing"),
            Verdict::Unreadable(fault) => fault.message(),
        }
    }
}

/// Whether the page could have made a code by the minute `now`, for this exercise if one is given.
fn fits(code: &Code, exercise: Option<&ExerciseLink>, now: u32) -> bool {
    let outcome = &code.outcome;
    let bits = code.answers.as_ref().map(|answers| answers.iter().filter(|is_right| **is_right).count());
    let is_possible = outcome.right <= outcome.of
        && outcome.attempts > 0
        && outcome.minute <= now.saturating_add(AHEAD)
        && bits.is_none_or(|right| right == usize::from(outcome.right));
    is_possible
        && exercise.is_none_or(|exercise| {
            let is_beaten = |beat| outcome.ratio.is_some_and(|ratio| ratio > beat);
            outcome.of == exercise.of
                && exercise.tries.is_none_or(|tries| outcome.attempts <= tries)
                && exercise.beat.is_none_or(|beat| outcome.right < exercise.pass || is_beaten(beat))
        })
}

/// A row of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checked {
    /// The name as the line has it; the line itself if it has no code.
    pub name: String,
    /// What the code says; none if it cannot be read.
    pub code: Option<Code>,
    /// What it comes to.
    pub verdict: Verdict,
}

/// The line that a student sends: the name and the figures for people, and the code.
pub fn line(name: &str, (outcome, kind): (&Outcome, Kind), code: &str, speech: Speech) -> String {
    [name.trim(), &speech.say(&figures(outcome, Some(kind))), code].join(BETWEEN)
}

/// What was reached: the ratio, the goals of a game, or the right answers; answers where the
/// exercise is not known.
pub fn figures(outcome: &Outcome, kind: Option<Kind>) -> Message {
    let key = if kind.is_some_and(Kind::is_game) { "code.goals" } else { "code.line" };
    match outcome.ratio {
        Some(ratio) => Message::new("code.ratio").text("ratio", ratio_text(ratio)),
        None => Message::new(key).count("right", outcome.right).count("of", outcome.of),
    }
}

/// Checks lines, one a student, at the minute `now`. Empty ones are passed over.
pub fn check(lines: &str, exercise: Option<&ExerciseLink>, now: u32) -> Vec<Checked> {
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    let mut rows: Vec<Checked> = Vec::new();
    for line in lines {
        let row = checked(line, exercise, now);
        // One sitting counts once, where its line is as the page made it.
        let is_honest = |row: &Checked| !matches!(row.verdict, Verdict::NameDiffers | Verdict::TextDiffers);
        // A code without its end, which has one bit for each question, is the same code.
        let start = |row: &Checked| row.code.clone().map(|code| Code { answers: None, ..code });
        let counts = |earlier: &Checked| is_honest(earlier) && earlier.verdict != Verdict::NameMissing;
        let is_same = |earlier: &Checked| counts(earlier) && start(earlier) == start(&row);
        let first = rows.iter().position(is_same).filter(|_| row.code.is_some() && is_honest(&row));
        let verdict = first.map_or(row.verdict, |at| Verdict::Copy { line: at + 1 });
        rows.push(Checked { verdict, ..row });
    }
    rows
}

fn checked(line: &str, exercise: Option<&ExerciseLink>, now: u32) -> Checked {
    let Some(at) = code_at(line) else {
        return Checked { name: line.trim().into(), code: None, verdict: Verdict::Missing };
    };
    let before = line[..at].trim_end();
    let typed = line[at..].split([',', ';', '\t', '"']).next().unwrap_or_default();
    let names = names(before);
    let first = names.first().cloned().unwrap_or_default();
    let code = match read(typed) {
        Ok(code) => code,
        Err(fault) => {
            return Checked { name: first, code: None, verdict: Verdict::Unreadable(fault) };
        }
    };
    let own = names.iter().find(|name| code.is_of(name)).cloned();
    let verdict = if exercise.is_some_and(|exercise| exercise.fingerprint() != code.fingerprint) {
        Verdict::OtherExercise
    } else if own.is_none() && !first.is_empty() {
        Verdict::NameDiffers
    } else if own.is_none() && !code.is_of("") {
        Verdict::NameMissing
    } else if contradicts(before, &code.outcome) {
        Verdict::TextDiffers
    } else {
        Verdict::of_code(&code, exercise, now)
    };
    Checked { name: own.unwrap_or(first), code: Some(code), verdict }
}

/// Whether the words before a code are those of [`figures`], in any language, but of another
/// outcome.
fn contradicts(before: &str, outcome: &Outcome) -> bool {
    let told = before.trim_end().trim_end_matches('·').rsplit('·').next().unwrap_or_default().trim();
    let said = |outcome: Outcome| {
        let kinds = [None, Some(Kind::Pack)].into_iter();
        kinds.flat_map(move |kind| {
            Locale::ALL.map(|locale| Speech { locale, ..Speech::default() }.say(&figures(&outcome, kind)))
        })
    };
    let shape =
        |text: &str| text.chars().filter(|letter| !letter.is_ascii_digit() && *letter != '.').collect::<String>();
    // One goal and several are told in other words.
    let mut shapes = [1, 2].into_iter().flat_map(|of| said(Outcome { of, ..*outcome }));
    shapes.any(|said| shape(&said) == shape(told)) && !said(*outcome).any(|said| said == told)
}

/// Where the last code of a line begins.
fn code_at(line: &str) -> Option<usize> {
    let begins = |(at, _): &(usize, char)| {
        let mut letters = line[*at..].chars();
        let is_prefix = PREFIX.chars().all(|wanted| {
            let found = letters.next().map(|letter| letter.to_ascii_uppercase());
            found == Some(wanted)
        });
        let digit = letters.next().and_then(letters::value);
        let is_prefix = is_prefix && digit.is_some_and(|digit| VERSIONS.contains(&digit));
        let is_start = line[..*at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
        // What follows looks like a code rather than a word.
        let rest = letters.as_str();
        let after = rest.trim_start_matches(letters::is_mark);
        // Whoever copies a code by hand may write blanks for its hyphens.
        let has_blank = rest[..rest.len() - after.len()].contains(char::is_whitespace);
        let is_code = match has_blank {
            true => is_group(after),
            false => rest.starts_with(|next: char| letters::is_mark(next) || next.is_ascii_alphanumeric()),
        };
        is_prefix && is_start && is_code
    };
    line.char_indices().rfind(begins).map(|(at, _)| at)
}

/// Whether a text begins with letters as they stand between the hyphens of a code: four that are
/// no word, or of which one may be wrong.
fn is_group(text: &str) -> bool {
    let group: Vec<char> = text.chars().take_while(char::is_ascii_alphanumeric).collect();
    let is_known = group.iter().all(|letter| letters::value(*letter).is_some());
    group.len() == 4 && (is_known || group.iter().any(char::is_ascii_digit))
}

/// What may be the name in the text before a code: all up to each mark that may divide it from what
/// follows. Nobody's name is kept in a code, so the shortest comes first.
fn names(before: &str) -> Vec<String> {
    let marks =
        before.char_indices().filter(|(_, letter)| matches!(letter, '·' | ',' | ';' | ':' | '\t' | '，' | '：'));
    let ends = marks.map(|(at, _)| at).chain([before.len()]);
    let name = |end: usize| before[..end].trim().trim_matches('"').trim().to_string();
    ends.map(name).filter(|name| !name.is_empty()).collect()
}

/// The questions that were answered wrong most often, by their number from 1, the most frequent
/// first, each with how often; of the codes that tell.
pub fn most_missed(rows: &[Checked]) -> Vec<(usize, usize)> {
    let mut missed: BTreeMap<usize, usize> = BTreeMap::new();
    let is_counted =
        |row: &&Checked| matches!(row.verdict, Verdict::Passed | Verdict::Below { .. } | Verdict::NotBeaten { .. });
    let answers = rows.iter().filter(is_counted).filter_map(|row| row.code.as_ref()?.answers.as_ref());
    for answers in answers {
        for (at, _) in answers.iter().enumerate().filter(|(_, is_right)| !**is_right) {
            *missed.entry(at + 1).or_default() += 1;
        }
    }
    let mut missed: Vec<(usize, usize)> = missed.into_iter().collect();
    missed.sort_by_key(|&(question, times)| (usize::MAX - times, question));
    missed
}

/// The rows as CSV. Cells never begin as formulas do.
pub fn csv(rows: &[Checked], speech: Speech) -> String {
    let heads = ["code.column-name", "code.column-right", "code.column-of", "code.column-attempts"];
    let more =
        ["code.column-helped", "code.column-shown", "code.column-time", "code.column-verdict", "code.column-ratio"];
    let head: Vec<String> = heads.into_iter().chain(more).map(|key| speech.word(key)).collect();
    let flag = |is: bool| if is { "1" } else { "0" }.to_string();
    let row = |row: &Checked| {
        let outcome = row.code.as_ref().map(|code| code.outcome);
        let cell = |of: &dyn Fn(Outcome) -> String| outcome.map(of).unwrap_or_default();
        vec![
            row.name.clone(),
            cell(&|outcome| outcome.right.to_string()),
            cell(&|outcome| outcome.of.to_string()),
            cell(&|outcome| outcome.attempts.to_string()),
            cell(&|outcome| flag(outcome.helped)),
            cell(&|outcome| flag(outcome.shown)),
            cell(&|outcome| date(outcome.minute)),
            speech.say(&row.verdict.message()),
            cell(&|outcome| outcome.ratio.map(ratio_text).unwrap_or_default()),
        ]
    };
    let line = |cells: Vec<String>| cells.iter().map(|cell| csv_field(cell)).collect::<Vec<_>>().join(",") + "\n";
    std::iter::once(head).chain(rows.iter().map(row)).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::result::{write, write_long};
    use super::*;

    /// The minute at which codes are checked, a while after they were made.
    const NOW: u32 = 700;

    fn exercise(of: u8) -> ExerciseLink {
        let link = format!("exercise=1&doc=ex:learn/fits-best&plan=first-fit&kind=predict&pass=3&of={of}");
        ExerciseLink::read(&link).expect("an exercise")
    }

    fn outcome(right: u8) -> Outcome {
        Outcome { right, of: 4, attempts: 1, helped: false, shown: true, minute: 605, ratio: None }
    }

    fn sent(name: &str, right: u8) -> String {
        line(name, (&outcome(right), Kind::Predict), &write(&exercise(4), name, &outcome(right)), Speech::default())
    }

    fn verdicts(lines: &str) -> Vec<(String, Verdict)> {
        check(lines, Some(&exercise(4)), NOW).into_iter().map(|row| (row.name, row.verdict)).collect()
    }

    #[test]
    fn every_line_has_its_verdict() {
        let other = write(&exercise(5), "Eve", &outcome(4));
        let good = sent("Li Lei", 4);
        let mut wrong: Vec<char> = good.chars().collect();
        let last = wrong.len() - 1;
        wrong[last] = 'u';
        let wrong: String = wrong.into_iter().collect();
        let code = &good[good.find("MP1").expect("a code")..];
        let lines = [
            good.clone(),
            String::new(),
            sent("韩梅梅", 2),
            format!("Eve · {other}"),
            good.replace("Li Lei", "Lucy"),
            wrong,
            "I have lost my code".into(),
            format!("Doe, Jane; 4/4; {}", write(&exercise(4), "Doe, Jane", &outcome(4)).to_lowercase()),
            code.to_string(),
            write(&exercise(4), "Max", &outcome(4)),
        ];
        let mistyped: String = code.replacen(['7', '2'], "9", 1);
        let lines = [lines.join("\n"), format!("Max · {mistyped}"), format!("Ida · {}", &code[..code.len() - 1])];
        let [blanks, words] = [format!("Li Lei {}", code.replace('-', " ")), "MP1 is my code".to_string()];
        let lines = [&lines[..], &[blanks, words]].concat();
        let position = code.chars().count();
        let expected = [
            ("Li Lei", Verdict::Passed),
            ("韩梅梅", Verdict::Below { needed: 3, goals: false }),
            ("Eve", Verdict::OtherExercise),
            ("Lucy", Verdict::NameDiffers),
            ("Li Lei", Verdict::Unreadable(CodeFault::Letter { position })),
            ("I have lost my code", Verdict::Missing),
            ("Doe, Jane", Verdict::Passed),
            ("", Verdict::Copy { line: 1 }),
            ("", Verdict::NameMissing),
            ("Max", Verdict::Unreadable(CodeFault::Check)),
            ("Ida", Verdict::Unreadable(CodeFault::Length { found: 22, wanted: 23 })),
            ("Li Lei", Verdict::Copy { line: 1 }),
            ("MP1 is my code", Verdict::Missing),
        ];
        assert_eq!(verdicts(&lines.join("\n")), expected.map(|(name, verdict)| (name.to_string(), verdict)));
        // Without an exercise nobody knows how many right answers are needed.
        for right in [0, 2, 4] {
            let verdict = check(&sent("韩梅梅", right), None, NOW)[0].verdict;
            assert_eq!((verdict, verdict.passed()), (Verdict::Unknown, None));
        }
    }

    #[test]
    fn a_code_without_its_end_is_the_same_code() {
        let long = write_long(&exercise(4), "Ann", &outcome(4), &[true; 4]);
        let (short, _) = long.split_once('+').expect("a long code");
        let rows = verdicts(&format!("Ann · {long}\nAnn · {short}"));
        assert_eq!(rows[1].1, Verdict::Copy { line: 1 }, "{long} {short}");
    }

    #[test]
    fn codes_that_the_page_cannot_have_made_do_not_pass() {
        let link = "exercise=1&doc=ex:learn/fits-best&plan=first-fit&kind=predict&pass=3&of=4&tries=3";
        let link = ExerciseLink::read(link).expect("an exercise");
        let verdict = |outcome: Outcome| {
            let line = format!("Eve · {}", write(&link, "Eve", &outcome));
            check(&line, Some(&link), NOW)[0].verdict
        };
        let honest = Outcome { attempts: 3, ..outcome(4) };
        assert_eq!(verdict(honest), Verdict::Passed);
        assert_eq!(verdict(Outcome { minute: NOW + 60, ..honest }), Verdict::Passed, "a clock may be ahead");
        for forged in [
            Outcome { right: 255, of: 255, ..honest },
            Outcome { attempts: 63, ..honest },
            Outcome { attempts: 0, ..honest },
            Outcome { minute: NOW + 2 * AHEAD, ..honest },
        ] {
            assert_eq!(verdict(forged), Verdict::Contradicts, "{forged:?}");
        }
        // A code has no room for more right answers than questions.
        assert_ne!(verdict(Outcome { right: 5, ..honest }), Verdict::Passed);
        let long = format!("Eve · {}", write_long(&link, "Eve", &honest, &[true, true, false, true]));
        assert_ne!(check(&long, Some(&link), NOW)[0].verdict, Verdict::Passed, "three right, not four");
        let link = ExerciseLink::read("exercise=1&plan=first-fit&kind=break&beat=1.82&of=1").expect("an exercise");
        let below = Outcome { right: 1, of: 1, ratio: Some(100), ..honest };
        let line = format!("Eve · {}", write(&link, "Eve", &below));
        assert_eq!(check(&line, Some(&link), NOW)[0].verdict, Verdict::Contradicts);
    }

    #[test]
    fn a_ratio_is_told_in_place_of_right_answers() {
        let link = "exercise=1&plan=first-fit&kind=break&beat=1.82&of=1";
        let link = ExerciseLink::read(link).expect("an exercise");
        let sent = |name: &str, ratio: u16| {
            let right = u8::from(ratio > 182);
            let outcome = Outcome { right, of: 1, ratio: Some(ratio), ..outcome(right) };
            line(name, (&outcome, link.kind), &write(&link, name, &outcome), Speech::default())
        };
        let lines = [sent("Ann", 218), sent("Bob", 182).replace("MP2", "mp2")].join("\n");
        let rows = check(&lines, Some(&link), NOW);
        let verdicts: Vec<Verdict> = rows.iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, [Verdict::Passed, Verdict::NotBeaten { beat: 182 }]);
        assert!(lines.starts_with("Ann · ratio 2.18 · MP2-"), "{lines}");
        let table = csv(&rows, Speech::default());
        assert!(table.contains("Ann,1,1,1,0,1,2026-01-01 10:05,passed,2.18"), "{table}");
        assert_eq!(check(&lines, Some(&exercise(4)), NOW)[0].verdict, Verdict::OtherExercise);
    }

    #[test]
    fn goals_are_told_as_goals() {
        let link = "exercise=1&seed=1&difficulty=1&plan=first-fit&kind=pack&pass=2&of=3";
        let link = ExerciseLink::read(link).expect("an exercise");
        let reached = Outcome { of: 3, ..outcome(1) };
        let sent = |speech: Speech| line("Ann", (&reached, link.kind), &write(&link, "Ann", &reached), speech);
        let english = sent(Speech::default());
        assert!(english.starts_with("Ann · 1 of 3 goals reached · MP1-"), "{english}");
        let chinese = sent(Speech { locale: Locale::Zh, ..Speech::default() });
        let before = "Ann · 1 of 3 right · ".to_string() + english.rsplit(" · ").next().expect("a code");
        for line in [&english, &chinese, &before] {
            let verdict = check(line, Some(&link), NOW)[0].verdict;
            assert_eq!(verdict, Verdict::Below { needed: 2, goals: true }, "{line}");
        }
        let words = Speech::default().say(&Verdict::Below { needed: 2, goals: true }.message());
        assert_eq!(words, "2 goals are needed");
        let changed = english.replace("1 of 3", "3 of 3");
        assert_eq!(check(&changed, Some(&link), NOW)[0].verdict, Verdict::TextDiffers);
    }

    #[test]
    fn a_copied_line_counts_once_and_a_changed_one_is_seen() {
        let (good, other) = (sent("Li Lei", 3), sent("韩梅梅", 2));
        let changed = good.replace("3 of 4", "4 of 4");
        assert_ne!(good, changed);
        let zh = Speech { locale: Locale::Zh, ..Speech::default() };
        let in_chinese = line("Ann", (&outcome(2), Kind::Predict), &write(&exercise(4), "Ann", &outcome(2)), zh);
        let lines = [good.clone(), other.clone(), good, changed.clone(), in_chinese.clone(), other];
        let verdicts: Vec<Verdict> = verdicts(&lines.join("\n")).into_iter().map(|(_, verdict)| verdict).collect();
        let below = Verdict::Below { needed: 3, goals: false };
        let copies = [Verdict::Copy { line: 1 }, Verdict::TextDiffers, below, Verdict::Copy { line: 2 }];
        assert_eq!(verdicts, [[Verdict::Passed, below].as_slice(), &copies].concat());
        assert_eq!((copies[0].passed(), Verdict::TextDiffers.passed()), (None, Some(false)));
        // The honest line after a changed one counts.
        let rows = check(&[changed, sent("Li Lei", 3)].join("\n"), Some(&exercise(4)), NOW);
        assert_eq!([rows[0].verdict, rows[1].verdict], [Verdict::TextDiffers, Verdict::Passed]);
    }

    #[test]
    fn the_table_cannot_compute() {
        let rows = check(&format!("{}\n{}", sent("=1+1", 4), "nothing"), Some(&exercise(4)), NOW);
        let text = csv(&rows, Speech::default());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "'=1+1,4,4,1,0,1,2026-01-01 10:05,passed,");
        assert!(lines[2].starts_with("nothing,,,,,,,"), "{text}");
        assert_eq!((lines.len(), lines[0].split(',').count()), (3, 9));
    }

    #[test]
    fn the_questions_missed_most_come_first() {
        let sent = |name: &str, answers: [bool; 4]| {
            let outcome = outcome(answers.iter().filter(|&&is_right| is_right).count() as u8);
            format!("{name} · {}", write_long(&exercise(4), name, &outcome, &answers))
        };
        let lines = [
            sent("a", [true, false, false, true]),
            sent("b", [true, true, false, true]),
            sent("c", [false, true, true, true]),
            format!("somebody else · {}", sent("d", [false; 4]).trim_start_matches("d · ")),
        ];
        let rows = check(&lines.join("\n"), Some(&exercise(4)), NOW);
        assert_eq!(rows[3].verdict, Verdict::NameDiffers);
        assert_eq!(most_missed(&rows), [(3, 2), (1, 1), (2, 1)]);
    }
}
