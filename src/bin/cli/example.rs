//! One example of every command, at the end of its help. A test runs each.

use memplan::planner;

/// Commands with their examples; `{planner}` stands for the id of the planner that a first visit
/// shows.
const EXAMPLES: [(&str, &str); 20] = [
    ("list", "list --json"),
    ("plan", "plan net.json --planner {planner} -o plan.json"),
    ("check", "check plan.json"),
    ("compare", "compare net.json --format markdown"),
    ("chart", "chart net.json --kind peaks -o peaks.svg"),
    ("completions", "completions bash"),
    ("dependencies", "dependencies net.json --planner {planner}"),
    ("diff", "diff old.json net.json --planner {planner} --fail-above 3%"),
    ("fit", "fit net.json --memory SRAM=512KiB"),
    ("exercise", "exercise --kind predict --planner {planner} --seed 7 --answers"),
    ("frame", "frame net.json --planner {planner} --at 3"),
    ("frames", "frames net.json --planner {planner}"),
    ("gap", "gap net.json --planner {planner}"),
    ("metrics", "metrics net.json --planner {planner}"),
    ("svg", "svg net.json --planner {planner} --title --legend -o plan.svg"),
    ("view", "view net.tflite --planner {planner} --watch"),
    ("convert", "convert net.json -o buffers.csv"),
    ("lessons", "lessons www/lessons -o site"),
    ("worksheet", "worksheet net.json --planner {planner} --paper letter -o sheet.html"),
    ("write", "write net.tflite --planner {planner} --force -o planned.tflite"),
];

/// Puts the example of each command at the end of its help.
pub fn with_examples(program: clap::Command) -> clap::Command {
    EXAMPLES.iter().fold(program, |program, (command, line)| {
        let line = line.replace("{planner}", planner::WELCOME);
        program.mut_subcommand(command, |command| command.after_help(format!("Example:\n  memplan {line}")))
    })
}
