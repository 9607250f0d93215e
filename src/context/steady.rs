//! Parts of the page that show nothing of where the reader stands in the run: a step draws them as
//! little as it changes them.

use yew::prelude::*;

use crate::context::Page;

#[derive(Properties)]
pub struct SteadyProps {
    pub page: Page,
    /// Draws the part. It asks neither for the frame nor for what else a step changes.
    pub draw: fn(&Page) -> Html,
}

impl PartialEq for SteadyProps {
    /// Equal while nothing but the place in the run has changed.
    fn eq(&self, other: &SteadyProps) -> bool {
        std::ptr::fn_addr_eq(self.draw, other.draw) && self.page.same_beside_place(&other.page)
    }
}

#[component]
pub fn Steady(props: &SteadyProps) -> Html {
    (props.draw)(&props.page)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::shell::state::State;
    use crate::shell::state::action::{Action, Motion, SettingsAction, StepAction};
    use crate::testing::{opened, page_of};
    use memplan_core::text::Locale;

    fn nothing(_: &Page) -> Html {
        Html::default()
    }

    fn props(state: &State) -> SteadyProps {
        SteadyProps { page: page_of(Rc::new(state.clone())), draw: nothing }
    }

    #[test]
    fn a_step_leaves_a_steady_part_as_it_is() {
        let first = opened().reduce(Action::Step(StepAction::Move(Motion::First)));
        let next = first.reduce(Action::Step(StepAction::Move(Motion::Next)));
        assert!(first != next && props(&first) == props(&next));
        let selected = next.reduce(Action::Step(StepAction::Select(None)));
        assert!(props(&next) == props(&selected));
    }

    #[test]
    fn what_else_changes_draws_it_anew() {
        let first = opened();
        let other = first.reduce(Action::Settings(SettingsAction::Locale(Locale::Zh)));
        assert!(props(&first) != props(&other));
        let other = SteadyProps { page: Page { magnified: 2.0, ..page_of(Rc::new(first.clone())) }, draw: nothing };
        assert!(props(&first) != other);
    }
}
