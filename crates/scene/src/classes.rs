//! Which colour a buffer has under each way of colouring.

use super::drawing::Drawing;
use super::ink::{Class, Tone};
use super::style::ColorBy;
use memplan_core::base::Id;
use memplan_core::graph::Kind;
use memplan_core::problem::{BufferClass, BufferId, Live};

impl Drawing<'_> {
    /// The class of a buffer under the reader's way of colouring.
    pub fn class(&self, id: BufferId) -> Class {
        let buffer = &self.run.problem.buffers[id];
        match self.style.color_by {
            ColorBy::Kind => match self.run.classes() {
                Some(classes) => training_class(classes.class(id)),
                None => kind_class(buffer.kind),
            },
            ColorBy::Op => Class::Category(self.index.op_class(id)),
            ColorBy::Size => halvings(buffer.size, self.index.largest()),
            ColorBy::Lifetime => halvings(buffer.live.len() as u64, self.index.longest() as u64),
            ColorBy::Pool => {
                let place = self.frame.places[id].or(self.run.plan.places[id]);
                category(place.map_or(0, |place| place.pool.index()))
            }
            ColorBy::Device => {
                let memories = &self.run.problem.memories;
                let device = &memories[buffer.memory].device;
                category(memories.iter().position(|memory| memory.device == *device).unwrap_or(0))
            }
            ColorBy::ReuseDepth => Class::Step(self.index.reuse_depth(self.run, id).min(Class::STEPS as u32 - 1) as u8),
            ColorBy::InPeak => {
                let in_peak = buffer.live.contains(self.index.total().peak_step());
                Class::Category(if in_peak { 5 } else { 0 })
            }
        }
    }

    /// Full colour for what can be in the way of the buffer of this frame, or for the classes that
    /// the reader brought out.
    pub fn tone(&self, class: Class, live: Live) -> Tone {
        let tone = match self.focus_live {
            Some(focus) if self.style.dim && !live.meets(focus) => Tone::Pale,
            _ => Tone::Full,
        };
        self.style.filter.tone(class, tone)
    }
}

fn kind_class(kind: Kind) -> Class {
    Class::Category(match kind {
        Kind::Intermediate => 0,
        Kind::Input => 1,
        Kind::Output => 2,
        Kind::Weight => 3,
    })
}

/// The colours of a step of training: its activations have that of intermediates elsewhere.
pub fn training_class(class: BufferClass) -> Class {
    Class::Category(match class {
        BufferClass::Activation => 0,
        BufferClass::Input => 1,
        BufferClass::Gradient => 2,
        BufferClass::Weight => 3,
        BufferClass::Output => 4,
        BufferClass::Temporary => 5,
    })
}

fn category(number: usize) -> Class {
    Class::Category((number % Class::CATEGORIES as usize) as u8)
}

/// A step for each halving below the largest value.
fn halvings(value: u64, largest: u64) -> Class {
    let halvings = largest.checked_div(value.max(1)).map_or(0, |times| times.max(1).ilog2());
    Class::Step((Class::STEPS as u32 - 1).saturating_sub(halvings) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_halving_is_a_step() {
        assert_eq!(halvings(8, 8), Class::Step(6));
        assert_eq!(halvings(4, 8), Class::Step(5));
        assert_eq!(halvings(1, u64::MAX), Class::Step(0));
        assert_eq!(halvings(0, 0), Class::Step(6));
    }
}
