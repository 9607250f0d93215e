//! A part of the page that is drawn a task after what stands around it: everything in one task
//! would hold up the page.

use yew::prelude::*;

use gloo_timers::callback::Timeout;

#[derive(Properties, PartialEq)]
pub struct LateProps {
    /// What stands there in the task before.
    #[prop_or_default]
    pub before: Html,
    pub children: Html,
}

#[component]
pub fn Late(props: &LateProps) -> Html {
    // Natively there is one task, and no other comes.
    let is_due = use_state_eq(|| cfg!(not(target_arch = "wasm32")));
    let set = is_due.setter();
    use_effect_with((), move |()| {
        let waits = Timeout::new(0, move || set.set(true));
        move || drop(waits)
    });
    if *is_due { props.children.clone() } else { props.before.clone() }
}
