//! Keys of the locale files that are computed. All others stand in the source as they are;
//! `tests/native/words.rs` finds both, so no sentence is missing and none is left over.

/// Keys that differ only in names: a pattern with a `*` in the place of each name, and the names
/// where they are a fixed few.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Family {
    /// The keys, with `*` in place of each name.
    pub pattern: &'static str,
    /// Separated by blanks; empty where the names are those of a register, such as the planners.
    pub names: &'static str,
}

macro_rules! families {
    ($($(#[$doc:meta])* $name:ident = $pattern:literal, $names:literal;)*) => {
        impl Family {
            $(#[doc = concat!("The keys `", $pattern, "`.")] $(#[$doc])* pub const $name: Family = Family { pattern: $pattern, names: $names };)*
            /// All families.
            pub const ALL: &[Family] = &[$(Family::$name),*];
        }
    };
}

families! {
    COLOR_BY = "color-by.*", "kind op size life pool device reuse peak";
    COMPARE_ACT = "compare.*", "make-reference left right open remove";
    COMPARE_CAUSES = "compare.causes.*", "load top cursor";
    COMPARE_CAUSES_IS = "compare.causes.*.is", "load top cursor";
    COMPARE_CHART = "compare.chart.*", "memory peaks sizes lifetimes growth";
    COMPARE_KIND = "compare.kind.*", "compare diff whatif";
    COMPARE_SHEET = "compare.sheet.*", "columns ranking sweep graphs charts whatif";
    COMPARE_SWITCH = "compare.*", "live differences same-scale fit-each turned broken";
    COMPARE_SYNC = "compare.sync.*", "buffer frame fraction own";
    COMPARE_SYNC_IS = "compare.sync.*.is", "buffer frame fraction own";
    EXPORT_IS = "export.*.is", "graph plan csv csv-times trace trace-by-step graph-executor frames node-data metrics-csv metrics-markdown \
        tflite pte onnx svg svg-compare png png-compare picture picture-compare print link html program";
    DIFF_GROUP = "diff.group.*", "entered left size lifetime elsewhere same";
    /// The definition of a term, and its name.
    DEFINE = "define.*",
        "buffer step live-range load bound peak peak-so-far waste ratio optimal best-found placed \
        left-out offset pool arena storage shared-object gap fragmentation top alignment candidate in-place \
        birth dead tree temporal spatial allocation empty slot state free-block view \
        key match-window chunk conflict";
    DEFINE_NAME = "define.*.name",
        "buffer step live-range load bound peak peak-so-far waste ratio optimal best-found placed \
        left-out offset pool arena storage shared-object gap fragmentation top alignment candidate in-place \
        birth dead tree temporal spatial allocation empty slot state free-block view \
        key match-window chunk conflict";
    EDITOR_PART = "editor.*", "nodes tensors symbols diagram history";
    EDITOR_TEMPLATE = "editor.template.*", "empty chain diamond residual attention unet";
    FIGURE = "figure.*", "";
    FIGURE_IS = "figure.*.is", "";
    FILE_GROUP = "files.group.*", "tiny networks training";
    /// A page on a planner: its id, then the part of the page.
    HOW = "how.*.*", "";
    KIND = "kind.*", "input weight intermediate output activation gradient temporary";
    /// The page `www/league.html`, whose script says them.
    LEAGUE = "league.*",
        "above add add-files add-instances add-lead add-name added added-broken added-part alive \
        all-settled back best bound broken broken-page buffers buffers-are by-bound by-search cell \
        check check-all check-where checked checked-left checked-took checked-wrong checking command \
        differs fetching how instance instances is-behind is-best is-instance is-part lead license mean \
        mean-is missing no-plan no-rank not-valid open open-plan part peak placed planner proof proved \
        ran ran-load rank set-network set-tiling set-training settled smallest source table time \
        time-cpu time-wall to-source to-table unfetched unknown unread valid valid-took";
    LEVEL = "level.*", "all decisions outcomes";
    MODE = "mode.*", "step edit compare fit learn";
    FIT_LEVER = "fit.lever.*", "planner order inplace views bank spill recompute stripes";
    FIT_RULE = "fit.rule.*", "planner order inplace views bank spill recompute stripes";
    FIT_LEGAL = "fit.legal.*", "order inplace views bank spill recompute stripes";
    FIT_CANNOT = "fit.cannot.*", "planner order inplace views bank spill recompute stripes";
    NOTE = "note.*", "";
    OPTION = "option.*", "";
    /// An option that means something else to one planner: the planner's id, then the option.
    OPTION_OF = "option.*.*", "";
    PANEL_COLUMN = "panel.column.*",
        "algorithm align answer arena attempt became best best-peak bottleneck bound breadth buffer bytes \
        candidates canonical capacity change chunk classes color conflicts cost counter depth device dominated \
        donor dtype end figure file-step final flow-cost free-blocks free-bytes free-from from-size generation \
        highest-end holds in-use kept length limit line live load load-before members names new-buffer node \
        nodes number object offset old-buffer oldest-first overlaps position pushed range reached reads \
        references rests-on runs-first score section segment served shape share size sizes stack start-peak \
        state step storage successors swapped then ticks total turn value views visited way winner word worst";
    PANEL_PAIR = "panel.pair.*", "";
    PANEL_SECTION = "panel.*",
        "arenas attempt-chain attempts banks block-list cache-counters chunks class-lists climbs colors counts \
        dependencies devices flow free-blocks free-buffers generations lanes lines list node-order objects \
        open-slots order pairs parallelism push-rounds questions reuse-pool ruler runtime search segments \
        size-classes storages suite swaps tokens tree tries waiting-load waiting-peak ways";
    PICTURE_PART = "picture.part.*", "title frame legend why link";
    PICTURE_SIZE = "picture.for.*", "slide page column";
    PLANNER_ABOUT = "planner.*.about", "";
    PLANNER_CONVENTION = "planner.*.convention", "";
    PLANNER_GROUP = "picker.group.*", "today classic search historical reference";
    PLANNER_SYSTEM = "planner.*.system", "";
    PLANNER_VARIANT = "planner.*.variant", "";
    /// The rule behind an outcome: a planner or a family of planners, then the outcome.
    RULE = "rule.*.*", "";
    SPECIAL = "special.*", "nnvm-assign nnvm-ignored-read tvm-relay-devices tvm-relay-texture";
    TAB = "tab.*", "start peak files graph buffers why code state selection";
    TEACH_FIGURE = "teach.figure-*", "load bound offset peak waste";
    TEACH_HIDE = "teach.hide-*", "bound curve peak";
    WANTED = "wanted.*", "grow pool fresh reject selection address step node";
    /// What happened: a planner or a family of planners, then the outcome.
    WHY = "why.*.*", "";
}

impl Family {
    /// The key with `names` in the places of the stars.
    pub fn of<const N: usize>(self, names: [&str; N]) -> String {
        debug_assert_eq!(self.pattern.matches('*').count(), N, "{}", self.pattern);
        let is_known = |name: &&str| self.names.is_empty() || self.names.split(' ').any(|known| known == *name);
        debug_assert!(names.iter().all(is_known), "{names:?} of {}", self.pattern);
        let mut parts = self.pattern.split('*');
        let mut key = parts.next().unwrap_or_default().to_string();
        for (name, part) in names.into_iter().zip(parts) {
            key.push_str(name);
            key.push_str(part);
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_take_the_places_of_the_stars() {
        assert_eq!(Family::TAB.of(["why"]), "tab.why");
        assert_eq!(Family::FIGURE_IS.of(["peak"]), "figure.peak.is");
        assert_eq!(Family::RULE.of(["first-fit", "order"]), "rule.first-fit.order");
    }
}
