//! The definition that is shown, and what holds it open.

use memplan_core::base::Term;

/// Where a term stands in the window: left, top, width and height in px.
pub type Anchor = (f64, f64, f64, f64);

/// A definition beside its term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Shown {
    /// The term.
    pub term: Term,
    /// Number of the element that names it.
    pub owner: u32,
    /// Where that element stands.
    pub at: Anchor,
    /// It stays until it is closed.
    pub pinned: bool,
    /// The pointer rests on the definition.
    pub held: bool,
}

/// What happens to the definition that is shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Defining {
    /// Pointer or focus come to a term.
    Enter(Term, u32, Anchor),
    /// Pointer or focus leave the term of this number.
    Leave(u32),
    /// A term is pressed.
    Press(Term, u32, Anchor),
    /// The pointer comes to the definition, or leaves it.
    Hold(bool),
    /// It is closed.
    Close,
}

impl Defining {
    /// Returns what is shown afterwards.
    pub fn after(self, shown: Option<Shown>) -> Option<Shown> {
        let new = |term, owner, at, pinned| Some(Shown { term, owner, at, pinned, held: false });
        match self {
            // One that was pressed gives way to no passing pointer.
            Defining::Enter(..) if shown.is_some_and(|shown| shown.pinned) => shown,
            Defining::Enter(_, owner, _) if shown.is_some_and(|shown| shown.owner == owner) => shown,
            Defining::Enter(term, owner, at) => new(term, owner, at, false),
            Defining::Leave(owner) => shown.filter(|shown| shown.owner != owner || shown.pinned || shown.held),
            Defining::Press(_, owner, _) if shown.is_some_and(|shown| shown.owner == owner && shown.pinned) => None,
            Defining::Press(term, owner, at) => new(term, owner, at, true),
            Defining::Hold(true) => shown.map(|shown| Shown { held: true, ..shown }),
            Defining::Hold(false) => shown.filter(|shown| shown.pinned).map(|shown| Shown { held: false, ..shown }),
            Defining::Close => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Anchor = (0.0, 0.0, 10.0, 10.0);

    fn all(actions: &[Defining]) -> Option<(Term, bool)> {
        let shown = actions.iter().fold(None, |shown, action| action.after(shown));
        shown.map(|shown| (shown.term, shown.pinned))
    }

    #[test]
    fn a_definition_goes_when_the_pointer_leaves_it() {
        let enter = Defining::Enter(Term::Peak, 1, AT);
        assert_eq!(all(&[enter]), Some((Term::Peak, false)));
        assert_eq!(all(&[enter, Defining::Leave(1)]), None);
        assert_eq!(all(&[enter, Defining::Enter(Term::Load, 2, AT), Defining::Leave(1)]), Some((Term::Load, false)));
        // It stays under the pointer.
        assert_eq!(all(&[enter, Defining::Hold(true), Defining::Leave(1)]), Some((Term::Peak, false)));
        assert_eq!(all(&[enter, Defining::Hold(true), Defining::Leave(1), Defining::Hold(false)]), None);
        assert_eq!(all(&[enter, Defining::Close]), None);
    }

    #[test]
    fn a_press_pins_and_the_next_one_closes() {
        let press = Defining::Press(Term::Peak, 1, AT);
        assert_eq!(all(&[press, Defining::Leave(1)]), Some((Term::Peak, true)));
        assert_eq!(all(&[press, press]), None);
        // A tap focuses the term first.
        assert_eq!(all(&[Defining::Enter(Term::Peak, 1, AT), press]), Some((Term::Peak, true)));
        assert_eq!(all(&[press, Defining::Enter(Term::Load, 2, AT)]), Some((Term::Peak, true)));
        assert_eq!(all(&[press, Defining::Press(Term::Load, 2, AT)]), Some((Term::Load, true)));
        assert_eq!(all(&[press, Defining::Hold(true), Defining::Hold(false)]), Some((Term::Peak, true)));
        assert_eq!(all(&[press, Defining::Close]), None);
    }
}
