//! A row of a list that is drawn anew only when it shows something else: after a step, most rows
//! show what they showed.

use std::rc::Rc;

use yew::prelude::*;

/// A list whose rows are kept while they show the same.
#[derive(Clone)]
pub struct Kept {
    /// Stands for what all rows are made of. Another one draws them all.
    pub of: Rc<()>,
    /// All that may change of row `index` while that stays.
    pub look: Callback<usize, u64>,
    /// Draws row `index` with this look. A row keeps it, and whatever it holds.
    pub row: Callback<(usize, u64), Html>,
}

impl PartialEq for Kept {
    fn eq(&self, other: &Kept) -> bool {
        Rc::ptr_eq(&self.of, &other.of) && (&self.look, &self.row) == (&other.look, &other.row)
    }
}

#[derive(Properties)]
pub struct KeptRowProps {
    pub index: usize,
    pub of: Rc<()>,
    pub look: u64,
    pub row: Callback<(usize, u64), Html>,
}

impl PartialEq for KeptRowProps {
    /// The callback is another one whenever the list is drawn, and draws the same.
    fn eq(&self, other: &KeptRowProps) -> bool {
        (self.index, self.look) == (other.index, other.look) && Rc::ptr_eq(&self.of, &other.of)
    }
}

#[component]
pub fn KeptRow(props: &KeptRowProps) -> Html {
    props.row.emit((props.index, props.look))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn props(index: usize, of: &Rc<()>, look: u64) -> KeptRowProps {
        KeptRowProps { index, of: of.clone(), look, row: Callback::from(|_| Html::default()) }
    }

    #[test]
    fn a_row_is_drawn_anew_only_when_it_shows_something_else() {
        let of = Rc::new(());
        assert!(props(3, &of, 1) == props(3, &of, 1), "the callback is another one");
        assert!(props(3, &of, 1) != props(3, &of, 2));
        assert!(props(3, &of, 1) != props(4, &of, 1));
        assert!(props(3, &of, 1) != props(3, &Rc::new(()), 1), "another list");
    }
}
