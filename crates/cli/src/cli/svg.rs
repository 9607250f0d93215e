//! `memplan svg`: one moment of a run as a picture.

use clap::Args;
use memplan_core::text::{Locale, Speech};
use memplan_engine::api::within;
use memplan_replay::{Frame, Level};
use memplan_scene::paint::{Carries, Shown, Theme, export_figure, export_svg, figure_svg};
use memplan_scene::{Index, Style};

use super::error::CliError;
use super::frame::LevelArg;
use super::output::{OutputArgs, write};
use super::plan::RunArgs;

/// Draw one frame of a planner's run as SVG
#[derive(Args)]
pub struct SvgCommand {
    #[command(flatten)]
    run: RunArgs,

    /// Number of the frame; the last one if absent
    #[arg(long, value_name = "K")]
    at: Option<u32>,

    /// The finished plan alone, without the marks of the last decision and the number of its frame
    #[arg(long, conflicts_with_all = ["at", "why"])]
    plan_only: bool,

    /// How finely frames are counted
    #[arg(long, value_enum, default_value = "decisions")]
    level: LevelArg,

    /// Width and height in pixels
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1000x640")]
    size: (f64, f64),

    /// Colours for a dark background
    #[arg(long)]
    dark: bool,

    /// Words in Chinese
    #[arg(long)]
    zh: bool,

    /// Above the plan: graph, planner, options that are not defaults, peak, bound and frame
    #[arg(long)]
    title: bool,

    /// Below the plan: what colours and lines mean
    #[arg(long)]
    legend: bool,

    /// Below the plan: what happens in the frame, in words
    #[arg(long)]
    why: bool,

    #[command(flatten)]
    output: OutputArgs,
}

pub fn size(text: &str) -> Result<(f64, f64), String> {
    let pair = text.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let fits = |side: f64| (64.0..=16_384.0).contains(&side);
    pair.filter(|(width, height)| fits(*width) && fits(*height))
        .ok_or_else(|| "width x height of 64 to 16384 pixels is needed".to_string())
}

impl SvgCommand {
    pub fn run(self) -> Result<(), CliError> {
        self.output.spares(self.run.inputs())?;
        let level: Level = self.level.level();
        let options = self.run.changed();
        let run = self.run.replay()?;
        let at = self.at.unwrap_or(run.timeline.frames(level) - 1);
        within(&run, level, at)?;
        let frame = run.frame(run.timeline.events_at(level, at));
        let frame = if self.plan_only { undecided(frame) } else { frame };
        let locale = if self.zh { Locale::Zh } else { Locale::En };
        let theme = if self.dark { Theme::Dark } else { Theme::Light };
        let (size, speech) = (self.size, Speech { locale, sizes: run.problem.sizes() });
        let carries = Carries {
            title: self.title,
            moment: self.title && !self.plan_only,
            legend: self.legend,
            why: self.why,
            link: false,
        };
        if carries == Carries::NONE {
            return write(self.output.path(), &export_svg(&run, &frame, size, theme, speech));
        }
        let style = Style { speech, titles: true, narrow: size.0 < 600.0, ..Style::default() };
        let shown = Shown { level, options, link: "" };
        let scenes = export_figure(&run, &Index::new(&run), &frame, size, &style, carries, &shown);
        write(self.output.path(), &figure_svg(&run, &scenes, size, theme, speech))
    }
}

/// The same places as a frame that is about no decision.
fn undecided(frame: Frame) -> Frame {
    let nothing = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (candidates, freed, visited, notes) = nothing;
    Frame { focus: None, outcome: None, missed: None, candidates, freed, visited, notes, ..frame }
}
