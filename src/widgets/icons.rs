//! Icons on a 16 px grid with a 1.5 px line, drawn for this page. They carry no meaning alone:
//! every button has a name.

use yew::prelude::*;

use memplan_core::base::Term;

macro_rules! icons {
    ($($(#[$doc:meta])* $name:ident $paths:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Icon { $($(#[$doc])* $name),* }

        impl Icon {
            fn paths(self) -> &'static str {
                match self { $(Icon::$name => $paths),* }
            }
        }
    };
}

icons! {
    Down "<path d='M4.5 6.5 8 10l3.5-3.5'/>",
    Right "<path d='M6 3.500 10.500 8 6 12.500'/>",
    First "<path d='M3.5 4v8M12.5 4l-6 4 6 4z'/>",
    PreviousBuffer "<path d='M8 4 2.500 8 8 12zM13.500 4 8 8l5.500 4z'/>",
    Previous "<path d='M10.500 4 5 8l5.500 4z'/>",
    Next "<path d='M5.500 4 11 8l-5.500 4z'/>",
    NextBuffer "<path d='m8 4 5.500 4L8 12zM2.500 4 8 8l-5.500 4z'/>",
    Last "<path d='M12.500 4v8M3.500 4l6 4-6 4z'/>",
    Play "<path class='fill' d='M5 3.500v9l7.500-4.500z'/>",
    Pause "<path d='M5.500 3.500v9M10.500 3.500v9' stroke-width='2.500'/>",
    Tree "<rect x='2' y='2.500' width='12' height='11'/><path d='M6.500 2.500v11M6.500 8H14'/>",
    Dim "<rect x='2' y='3' width='7' height='4'/><rect class='fill' x='6' y='9' width='8' height='4'/>",
    Load "<path d='M2 12.500h3v-4h3v-5h3v6h3'/>",
    Classes "<path d='M2 13.500V9l4-3.500 4 2.500 4-4v9.500z'/><path d='m2 11.500 4-2 4 1.500 4-3'/>",
    Waste "<rect x='2' y='2.500' width='12' height='11'/><path d='m2 9 6.500-6.500M2 13.500l11-11M7.500 13.500 14 7'/>",
    Slice "<path d='M5 2.500v11M8 3.500h5.500v3H8zM8 9.500h5.500v3H8z'/>",
    Reuse "<path d='M3 11.500C3 5 13 5 13 9.500m-2.500-2 2.500 2.500 2.500-2.500'/>",
    Options "<path d='M2.500 5h6M11.500 5h2M2.500 11h2M7.500 11h6'/><circle cx='10' cy='5' r='1.500'/><circle cx='6' cy='11' r='1.500'/>",
    Link "<path d='m6.500 9.500 3-3M7 4.800l1.300-1.300a3 3 0 0 1 4.200 4.200L11.200 9M9 11.200l-1.300 1.300a3 3 0 0 1-4.200-4.200L4.800 7'/>",
    Theme "<path class='fill' d='M8 2.500v11a5.500 5.500 0 0 0 0-11z'/><circle cx='8' cy='8' r='5.500'/>",
    More "<circle class='fill' cx='3.500' cy='8' r='1.200'/><circle class='fill' cx='8' cy='8' r='1.200'/><circle class='fill' cx='12.500' cy='8' r='1.200'/>",
    Close "<path d='m4 4 8 8M12 4l-8 8'/>",
    Flag "<path d='M4 14V2.500h8L9.800 5.500 12 8.500H4'/>",
    Drop "<path d='M8 2.500v7M5 6.800l3 3 3-3M2.500 10v3.500h11V10'/>",
    Panel "<rect x='2' y='2.500' width='12' height='11'/><path d='M6 2.500v11'/>",
    Graph "<circle cx='4' cy='4' r='1.800'/><circle cx='4' cy='12' r='1.800'/><circle cx='12' cy='8' r='1.800'/><path d='m5.600 4.800 4.800 2.400M5.600 11.200l4.800-2.400'/>",
    List "<path d='M5.500 4h8M5.500 8h8M5.500 12h8M2.500 4h.01M2.500 8h.01M2.500 12h.01'/>",
    Folder "<path d='M2 4.500h4l1.500 1.500H14v7H2z'/>",
    Warning "<path d='M8 2.500 14.500 13.500h-13zM8 6.500v3.500M8 11.800v.01'/>",
    Question "<circle cx='8' cy='8' r='5.500'/><path d='M6.200 6.500c0-2.400 3.600-2.400 3.600 0 0 1.400-1.800 1.500-1.800 3M8 11.300v.01'/>",
    Step "<path d='M2.500 12.500h3.500v-4h4v-4h3.500'/><path class='fill' d='m11 2.500 3 2-3 2z'/>",
    Learn "<path d='M2.500 4.500 8 2.500l5.500 2L8 6.500zM4.500 5.500v4c2 1.700 5 1.700 7 0v-4M13.500 4.500v5'/>",
    Check "<path d='m3.500 8.500 3 3 6-7'/>",
    Compare "<rect x='2' y='2.500' width='5' height='11'/><rect x='9' y='6' width='5' height='7.500'/>",
    Edit "<path d='m10.500 3 2.500 2.500-7.500 7.500H3v-2.500zM9 4.500 11.500 7'/>",
    Present "<rect x='2' y='3' width='12' height='8'/><path d='M8 11v1.500M5 14l3-2 3 2'/>",
    Undo "<path d='M6 4 2.800 7 6 10M3 7h6a3.500 3.500 0 0 1 0 7H7'/>",
    Redo "<path d='m10 4 3.200 3L10 10M13 7H7a3.500 3.500 0 0 0 0 7h2'/>",
    Add "<path d='M8 3v10M3 8h10'/>",
    Minus "<path d='M3 8h10'/>",
    Fit "<path d='M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10'/>",
    Summit "<path d='M2.500 13.500c4 0 3.500-10 5.500-10s1.500 10 5.500 10'/>",
    Swap "<path d='M2.500 6h9M9 3.500 11.500 6 9 8.500M13.500 11h-9M7 8.500 4.500 11 7 13.500'/>",
    Copy "<rect x='2.500' y='2.500' width='8' height='8'/><path d='M5.500 13.500h8v-8'/>",
    Delete "<path d='M3 4.500h10M6.500 4V2.500h3V4M4.500 4.500l.6 9h5.800l.6-9'/>",
    Up "<path d='M8 13V3.500M4.500 7 8 3.500 11.500 7'/>",
    Low "<path d='M8 3v9.500M4.500 9 8 12.500 11.500 9'/>",
    Find "<circle cx='7' cy='7' r='4.200'/><path d='m10.200 10.200 3.300 3.300'/>",
    Grip "<path d='M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01'/>",
    Eye "<path d='M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8z'/><circle cx='8' cy='8' r='2'/>",
    Bulb "<path d='M5.500 9.500A4 4 0 1 1 10.500 9.500V11h-5zM6.500 13.500h3'/>",
    Break "<circle class='fill' cx='8' cy='8' r='4'/>",
}

/// An icon beside or instead of words; hidden from screen readers.
pub fn glyph(icon: Icon) -> Html {
    Html::from_html_unchecked(AttrValue::from(format!(
        "<svg class='icon' viewBox='0 0 16 16' aria-hidden='true'>{}</svg>",
        icon.paths()
    )))
}

/// How a term is drawn on the plan, small; nothing for a term that is not drawn.
pub fn term_glyph(term: Term) -> Html {
    let paths = match term {
        Term::Buffer | Term::Allocation => "<rect class='fill' x='2' y='2' width='16' height='10'/>",
        Term::Step => "<path d='M2 11h16M4 11V7M10 11V4M16 11V7'/>",
        Term::LiveRange => "<path d='M1.5 3v8M18.500 3v8M1.500 7h17'/>",
        Term::Load => "<path class='load' d='M1 12h4V7h4V2h6v6h4'/>",
        Term::LowerBound => "<path class='bound' d='M0 7h20'/>",
        Term::Peak | Term::PeakSoFar | Term::Top => "<path class='peak' d='M0 7h20'/>",
        Term::Waste | Term::Fragmentation => "<path d='m1 12 9-10M7 12l9-10M13 12l6-6.500'/>",
        Term::Pool | Term::Arena => "<path d='M2 1.500v11h16v-11'/>",
        Term::Storage | Term::SharedObject => {
            "<rect x='2' y='1.500' width='16' height='4'/><rect x='2' y='8.500' width='16' height='4'/>"
        }
        Term::Gap | Term::Empty | Term::Slot | Term::FreeBlock => {
            "<rect class='dashed' x='2' y='2' width='16' height='10'/>"
        }
        Term::Candidate => {
            "<rect class='dashed' x='2' y='2' width='16' height='10'/><circle class='fill' cx='10' cy='7' r='2.500'/>"
        }
        Term::InPlace => {
            "<rect x='2' y='2' width='9' height='10'/><rect class='fill' x='11' y='2' width='7' height='10'/>"
        }
        Term::Tree => "<rect x='2' y='1.500' width='16' height='11'/><path d='M10 1.500v11M10 7h8'/>",
        Term::Temporal => "<rect x='2' y='1.500' width='16' height='11'/><path d='M10 1.500v11'/>",
        Term::Spatial => "<rect x='2' y='1.500' width='16' height='11'/><path d='M2 7h16'/>",
        Term::Ratio
        | Term::Optimal
        | Term::BestFound
        | Term::Placed
        | Term::LeftOut
        | Term::Offset
        | Term::Alignment
        | Term::Birth
        | Term::Dead
        | Term::State
        | Term::View
        | Term::Key
        | Term::MatchWindow
        | Term::Chunk
        | Term::Conflict => return Html::default(),
    };
    Html::from_html_unchecked(AttrValue::from(format!(
        "<svg class='glyph' viewBox='0 0 20 14' aria-hidden='true'>{paths}</svg>"
    )))
}

/// The mark of the project.
pub fn mark() -> Html {
    html! {
        <svg class="mark" viewBox="0 0 22 22" aria-hidden="true">
            <path d="M2 20V11h6v9Z" class="mark-a" />
            <path d="M2 9V3h13v6Z" class="mark-b" />
            <path d="M10 20v-9h10v9Z" class="mark-c" />
        </svg>
    }
}
