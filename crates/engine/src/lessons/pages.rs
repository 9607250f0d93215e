//! Lessons → pages of plain text, one a lesson and language: no script, readable and printable by
//! itself.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Course;
use super::resolve::Resolved;
use super::staged::Staged;
use maud::{Markup, PreEscaped, html};
use memplan_core::base::{Message, Sizes, Term};
use memplan_core::text::{Locale, Speech};
use memplan_planners as planner;
use memplan_replay::{Frame, Level, define, why};
use memplan_scene::paint::{Theme, figure_svg, svg};
use memplan_scene::{Index, Marks, Scene, Small, Style, Tone, View, stage, thumbnail_to};
use memplan_teach::lesson::{Hidden, Picture, Task, TaskKind, Words, part_keys};
use memplan_teach::lesson::{Part, parts, plain};

/// Files of a site by their paths.
pub type Site = BTreeMap<String, String>;

/// Size of the picture of a scene, of the same on a phone, of a small plan and of one on a card, in
/// px.
const PICTURE: (f64, f64) = (880.0, 520.0);
const PHONE: (f64, f64) = (344.0, 420.0);
const SMALL: (f64, f64) = (180.0, 110.0);
const CARD: (f64, f64) = (140.0, 84.0);

/// Most buffers that the description of a picture lists.
const DESCRIBED: usize = 24;

/// What the pages may do: show their own pictures and styles.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

/// Returns all pages of a course with their pictures: English at the root, Chinese in `zh`.
pub fn site(course: &Course) -> Site {
    let mut site = Site::new();
    for locale in Locale::ALL {
        let pages = Pages { course, locale, speech: Speech { locale, ..Speech::default() } };
        let folder = if locale == Locale::En { "" } else { "zh/" };
        let mut add = |name: &str, text: String| site.insert(format!("{folder}{name}"), text);
        add("index.html", pages.index());
        add("glossary.html", pages.glossary());
        for resolved in &course.lessons {
            let number = resolved.lesson.number;
            add(&format!("{number:02}.html"), pages.lesson(resolved));
            for (theme, suffix) in [(Theme::Light, ""), (Theme::Dark, "-dark")] {
                add(&format!("pictures/{number:02}-card{suffix}.svg"), small(&resolved.picture, 0, CARD, theme));
                for (name, staged) in &resolved.staged {
                    let frame = frame(staged);
                    for (size, narrow) in [(PICTURE, ""), (PHONE, "-narrow")] {
                        let drawn = scene(staged, &frame, pages.speech, size);
                        let drawn = figure_svg(&staged.run, &[drawn], size, theme, pages.speech);
                        add(&format!("pictures/{number:02}-{name}{narrow}{suffix}.svg"), drawn);
                    }
                }
                for (paragraph, at) in resolved.lesson.paragraphs.iter().zip(1..) {
                    // Side by side, at one scale.
                    let most = paragraph.plans.iter().map(Picture::top).max().unwrap_or(0);
                    for (plan, which) in paragraph.plans.iter().zip(1..) {
                        add(&format!("pictures/{number:02}-{at}-{which}{suffix}.svg"), small(plan, most, SMALL, theme));
                    }
                }
            }
        }
    }
    site
}

fn frame(staged: &Staged) -> Frame {
    staged.run.frame(staged.run.timeline.events_at(Level::Decisions, staged.scene.frame))
}

/// How sizes are written beside a scene, as the page writes them.
fn speech_of(staged: &Staged, speech: Speech) -> Speech {
    let sizes = if staged.scene.exact { Sizes::Exact } else { staged.run.problem.sizes() };
    Speech { sizes, ..speech }
}

/// The plan of a scene without what that hides.
fn scene(staged: &Staged, frame: &Frame, speech: Speech, size: (f64, f64)) -> Scene {
    let Staged { run, scene, .. } = staged;
    let style = Style {
        speech: speech_of(staged, speech),
        narrow: size == PHONE,
        titles: true,
        show_load: !scene.hides(Hidden::Load),
        show_bound: !scene.hides(Hidden::Bound),
        show_peak: !scene.hides(Hidden::Peak),
        at_step: scene.step,
        dim: !scene.hides(Hidden::Alive),
        ..Style::default()
    };
    let term = scene.term.as_deref().and_then(Term::from_name);
    let selected = scene.select.as_deref().and_then(|name| run.buffer_named(name));
    let marks = Marks { term, cursor: scene.step, selected, ..Marks::default() };
    let rest = scene.rests().then(|| frame.at_rest());
    let frame = rest.as_ref().unwrap_or(frame);
    let index = Index::new(run);
    let fit = || View::fit(&index, size, &style);
    let view = scene.view.map_or_else(fit, |seen| seen.window().view(&index, size, &style));
    let stage = stage(memplan_scene::Picture::new(run, &index, frame, &view, size, &style), &marks);
    let mut drawn = stage.base;
    drawn.layers.extend(stage.frame.layers);
    if marks != Marks::default() {
        drawn.layers.extend(stage.interaction.layers);
    }
    drawn
}

