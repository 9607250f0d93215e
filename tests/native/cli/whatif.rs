//! `memplan whatif`: a recorded program under other settings. The figures of the snapshot were
//! worked out by a second implementation of the allocator.

use super::*;

const SNAPSHOT: &str = "tests/golden/data/cuda_allocator/snapshots/gpt_inference.pickle.gz";

const MIB: u64 = 1 << 20;

#[test]
fn settings_are_compared_on_a_card() {
    let record = json(&fine(&["whatif", SNAPSHOT, "--card", "80MiB", "--json"]));
    let rows = record["rows"].as_array().expect("rows");
    let figures = |settings: &str| {
        let row = rows.iter().find(|row| row["settings"] == settings).unwrap_or_else(|| panic!("{settings}"));
        let mib = |key: &str| row[key].as_u64().map(|bytes| bytes / MIB);
        (mib("reserved_peak"), row["cudamalloc_calls"].as_u64(), mib("smallest_card"), row["on_card"]["runs"] == true)
    };
    let row = |reserved, calls, smallest, runs| (Some(reserved), Some(calls), Some(smallest), runs);
    assert_eq!(figures(""), row(112, 10, 84, false));
    assert_eq!(figures("large_segment_size_mb:12"), row(120, 12, 72, true));
    assert_eq!(figures("large_segment_size_mb:12,expandable_segments:True"), row(84, 12, 70, true));
    assert_eq!(figures("expandable_segments:True"), row(92, 10, 90, false));
    assert_eq!(figures("roundup_power2_divisions:8"), row(114, 10, 86, false));
    assert_eq!(figures("max_split_size_mb:20"), row(412, 25, 84, false));
    assert_eq!(record["cheapest"], "large_segment_size_mb:12");
    assert_eq!((&record["check"]["equal"], &record["recorded_card"]), (&true.into(), &Value::Null));
    let stop = &rows[0]["on_card"]["out_of_memory"];
    assert_eq!((stop["segment"].as_u64(), stop["recorded"].as_bool()), (Some(34 * MIB), Some(false)));
    assert_eq!((stop["free"].as_u64(), stop["reserved"].as_u64()), (Some(30 * MIB), Some(50 * MIB)));
    assert_eq!(stop["given_back"], 26 * MIB);
}

#[test]
fn the_table_states_the_verdict_the_arithmetic_and_what_is_not_recorded() {
    let text = fine(&["whatif", SNAPSHOT, "--card", "80MiB"]).replace('\u{202f}', " ");
    for words in [
        "The cheapest change that avoids it: large_segment_size_mb:12 (72 MiB are enough).",
        "The card has 30 MiB left; 50 MiB are reserved.",
        "With unchanged settings, the replay is the recording",
        "A snapshot does not name its version of PyTorch",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let lines = fine(&["whatif", "tests/golden/data/cuda_allocator/snapshots/plain.pickle.gz", "--card", "8GiB"]);
    assert!(lines.contains("train.py:"), "the peak is told by line of the program\n{lines}");
    let own = fine(&["whatif", SNAPSHOT, "--settings", "max_split_size_mb:5"]).replace('\u{202f}', " ");
    assert!(own.contains("PyTorch 2.15 does not take the setting max_split_size_mb"), "{own}");
}

#[test]
fn what_records_no_calls_is_refused() {
    for arguments in [
        vec!["whatif", "www/graphs/teaching.json"],
        vec!["whatif", SNAPSHOT, "--card", "much"],
        vec!["whatif", SNAPSHOT, "--device", "7"],
        vec!["whatif", SNAPSHOT, "--torch", "new"],
    ] {
        assert_eq!(code(&memplan(&arguments)), 2, "{arguments:?}");
    }
}
