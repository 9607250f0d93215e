//! Inks: colour tokens with a line or a pattern. A theme turns tokens into colours when the scene
//! is painted, so one scene serves light, dark and print.

/// A role of the design, or a part of a buffer's colouring.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Color {
    /// The page behind the picture.
    Background,
    /// The ground of panels and handles.
    Panel,
    /// Above an arena.
    Sunk,
    /// Hairlines and grid.
    Line,
    /// Ticks and the base line of the scrubber.
    Line2,
    /// Words and numbers that matter.
    Text,
    /// Words and numbers beside the data.
    Muted,
    /// Waiting buffers and frames not yet played.
    Faint,
    /// What the reader points at or has chosen: selection, view, position.
    Accent,
    /// A ground under what is chosen, such as the column of this frame's live range.
    AccentSoft,
    /// The place that the planner takes in this frame.
    Chosen,
    /// A ground of the same colour: room added in this frame.
    ChosenSoft,
    /// Frames of the numbers and reasons of places that were refused.
    Reject,
    /// Buffers in conflict, and those in the way.
    Error,
    /// The curve of bytes alive.
    Load,
    /// The line of the lower bound.
    Bound,
    /// The line of the peak.
    Peak,
    /// Outline of a temporal node.
    NodeT,
    /// Outline of a spatial node.
    NodeS,
    /// Lines over bytes that nobody uses.
    Hatch,
    /// A part of a buffer.
    Buffer(Part, Class, Tone),
}

/// The parts of a buffer's rectangle that have colours of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// The ground of the rectangle.
    Fill,
    /// The line around it, and its pattern.
    Border,
    /// The name on it.
    Label,
}

/// The class of a buffer under the chosen way of colouring.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// One of [`Class::CATEGORIES`] kinds that have no order.
    Category(u8),
    /// One of [`Class::STEPS`] steps from least to most.
    Step(u8),
}

impl Class {
    /// Number of categories that have a colour.
    pub const CATEGORIES: u8 = 8;
    /// Number of steps from least to most.
    pub const STEPS: u8 = 7;

    /// Returns the pattern that distinguishes this class from the others without colour.
    pub fn texture(self) -> Texture {
        match self {
            Class::Category(1) => Texture::Dots,
            Class::Category(2) => Texture::Vertical,
            Class::Category(3) => Texture::Slash,
            Class::Category(4) => Texture::Backslash,
            Class::Category(5) => Texture::Cross,
            Class::Category(6) => Texture::Horizontal,
            Class::Category(7) => Texture::Checks,
            _ => Texture::Solid,
        }
    }
}

/// How strongly a buffer is drawn: in full colour if it matters in this frame.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Tone {
    /// In full colour.
    #[default]
    Full,
    /// Set back: cannot matter in this frame.
    Pale,
}

/// A pattern in place of a plain fill: drawn in the ink's colour on whatever lies below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Texture {
    /// No pattern.
    #[default]
    Solid,
    /// Small discs.
    Dots,
    /// Upright lines.
    Vertical,
    /// Level lines.
    Horizontal,
    /// Lines that rise to the right.
    Slash,
    /// Lines that fall to the right.
    Backslash,
    /// Lines that rise and lines that fall.
    Cross,
    /// A chess board.
    Checks,
    /// Narrow diagonal lines: alignment padding.
    Padding,
    /// Wide diagonal lines: bytes nobody uses.
    Gap,
}

/// The gaps of a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dash {
    /// No gaps.
    #[default]
    Solid,
    /// The lower bound.
    Bound,
    /// A place looked at.
    Candidate,
    /// A place that was not seen.
    Missed,
    /// A former or a final level.
    Level,
    /// Holes in the life of a tree node.
    Hole,
}

impl Dash {
    /// Lengths of stroke and gap in css pixels; empty for a solid line.
    pub const fn lengths(self) -> &'static [f64] {
        match self {
            Dash::Solid => &[],
            Dash::Bound => &[6.0, 4.0],
            Dash::Candidate => &[4.0, 3.0],
            Dash::Missed => &[1.5, 3.0],
            Dash::Level => &[2.0, 3.0],
            Dash::Hole => &[1.5, 4.0],
        }
    }
}

/// A line along the outline of a shape.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stroke {
    /// Width in css pixels.
    pub width: f64,
    /// Its gaps.
    pub dash: Dash,
    /// Round joins, for lines with a halo.
    pub round: bool,
}

/// Colour token with the way it is applied.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ink {
    /// The colour token.
    pub color: Color,
    /// Opacity, 0 to 1.
    pub alpha: f64,
    /// The pattern of a filled shape.
    pub texture: Texture,
    /// A line instead of a filled shape.
    pub stroke: Option<Stroke>,
}

impl Ink {
    /// A filled shape.
    pub const fn fill(color: Color) -> Ink {
        Ink { color, alpha: 1.0, texture: Texture::Solid, stroke: None }
    }

    /// A solid line of a width in css pixels.
    pub const fn line(color: Color, width: f64) -> Ink {
        Ink {
            color,
            alpha: 1.0,
            texture: Texture::Solid,
            stroke: Some(Stroke { width, dash: Dash::Solid, round: false }),
        }
    }

    /// A line with gaps.
    pub const fn dashed(color: Color, width: f64, dash: Dash) -> Ink {
        Ink { color, alpha: 1.0, texture: Texture::Solid, stroke: Some(Stroke { width, dash, round: false }) }
    }

    /// A filled shape with a pattern.
    pub const fn texture(color: Color, texture: Texture) -> Ink {
        Ink { color, alpha: 1.0, texture, stroke: None }
    }

    /// The same ink with an opacity from 0 to 1.
    pub const fn alpha(self, alpha: f64) -> Ink {
        Ink { alpha, ..self }
    }

    /// The same line with round joins; other ink as it is.
    pub const fn round(self) -> Ink {
        match self.stroke {
            Some(stroke) => Ink { stroke: Some(Stroke { round: true, ..stroke }), ..self },
            None => self,
        }
    }
}