/// A small plan with at least `most` bytes over its height.
fn small(picture: &Picture, most: u64, size: (f64, f64), theme: Theme) -> String {
    let boxes: Vec<Small> = picture
        .boxes
        .iter()
        .map(|&(start, end, from, to)| Small {
            steps: (start, end),
            bytes: (from, to),
            tone: Tone::Full,
            chosen: false,
        })
        .collect();
    svg::to_svg(&[&thumbnail_to(&boxes, picture.bound, most, size)], size, theme, "")
}

struct Pages<'a> {
    course: &'a Course,
    locale: Locale,
    speech: Speech,
}

impl Pages<'_> {
    fn word(&self, key: &'static str) -> String {
        self.speech.word(key)
    }

    /// The way to the folder of the page, and to that of the other language.
    fn roots(&self) -> (&'static str, &'static str) {
        if self.locale == Locale::En { ("../", "zh/") } else { ("../../", "../") }
    }

    /// A page with what all have.
    fn page(&self, name: &str, title: &str, about: &str, live: &str, body: &Markup) -> String {
        let (root, other_root) = self.roots();
        let home = if self.locale == Locale::En { "./" } else { "../" };
        let other = Locale::ALL[1 - self.locale as usize];
        let page = html! {
            (PreEscaped("<!doctype html>\n"))
            html lang=(self.locale.tag()) { "\n"
                head { "\n"
                    meta charset="utf-8"; "\n"
                    meta http-equiv="Content-Security-Policy" content=(POLICY); "\n"
                    meta name="viewport" content="width=device-width, initial-scale=1"; "\n"
                    title { (title) " · memplan" } "\n"
                    meta name="description" content=(about); "\n"
                    link rel="canonical" href=(name); "\n"
                    link rel="alternate" hreflang=(other.tag()) href={ (other_root) (name) }; "\n"
                    link rel="icon" href={ (root) "icons/icon-192.png" }; "\n"
                    link rel="stylesheet" href={ (home) "lesson.css" }; "\n"
                } "\n"
                body { "\n"
                    header {
                        nav {
                            a href="index.html" { (self.word("learn.lessons")) } " "
                            a href="glossary.html" { (self.word("learn.glossary")) } " "
                            a href={ (root) "index.html#" (live) } { (self.word("learn.live")) } " "
                            a href={ (other_root) (name) } lang=(other.tag()) { (other.own_name()) }
                        }
                    } "\n"
                    main { "\n" (body) } "\n"
                } "\n"
            } "\n"
        };
        page.into_string()
    }

    fn index(&self) -> String {
        let lead = self.word("learn.lead");
        let item = |resolved: &Resolved| {
            let lesson = &resolved.lesson;
            let number = format!("{:02}", lesson.number);
            html! {
                li value=(lesson.number) {
                    a href={ (number) ".html" } {
                        (picture(&format!("{number}-card"), "", CARD, false))
                        b { (lesson.number) " · " (self.text(&lesson.title)) }
                    }
                    span { (self.text(&lesson.able)) }
                } "\n"
            }
        };
        let body = html! {
            h1 { (self.word("learn.title")) } "\n"
            p.lead { (lead) } "\n"
            @for part in self.course.lessons.chunk_by(|one, next| one.lesson.part == next.lesson.part) {
                @let (name, about) = part_keys(part[0].lesson.part);
                h2 { (self.word(name)) } "\n"
                p { (self.word(about)) } "\n"
                ol.cards { "\n" @for resolved in part { (item(resolved)) } } "\n"
            }
        };
        self.page("index.html", &self.word("learn.title"), &lead, &self.fragment("learn"), &body)
    }

    fn fragment(&self, place: &str) -> String {
        format!("{place}&lang={}", self.locale.name())
    }

    fn glossary(&self) -> String {
        let body = html! {
            h1 { (self.word("learn.glossary")) } "\n"
            dl { "\n"
                @for term in Term::ALL {
                    @let definition = define(*term, None);
                    dt id=(term.name()) { (self.speech.say(&definition.name)) } "\n"
                    dd { (self.speech.say(&definition.meaning)) } "\n"
                }
            } "\n"
        };
        let live = self.fragment("learn");
        self.page("glossary.html", &self.word("learn.glossary"), &self.word("learn.glossary-about"), &live, &body)
    }

    fn lesson(&self, resolved: &Resolved) -> String {
        let lesson = &resolved.lesson;
        let title = plain(lesson.title.of(self.locale), self.speech, |_| String::new());
        let able = plain(lesson.able.of(self.locale), self.speech, |_| String::new());
        let mut shown = "";
        let sections: Vec<Markup> = lesson
            .paragraphs
            .iter()
            .zip(1..)
            .map(|(paragraph, at)| {
                // The same picture is not shown twice in a row.
                let scene = paragraph.scene.as_ref().filter(|name| *name != shown);
                let scene = scene.and_then(|name| resolved.staged.get_key_value(name));
                shown = scene.map_or(shown, |(name, _)| name);
                // The last paragraph is where a reader may want to go on.
                let ends = paragraph.task.is_some() || at == lesson.paragraphs.len();
                let place = self.fragment(&format!("learn={}&p={at}", lesson.number));
                html! {
                    section id={ "p" (at) } { "\n"
                        @if let Some(text) = &paragraph.text { p { (self.text(text)) } "\n" }
                        @if !paragraph.plans.is_empty() {
                            div.plans { "\n"
                                @for (plan, which) in paragraph.plans.iter().zip(1..) {
                                    (self.plan(&format!("{:02}-{at}-{which}", lesson.number), plan))
                                }
                            } "\n"
                        }
                        @if let Some((name, staged)) = scene { (self.figure(lesson.number, name, staged)) }
                        @if let Some(task) = &paragraph.task { (self.task(task)) }
                        @if ends {
                            p.live {
                                a href={ (self.roots().0) "index.html#" (place) } { (self.word("learn.try-live")) }
                            } "\n"
                        }
                    } "\n"
                }
            })
            .collect();
        let next = self.course.lessons.iter().find(|next| next.lesson.number == lesson.number + 1);
        let body = html! {
            h1 { (lesson.number) " · " (title) } "\n"
            p.lead { (able) } "\n"
            @for section in &sections { (section) }
            @if let Some(Resolved { lesson: next, .. }) = next {
                p.next {
                    (self.word("learn.next")) " "
                    a href=(format!("{:02}.html", next.number)) { (next.number) " · " (self.text(&next.title)) }
                } "\n"
            }
        };
        let live = self.fragment(&format!("learn={}", lesson.number));
        self.page(&format!("{:02}.html", lesson.number), &title, &able, &live, &body)
    }

    /// A small plan with the name of its planner and its peak.
    fn plan(&self, drawn: &str, plan: &Picture) -> Markup {
        let setting = plan.setting_words(self.speech).map(|words| format!(", {words}")).unwrap_or_default();
        let network = plan.network.as_ref().map(|network| format!(", {network}")).unwrap_or_default();
        let name = planner::title_of(&plan.planner, self.speech);
        let words = format!("{name}{network}{setting}: {}", plan.peak);
        html! { figure { (picture(drawn, &words, SMALL, false)) figcaption { (words) } } "\n" }
    }

    fn figure(&self, number: u32, name: &str, staged: &Staged) -> Markup {
        let frame = frame(staged);
        let caption = match &staged.scene.caption {
            Some(caption) => self.text(caption),
            None => html! { (speech_of(staged, self.speech).say(&why(&staged.run, &frame).headline)) },
        };
        let drawn = picture(&format!("{number:02}-{name}"), &self.described(staged, &frame), PICTURE, true);
        html! { figure { (drawn) figcaption { (caption) } } "\n" }
    }

    /// Where every buffer lies, in words.
    fn described(&self, staged: &Staged, frame: &Frame) -> String {
        let run = &staged.run;
        let placed = run.problem.buffers.enumerate().filter_map(|(id, buffer)| {
            let place = frame.places[id]?;
            let message = Message::new("learn.alt").text("name", buffer.name.clone());
            let message =
                message.text("from", staged.bytes(place.offset)).text("to", staged.bytes(place.offset + buffer.size));
            let message = message.count("first", buffer.live.start).count("last", buffer.live.end - 1);
            Some(self.speech.say(&message))
        });
        let sentences: Vec<String> = placed.collect();
        let more = sentences.len().saturating_sub(DESCRIBED);
        let mut text = sentences.into_iter().take(DESCRIBED).collect::<Vec<_>>().join("; ");
        if more > 0 {
            let _ = write!(text, "; {}", self.speech.say(&Message::new("learn.alt-more").count("n", more as u64)));
        }
        match text.is_empty() {
            true => self.word("learn.alt-none"),
            false => text,
        }
    }

    /// A question with its answer folded.
    fn task(&self, task: &Task) -> Markup {
        let plain = |words: &str| html! { (words) };
        let mut answers = Vec::new();
        let mut items = Vec::new();
        let mut programs = [None, None];
        match &task.kind {
            TaskKind::Choose(choices) => {
                for choice in choices {
                    items.push(self.text(&choice.text));
                    answers.extend(choice.right.then(|| self.text(&choice.text)));
                }
            }
            TaskKind::Place { places, .. } => {
                for place in places {
                    items.push(self.text(&place.text));
                    answers.extend(place.right.then(|| self.text(&place.text)));
                }
            }
            TaskKind::Number { value, is_bytes, .. } => answers.push(plain(&match is_bytes {
                true => Sizes::Exact.words(*value as u64),
                false => value.to_string(),
            })),
            TaskKind::Pack { solution, .. } => {
                let placed = solution.iter().map(|(name, offset)| format!("{name} {}", Sizes::Readable.words(*offset)));
                answers.extend(placed.map(|words| plain(&words)));
            }
            TaskKind::Write { template, solution, .. } => {
                programs = [Some(code(template)), Some(code(solution))];
            }
            TaskKind::Order { operators, solution, .. } => {
                answers.extend(solution.iter().map(|operator| plain(&operators.list[*operator].name)));
                for operator in &operators.list {
                    let reads = operator.reads.join(", ");
                    let message = Message::new("learn.reads").text("name", operator.name.clone()).text("reads", reads);
                    let alone = operator.reads.is_empty();
                    items.push(plain(&if alone { operator.name.clone() } else { self.speech.say(&message) }));
                }
            }
        }
        html! {
            div.task { "\n"
                p { b { (self.text(&task.ask)) } } "\n"
                @if let Some(program) = &programs[0] { (program) "\n" }
                @if !items.is_empty() { ul { "\n" @for item in &items { li { (item) } "\n" } } "\n" }
                details {
                    summary { (self.word("learn.answer")) }
                    p {
                        @if !answers.is_empty() {
                            b { @for (at, answer) in answers.iter().enumerate() { @if at > 0 { ", " } (answer) } } " "
                        }
                        (self.text(&task.right))
                    }
                    @if let Some(program) = &programs[1] { (program) }
                } "\n"
            } "\n"
        }
    }

    /// A text with its marks.
    fn text(&self, words: &Words) -> Markup {
        let home = format!("{}index.html", self.roots().0);
        let title = |number: u32| {
            let lesson = self.course.lessons.iter().find(|other| other.lesson.number == number);
            lesson.map(|other| plain(other.lesson.title.of(self.locale), self.speech, |_| String::new()))
        };
        let markup = |part| match part {
            Part::Words(words, false) | Part::Unknown(words) => html! { (words) },
            Part::Words(words, true) => html! { strong { (words) } },
            Part::Buffer(name) => html! { b.object { (name) } },
            Part::Step(step) => html! { b.object { (step) } },
            Part::Figure(words) => html! { span.figure { (words) } },
            Part::Open(words) => html! { a href=(home) { (words) } },
            Part::View(address, words) => html! { a href={ (home) "#" (self.fragment(&address)) } { (words) } },
            Part::Term(term, words) => html! { a.term href={ "glossary.html#" (term.name()) } { (words) } },
            Part::Planner(id, begins) => html! { (planner::name_in_text(&id, begins, self.speech)) },
            Part::Lesson(number) => {
                let words = self.speech.say(&Message::new("learn.lesson").count("n", number));
                let title = title(number).unwrap_or_default();
                html! { a href=(format!("{number:02}.html")) title=(title) { (words) } }
            }
        };
        html! { @for part in parts(words.of(self.locale)) { (markup(part)) } }
    }
}

/// A program. Braces are written as numbers: no mark is left unread on these pages.
fn code(program: &str) -> Markup {
    let text = html! { (program) }.into_string().replace('{', "&#123;").replace('}', "&#125;");
    html! { pre { code { (PreEscaped(text)) } } }
}

/// A picture in both themes, perhaps with one for phones, on which names of a picture that is
/// shrunk could not be read.
fn picture(name: &str, alt: &str, size: (f64, f64), has_narrow: bool) -> Markup {
    let source = |suffix: &str, media: &str, size: (f64, f64)| {
        html! {
            source srcset={ "pictures/" (name) (suffix) ".svg" } media={ "screen and " (media) } width=(size.0)
                height=(size.1);
        }
    };
    html! {
        picture {
            @if has_narrow {
                (source("-narrow-dark", "(max-width: 700px) and (prefers-color-scheme: dark)", PHONE))
                (source("-narrow", "(max-width: 700px)", PHONE))
            }
            (source("-dark", "(prefers-color-scheme: dark)", size))
            img src={ "pictures/" (name) ".svg" } alt=(alt) width=(size.0) height=(size.1) loading="lazy";
        }
    }
}
