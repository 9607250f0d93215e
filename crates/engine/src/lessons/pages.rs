//! Lessons → pages of plain text, one a lesson and language: no script, readable and printable by
//! itself.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Course;
use super::resolve::Resolved;
use super::staged::Staged;
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
    let stage = stage(run, &index, frame, &view, size, &style, &marks);
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
    fn page(&self, name: &str, title: &str, about: &str, live: &str, body: &str) -> String {
        let (root, other_root) = self.roots();
        let home = if self.locale == Locale::En { "./" } else { "../" };
        let other = Locale::ALL[1 - self.locale as usize];
        let (tag, other_tag) = (self.locale.tag(), other.tag());
        let (title, about) = (escaped(title), escaped(about));
        format!(
            "<!doctype html>\n<html lang=\"{tag}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title} · memplan</title>\n<meta name=\"description\" content=\"{about}\">\n\
             <link rel=\"canonical\" href=\"{name}\">\n\
             <link rel=\"alternate\" hreflang=\"{other_tag}\" href=\"{other_root}{name}\">\n\
             <link rel=\"icon\" href=\"{root}icons/icon-192.png\">\n             <link rel=\"stylesheet\" href=\"{home}lesson.css\">\n</head>\n<body>\n\
             <header><nav><a href=\"index.html\">{}</a> <a href=\"glossary.html\">{}</a> \
             <a href=\"{root}index.html#{live}\">{}</a> <a href=\"{other_root}{name}\" lang=\"{other_tag}\">{}</a></nav></header>\n\
             <main>\n{body}</main>\n</body>\n</html>\n",
            escaped(&self.word("learn.lessons")),
            escaped(&self.word("learn.glossary")),
            escaped(&self.word("learn.live")),
            other.own_name(),
        )
    }

    fn index(&self) -> String {
        let mut body =
            format!("<h1>{}</h1>\n<p class=\"lead\">{}</p>\n", self.phrase("learn.title"), self.phrase("learn.lead"));
        let mut part = 0;
        for resolved in &self.course.lessons {
            let lesson = &resolved.lesson;
            if lesson.part != part {
                if part > 0 {
                    body.push_str("</ol>\n");
                }
                part = lesson.part;
                let (name, about) = part_keys(part);
                let _ = write!(
                    body,
                    "<h2>{}</h2>\n<p>{}</p>\n<ol class=\"cards\">\n",
                    self.phrase(name),
                    self.phrase(about)
                );
            }
            let _ = writeln!(
                body,
                "<li value=\"{0}\"><a href=\"{0:02}.html\">{1}<b>{0} · {2}</b></a><span>{3}</span></li>",
                lesson.number,
                picture(&format!("{:02}-card", lesson.number), "", CARD, false),
                self.text(&lesson.title),
                self.text(&lesson.able),
            );
        }
        body.push_str("</ol>\n");
        self.page("index.html", &self.word("learn.title"), &self.word("learn.lead"), &self.fragment("learn"), &body)
    }

    fn fragment(&self, place: &str) -> String {
        format!("{place}&amp;lang={}", self.locale.name())
    }

    fn glossary(&self) -> String {
        let mut body = format!("<h1>{}</h1>\n<dl>\n", self.phrase("learn.glossary"));
        for term in Term::ALL {
            let definition = define(*term, None);
            let (name, is) = (self.speech.say(&definition.name), self.speech.say(&definition.meaning));
            let _ = writeln!(body, "<dt id=\"{}\">{}</dt>\n<dd>{}</dd>", term.name(), escaped(&name), escaped(&is));
        }
        body.push_str("</dl>\n");
        let live = self.fragment("learn");
        self.page("glossary.html", &self.word("learn.glossary"), &self.word("learn.glossary-about"), &live, &body)
    }

    fn phrase(&self, key: &'static str) -> String {
        escaped(&self.word(key))
    }

    fn lesson(&self, resolved: &Resolved) -> String {
        let lesson = &resolved.lesson;
        let title = plain(lesson.title.of(self.locale), self.speech, |_| String::new());
        let able = plain(lesson.able.of(self.locale), self.speech, |_| String::new());
        let mut body =
            format!("<h1>{} · {}</h1>\n<p class=\"lead\">{}</p>\n", lesson.number, escaped(&title), escaped(&able));
        let mut shown = "";
        for (paragraph, at) in lesson.paragraphs.iter().zip(1..) {
            let _ = writeln!(body, "<section id=\"p{at}\">");
            if let Some(text) = &paragraph.text {
                let _ = writeln!(body, "<p>{}</p>", self.text(text));
            }
            if !paragraph.plans.is_empty() {
                body.push_str("<div class=\"plans\">\n");
                for (plan, which) in paragraph.plans.iter().zip(1..) {
                    let name = planner::title_of(&plan.planner, self.speech);
                    let setting = plan.setting_words(self.speech).map(|words| format!(", {words}"));
                    let network = plan.network.as_ref().map(|network| format!(", {network}"));
                    let name = name + &network.unwrap_or_default() + &setting.unwrap_or_default();
                    let (drawn, words) =
                        (format!("{:02}-{at}-{which}", lesson.number), escaped(&format!("{name}: {}", plan.peak)));
                    let _ = writeln!(
                        body,
                        "<figure>{}<figcaption>{words}</figcaption></figure>",
                        picture(&drawn, &words, SMALL, false)
                    );
                }
                body.push_str("</div>\n");
            }
            // The same picture is not shown twice in a row.
            if let Some((name, staged)) = paragraph
                .scene
                .as_ref()
                .filter(|name| *name != shown)
                .and_then(|name| resolved.staged.get_key_value(name))
            {
                shown = name;
                body.push_str(&self.figure(lesson.number, name, staged));
            }
            if let Some(task) = &paragraph.task {
                body.push_str(&self.task(task));
            }
            // The last paragraph is where a reader may want to go on.
            if paragraph.task.is_some() || at == lesson.paragraphs.len() {
                let place = self.fragment(&format!("learn={}&amp;p={at}", lesson.number));
                let (root, words) = (self.roots().0, self.phrase("learn.try-live"));
                let _ = writeln!(body, "<p class=\"live\"><a href=\"{root}index.html#{place}\">{words}</a></p>");
            }
            body.push_str("</section>\n");
        }
        let next = self.course.lessons.iter().find(|next| next.lesson.number == lesson.number + 1);
        if let Some(next) = next.map(|next| &next.lesson) {
            let _ = writeln!(
                body,
                "<p class=\"next\">{} <a href=\"{:02}.html\">{} · {}</a></p>",
                self.phrase("learn.next"),
                next.number,
                next.number,
                self.text(&next.title)
            );
        }
        let live = self.fragment(&format!("learn={}", lesson.number));
        self.page(&format!("{:02}.html", lesson.number), &title, &able, &live, &body)
    }

    fn figure(&self, number: u32, name: &str, staged: &Staged) -> String {
        let frame = frame(staged);
        let caption = match &staged.scene.caption {
            Some(caption) => self.text(caption),
            None => escaped(&speech_of(staged, self.speech).say(&why(&staged.run, &frame).headline)),
        };
        let alt = escaped(&self.described(staged, &frame));
        let drawn = picture(&format!("{number:02}-{name}"), &alt, PICTURE, true);
        format!("<figure>{drawn}<figcaption>{caption}</figcaption></figure>\n")
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
    fn task(&self, task: &Task) -> String {
        let mut text = format!("<div class=\"task\">\n<p><b>{}</b></p>\n", self.text(&task.ask));
        let mut answers = Vec::new();
        let mut items = Vec::new();
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
            TaskKind::Number { value, is_bytes, .. } => answers.push(match is_bytes {
                true => escaped(&Sizes::Exact.words(*value as u64)),
                false => value.to_string(),
            }),
            TaskKind::Pack { solution, .. } => {
                let placed = solution.iter().map(|(name, offset)| format!("{name} {}", Sizes::Readable.words(*offset)));
                answers.extend(placed.map(|words| escaped(&words)));
            }
            TaskKind::Order { operators, solution, .. } => {
                answers.extend(solution.iter().map(|operator| escaped(&operators.list[*operator].name)));
                for operator in &operators.list {
                    let reads = operator.reads.join(", ");
                    let message = Message::new("learn.reads").text("name", operator.name.clone()).text("reads", reads);
                    let alone = operator.reads.is_empty();
                    items.push(escaped(&if alone { operator.name.clone() } else { self.speech.say(&message) }));
                }
            }
        }
        if !items.is_empty() {
            let items: String = items.into_iter().map(|item| format!("<li>{item}</li>\n")).collect();
            let _ = write!(text, "<ul>\n{items}</ul>\n");
        }
        let answers = if answers.is_empty() { String::new() } else { format!("<b>{}</b> ", answers.join(", ")) };
        let _ = write!(
            text,
            "<details><summary>{}</summary><p>{answers}{}</p></details>\n</div>\n",
            self.phrase("learn.answer"),
            self.text(&task.right)
        );
        text
    }

    /// A text as HTML.
    fn text(&self, words: &Words) -> String {
        let title = |number: u32| {
            let lesson = self.course.lessons.iter().find(|other| other.lesson.number == number);
            lesson.map(|other| plain(other.lesson.title.of(self.locale), self.speech, |_| String::new()))
        };
        let html = |part| match part {
            Part::Words(words, false) | Part::Unknown(words) => escaped(&words),
            Part::Words(words, true) => format!("<strong>{}</strong>", escaped(&words)),
            Part::Buffer(name) => format!("<b class=\"object\">{}</b>", escaped(&name)),
            Part::Step(step) => format!("<b class=\"object\">{step}</b>"),
            Part::Figure(words) => format!("<span class=\"figure\">{}</span>", escaped(&words)),
            Part::Open(words) => format!("<a href=\"{}index.html\">{}</a>", self.roots().0, escaped(&words)),
            Part::View(address, words) => {
                let place = self.fragment(&escaped(&address));
                format!("<a href=\"{}index.html#{place}\">{}</a>", self.roots().0, escaped(&words))
            }
            Part::Term(term, words) => {
                format!("<a class=\"term\" href=\"glossary.html#{}\">{}</a>", term.name(), escaped(&words))
            }
            Part::Planner(id, begins) => escaped(&planner::name_in_text(&id, begins, self.speech)),
            Part::Lesson(number) => {
                let words = self.speech.say(&Message::new("learn.lesson").count("n", number));
                let title = title(number).unwrap_or_default();
                format!("<a href=\"{number:02}.html\" title=\"{}\">{}</a>", escaped(&title), escaped(&words))
            }
        };
        parts(words.of(self.locale)).into_iter().map(html).collect()
    }
}

/// A picture in both themes, perhaps with one for phones, on which names of a picture that is
/// shrunk could not be read.
fn picture(name: &str, alt: &str, size: (f64, f64), has_narrow: bool) -> String {
    let source = |suffix: &str, media: &str, size: (f64, f64)| {
        let (width, height) = size;
        let file = format!("pictures/{name}{suffix}.svg");
        format!("<source srcset=\"{file}\" media=\"screen and {media}\" width=\"{width}\" height=\"{height}\">")
    };
    let narrow = match has_narrow {
        true => {
            source("-narrow-dark", "(max-width: 700px) and (prefers-color-scheme: dark)", PHONE)
                + &source("-narrow", "(max-width: 700px)", PHONE)
        }
        false => String::new(),
    };
    let dark = source("-dark", "(prefers-color-scheme: dark)", size);
    format!(
        "<picture>{narrow}{dark}\
         <img src=\"pictures/{name}.svg\" alt=\"{alt}\" width=\"{}\" height=\"{}\" loading=\"lazy\"></picture>",
        size.0, size.1
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
