//! One example of every command, at the end of its help, after its exit codes where they tell the
//! answer. A test runs each example.

use memplan_teach::choices;

/// Commands with their examples; `{planner}` stands for the id of the planner that a first visit
/// shows.
const EXAMPLES: [(&str, &str); 26] = [
    ("list", "list --json"),
    ("plan", "plan net.json --planner {planner} -o plan.json"),
    ("check", "check plan.json"),
    ("alive", "alive net.json --planner {planner}"),
    ("compare", "compare net.json --format markdown"),
    ("capture-inductor", "capture-inductor --script"),
    ("chart", "chart net.json --kind peaks -o peaks.svg"),
    ("completions", "completions bash"),
    ("dependencies", "dependencies net.json --planner {planner}"),
    ("diff", "diff old.json net.json --planner {planner} --fail-above 3%"),
    ("fit", "fit net.json --memory SRAM=512KiB"),
    ("exercise", "exercise --kind predict --planner {planner} --seed 7 --answers"),
    ("frame", "frame net.json --planner {planner} --at 3"),
    ("frames", "frames net.json --planner {planner}"),
    ("gap", "gap net.json --planner {planner}"),
    ("html", "html net.json --planner {planner} --light -o plan.html"),
    ("mcp", "mcp ."),
    ("metrics", "metrics net.json --planner {planner}"),
    ("svg", "svg net.json --planner {planner} --title --legend -o plan.svg"),
    ("view", "view net.tflite --planner {planner} --watch"),
    ("whatif", "whatif snapshot.pickle --card 80GiB"),
    ("convert", "convert net.json -o buffers.csv"),
    ("league", "league www/league"),
    ("lessons", "lessons www/lessons -o site"),
    ("worksheet", "worksheet net.json --planner {planner} --paper letter -o sheet.html"),
    ("write", "write net.tflite --planner {planner} --force -o planned.tflite"),
];

/// Of files whose own plan contradicts what was read.
const MISREAD: (u8, &str) = (5, "the file may be misread, so nothing is written or proved");

/// Exit codes that tell the answer of a command. Every command has 0 for success and 2 for an input
/// or a command that cannot be used.
const EXIT_CODES: [(&str, &[(u8, &str)]); 9] = [
    ("plan", &[(1, "the plan is invalid"), (3, "the search found no plan"), MISREAD]),
    ("check", &[(1, "the plan is invalid"), MISREAD]),
    ("gap", &[MISREAD]),
    ("html", &[(3, "the search found no plan"), MISREAD]),
    ("metrics", &[MISREAD]),
    ("diff", &[(1, "a peak rose above the limit")]),
    (
        "fit",
        &[(3, "it does not fit, which is proved"), (4, "nothing was found that fits, which is not proved"), MISREAD],
    ),
    ("league", &[(1, "a plan is invalid, or differs from the table")]),
    ("write", &[MISREAD]),
];

/// Puts the exit codes and the example of each command at the end of its help.
pub fn with_examples(program: clap::Command) -> clap::Command {
    EXAMPLES.iter().fold(program, |program, (command, line)| {
        let line = line.replace("{planner}", choices::WELCOME);
        let codes = EXIT_CODES.iter().find(|(name, _)| name == command).map_or_else(String::new, |(_, more)| {
            let all = [(0, "success"), (2, "the input or the command cannot be used")];
            let mut all: Vec<&(u8, &str)> = all.iter().chain(*more).collect();
            all.sort_unstable();
            let lines: String = all.iter().map(|(code, what)| format!("  {code}  {what}\n")).collect();
            format!("Exit codes:\n{lines}\n")
        });
        program.mut_subcommand(command, |command| command.after_help(format!("{codes}Example:\n  memplan {line}")))
    })
}
