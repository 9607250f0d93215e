//! Takes the pictures of the page for its documents: `screenshots <folder>`.

#![forbid(unsafe_code)]

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use memplan_e2e::page::{MIDDLE, NARROW, Page, WIDE};
use memplan_e2e::pool::Pool;

/// A picture: its file, its window, and the link it shows.
struct Picture {
    name: &'static str,
    size: (u32, u32),
    /// Device pixels per css pixel; 2 is drawn as on a phone.
    scale: f64,
    link: &'static str,
}

/// A frame in the middle of a run, at which several places were looked at.
const STEP: &str = "doc=ex:resnet18&plan=inductor-tree&f=37&lang=en&theme=light";

const PICTURES: [Picture; 6] = [
    Picture { name: "start", size: WIDE, scale: 1.0, link: "lang=en&theme=light" },
    Picture { name: "step-light", size: WIDE, scale: 1.0, link: STEP },
    Picture {
        name: "step-dark",
        size: WIDE,
        scale: 1.0,
        link: "doc=ex:resnet18&plan=inductor-tree&f=37&lang=en&theme=dark",
    },
    Picture {
        name: "step-zh",
        size: WIDE,
        scale: 1.0,
        link: "doc=ex:resnet18&plan=inductor-tree&f=37&lang=zh&theme=light",
    },
    Picture { name: "step-1024", size: MIDDLE, scale: 1.0, link: STEP },
    Picture { name: "step-390", size: NARROW, scale: 2.0, link: STEP },
];

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: screenshots <folder>");
        return ExitCode::FAILURE;
    };
    match take_all(folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("{sentence}");
            ExitCode::FAILURE
        }
    }
}

fn take_all(folder: PathBuf) -> Result<(), String> {
    fs::create_dir_all(&folder).map_err(|error| format!("{} cannot be made: {error}.", folder.display()))?;
    let pool = Pool::default();
    let mut page = pool.take()?;
    for picture in &PICTURES {
        let path = folder.join(format!("{}.png", picture.name));
        let bytes = take(&mut page, picture);
        fs::write(&path, bytes).map_err(|error| format!("{} cannot be written: {error}.", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

fn take(page: &mut Page, picture: &Picture) -> Vec<u8> {
    page.reset();
    page.device(picture.size, picture.scale, picture.scale > 1.0);
    page.open(picture.link);
    page.until_painted();
    // The pointer would show a tooltip where it happens to stand.
    page.browser.hover((0.0, 0.0));
    page.until_painted();
    page.browser.screenshot()
}
