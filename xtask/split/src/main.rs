//! `xtask-split trace PROGRAM` makes a program tell which functions run;
//! `xtask-split split PROGRAM STATE FIRST` reads their numbers from standard input. It writes the
//! state of the program and its first functions, and leaves all functions in `PROGRAM`.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io;
use std::process::ExitCode;

/// The largest program that Chromium compiles on the thread of a page, which waits for it: where
/// functions are called before they are there.
const MOST_BYTES: usize = 8 << 20;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["trace", program] => trace(program),
        ["split", program, state, first] => split(program, state, first),
        _ => Err("xtask-split trace PROGRAM, or xtask-split split PROGRAM STATE FIRST".to_string()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn trace(program: &str) -> Result<(), String> {
    let traced = xtask_split::traced(&read(program)?);
    write(program, &traced.map_err(|refusal| format!("{program} is not traced: {refusal}."))?)
}

fn split(program: &str, state: &str, first: &str) -> Result<(), String> {
    let input = io::read_to_string(io::stdin()).map_err(|error| format!("The numbers could not be read ({error})."))?;
    let ran: Result<BTreeSet<u32>, _> = input.split_whitespace().map(str::parse).collect();
    let ran = ran.map_err(|error| format!("Functions are known by numbers ({error})."))?;
    let parts = xtask_split::split(&read(program)?, &ran);
    let parts = parts.map_err(|refusal| format!("{program} is not split: {refusal}."))?;
    if parts.whole.len() > MOST_BYTES {
        return Err(format!("{program} is not split: Chromium compiles at most 8 MiB while a page waits."));
    }
    for (path, part) in [(state, &parts.state), (first, &parts.first), (program, &parts.whole)] {
        write(path, part)?;
        println!("{path}: {} kB", part.len().div_ceil(1000));
    }
    Ok(())
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{path} could not be read ({error})."))
}

fn write(path: &str, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("{path} could not be written ({error})."))
}
