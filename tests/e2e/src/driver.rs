//! The WebDriver program, on a port of its own choice, ended with its owner.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

/// What it says once it listens, before the port.
const STARTED: &str = "started successfully on port ";

pub struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    /// # Errors
    /// A sentence when it does not start.
    pub fn start(program: &Path) -> Result<Driver, String> {
        let mut process = Command::new(program)
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}.", program.display()))?;
        let output = process.stdout.take().ok_or("The driver has no output.")?;
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, rest) = line.split_once(STARTED)?;
            rest.trim_end_matches('.').trim().parse().ok()
        });
        // Read on for as long as it talks: a full pipe would stop it.
        thread::spawn(move || lines.for_each(drop));
        match port {
            Some(port) => Ok(Driver { process, port }),
            None => {
                // It has ended or is no WebDriver program; either way it is not needed.
                let _ = process.kill();
                Err(format!("{} did not say which port it listens on.", program.display()))
            }
        }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // One that ended by itself cannot be ended again.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
