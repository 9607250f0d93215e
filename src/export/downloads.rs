use std::rc::Rc;

use yew::prelude::*;

use crate::browser::download::save_bytes;
use crate::open::state::document::Download;

/// Saves each file that the worker wrote.
#[hook]
pub fn use_downloads(download: Option<Rc<Download>>) {
    use_effect_with(download, |download| {
        if let Some(download) = download {
            save_bytes(&download.name, &download.contents);
        }
    });
}
