//! What other settings would have done to a snapshot: the worker reads and repeats its calls.

use memplan_e2e::Page;
use memplan_planners as planner;

use crate::imports::file;
use crate::{Test, smoke};

pub const TESTS: &[Test] = &[smoke("settings_of_a_snapshot_fill_a_table_whose_rows_open_plans", table)];

const SNAPSHOT: &str = "tests/golden/data/cuda_allocator/snapshots/gpt_inference.pickle.gz";

fn table(page: &mut Page) {
    page.open("lang=en");
    page.drop_file("gpt_inference.pickle.gz", &file(SNAPSHOT));
    page.until_there("#what-if");
    page.click("#what-if");
    page.until_count("#whatif tbody tr", 12);
    page.until_gone("#whatif-left");
    page.until_attribute("#whatif-check", "data-equal", Some("true"));
    // On a card, the table is measured anew.
    page.browser.type_into(".whatif-fields input", "80 MiB\u{e007}");
    page.until_says("#whatif-verdict", &["large_segment_size_mb:12"]);
    page.until_address("card:83886080");
    page.until_count("#whatif tr[data-runs=true]", 2);
    page.until_count(".whatif-curve .stop", 1);
    // The plan of a row: the planner repeats the recorded calls with the setting.
    page.click("[data-open='large_segment_size_mb:12']");
    page.until_there("#region-stepper");
    page.until_address("large_segment_size_mb");
    let by = planner::INFOS.iter().find(|info| info.options.iter().any(|spec| spec.key == "large_segment_size_mb"));
    page.until_address(&format!("plan={}", by.expect("a planner with the setting").id));
}
