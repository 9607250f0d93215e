//! Scenes of a lesson that follow each other in one run: a few frames are stepped through, so that
//! the reader sees what happens.

use crate::shell::state::State;
use memplan_teach::lesson::Scene;

/// Most frames that are stepped through, on or back; more would keep the reader waiting.
const MOST: u32 = 8;

impl State {
    /// Goes to the frame of a scene of the run that is shown: through the frames before it if those
    /// are few and `is_calm`.
    pub(crate) fn go_to_scene(&mut self, scene: &Scene, is_calm: bool) {
        let (here, there) = (self.frame(), self.frame_of_scene(scene));
        let glides = is_calm && (2..=MOST).contains(&here.abs_diff(there));
        self.arrive(scene, if glides { nearer(here, there) } else { there }, glides);
    }

    /// Takes the next step to the scene; false where none is on the way.
    pub(crate) fn glide(&mut self) -> bool {
        if !std::mem::take(&mut self.learning.gliding) {
            return false;
        }
        let scene =
            self.scene_beside().cloned().filter(|scene| self.document.status.is_idle() && self.shows_run_of(scene));
        if let Some(scene) = scene {
            let (here, there) = (self.frame(), self.frame_of_scene(&scene));
            let next = nearer(here, there);
            self.arrive(&scene, next, next != there);
        }
        true
    }

    /// Shows a frame on the way to a scene, or that of the scene with what it points out.
    fn arrive(&mut self, scene: &Scene, frame: u32, glides: bool) {
        self.learning.gliding = glides;
        self.stepping.selection = None;
        self.seek(frame);
        if !glides {
            self.select_in(scene);
        }
    }
}

/// The frame that is one step nearer to another one.
fn nearer(here: u32, there: u32) -> u32 {
    if here < there { here + 1 } else { there.max(here.saturating_sub(1)) }
}
