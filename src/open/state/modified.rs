//! Whether the run is of settings other than the defaults.

use crate::shell::state::State;
use memplan_core::problem::Scope;
use memplan_planners as planner;

impl State {
    /// Whether an option of the planner, or what is planned at all, differs from its default. A
    /// symbol that is set to the value the graph suggests does not.
    pub fn is_modified(&self) -> bool {
        let given = self.document.options.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let options = planner::info(&self.document.planner)
            .is_some_and(|info| info.options(given).is_ok_and(|options| options.changed(info).next().is_some()));
        options || self.usual_scope() != Scope::default()
    }

    /// The scope without the symbols that have the value of the graph.
    fn usual_scope(&self) -> Scope {
        let graph = self.document.open.as_ref().and_then(|document| document.graph.as_ref());
        let mut scope = self.document.scope.clone();
        scope.symbols.retain(|name, value| {
            graph.and_then(|graph| graph.symbols.get(name)).is_none_or(|symbol| symbol.hint != *value)
        });
        scope
    }
}
