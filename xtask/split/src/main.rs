//! `xtask-split trace PROGRAM` makes a program tell which functions run;
//! `xtask-split split PROGRAM REST` reads their numbers from standard input. `PROGRAM` becomes its
//! first part, `REST` is the second.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["trace", program] => trace(program),
        ["split", program, rest] => split(program, rest),
        _ => Err("xtask-split trace PROGRAM, or xtask-split split PROGRAM REST".to_string()),
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

fn split(program: &str, rest: &str) -> Result<(), String> {
    let input = io::read_to_string(io::stdin()).map_err(|error| format!("The numbers could not be read ({error})."))?;
    let ran: Result<BTreeSet<u32>, _> = input.split_whitespace().map(str::parse).collect();
    let ran = ran.map_err(|error| format!("Functions are known by numbers ({error})."))?;
    let bytes = read(program)?;
    let parts = xtask_split::split(&bytes, &ran);
    let parts = parts.map_err(|refusal| format!("{program} is not split: {refusal}."))?;
    write(rest, &parts.rest)?;
    write(program, &parts.first)?;
    let [whole, first, rest] = [&bytes, &parts.first, &parts.rest].map(|bytes| bytes.len().div_ceil(1000));
    println!("{program}: {whole} kB, {first} kB at first and {rest} kB later");
    Ok(())
}

fn read(path: &str) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{path} could not be read ({error})."))
}

fn write(path: &str, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("{path} could not be written ({error})."))
}
