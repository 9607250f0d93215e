//! What a mark is drawn with: tokens, never colours. A theme turns tokens into colours when the scene is painted, so one scene
//! serves light, dark and print.

/// A role of the design, or a part of a buffer's colouring.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Color {
    Background,
    Panel,
    /// Above an arena.
    Sunk,
    /// Hairlines and grid.
    Line,
    /// Ticks and the base line of the scrubber.
    Line2,
    Text,
    Muted,
    Faint,
    Accent,
    AccentSoft,
    Chosen,
    ChosenSoft,
    Reject,
    Error,
    Load,
    Bound,
    Peak,
    /// Outline of a temporal node.
    NodeT,
    /// Outline of a spatial node.
    NodeS,
    /// Lines of the waste hatch.
    Hatch,
    /// A part of a buffer.
    Buffer(Part, Class, Tone),
}

/// The parts of a buffer's rectangle that have colours of their own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    Fill,
    Border,
    Label,
}

/// What colours tell about buffers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// One of [`Class::CATEGORIES`] kinds that have no order.
    Category(u8),
    /// One of [`Class::STEPS`] steps from least to most.
    Step(u8),
}

impl Class {
    pub const CATEGORIES: u8 = 8;
    pub const STEPS: u8 = 7;

    /// The pattern that tells this class from others without colour.
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

/// Full colour means "matters now".
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Tone {
    #[default]
    Full,
    Pale,
}

/// A pattern in place of a plain fill: drawn in the ink's colour on whatever lies below.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Texture {
    #[default]
    Solid,
    Dots,
    Vertical,
    Horizontal,
    Slash,
    Backslash,
    Cross,
    Checks,
    /// Narrow diagonal lines: alignment padding.
    Padding,
    /// Wide diagonal lines: bytes nobody uses.
    Waste,
}

/// The gaps of a line.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Dash {
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
    pub width: f64,
    pub dash: Dash,
    /// Round joins, for lines with a halo.
    pub round: bool,
}

/// Colour token with the way it is applied.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ink {
    pub color: Color,
    /// Opacity, 0 to 1.
    pub alpha: f64,
    pub texture: Texture,
    /// A line instead of a filled shape.
    pub stroke: Option<Stroke>,
}

impl Ink {
    pub const fn fill(color: Color) -> Ink {
        Ink { color, alpha: 1.0, texture: Texture::Solid, stroke: None }
    }

    pub const fn line(color: Color, width: f64) -> Ink {
        Ink {
            color,
            alpha: 1.0,
            texture: Texture::Solid,
            stroke: Some(Stroke { width, dash: Dash::Solid, round: false }),
        }
    }

    pub const fn dashed(color: Color, width: f64, dash: Dash) -> Ink {
        Ink { color, alpha: 1.0, texture: Texture::Solid, stroke: Some(Stroke { width, dash, round: false }) }
    }

    pub const fn texture(color: Color, texture: Texture) -> Ink {
        Ink { color, alpha: 1.0, texture, stroke: None }
    }

    pub const fn alpha(self, alpha: f64) -> Ink {
        Ink { alpha, ..self }
    }

    pub const fn round(self) -> Ink {
        match self.stroke {
            Some(stroke) => Ink { stroke: Some(Stroke { round: true, ..stroke }), ..self },
            None => self,
        }
    }
}
