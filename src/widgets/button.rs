//! Buttons. One with an icon alone has its name for those who do not see it, and as a tooltip.

use yew::prelude::*;

use crate::widgets::icons::{Icon, glyph};

#[derive(Properties, PartialEq)]
pub struct IconButtonProps {
    pub name: AttrValue,
    pub icon: Icon,
    pub onclick: Callback<MouseEvent>,
    #[prop_or_default]
    pub id: Option<AttrValue>,
    /// Keys that do the same, as ARIA writes them.
    #[prop_or_default]
    pub keys: Option<AttrValue>,
    /// What it opens, as `aria-haspopup` has it.
    #[prop_or_default]
    pub popup: Option<AttrValue>,
    /// Whether what it opens is open.
    #[prop_or_default]
    pub expanded: Option<bool>,
    /// Whether what it switches is on.
    #[prop_or_default]
    pub pressed: Option<bool>,
    #[prop_or_default]
    pub disabled: bool,
    /// Classes besides those of all such buttons.
    #[prop_or_default]
    pub class: Classes,
}

/// A button with an icon alone.
#[component]
pub fn IconButton(props: &IconButtonProps) -> Html {
    let truth = |is_so: Option<bool>| is_so.map(|is_so| is_so.to_string());
    let IconButtonProps { name, icon, onclick, id, keys, popup, disabled, .. } = props;
    html! {
        <button type="button" class={classes!("btn", "icon-only", props.class.clone())} id={id.clone()} aria-label={name.clone()} title={name.clone()}
            aria-keyshortcuts={keys.clone()} aria-haspopup={popup.clone()} aria-expanded={truth(props.expanded)} aria-pressed={truth(props.pressed)}
            disabled={*disabled} onclick={onclick.clone()}>{ glyph(*icon) }</button>
    }
}
