//! Games: packed by pointer and by keyboard, sent as links, broken, ordered, found; in both
//! languages and at every width.

use std::fs;

use memplan_e2e::Page;
use memplan_e2e::axe::Axe;

use serde_json::Value;

use crate::exports::catch;
use crate::layout::too_wide;
use crate::{Test, full, measure, smoke};

pub const TESTS: &[Test] = &[
    smoke("nine_blocks_are_packed_by_keyboard", by_keyboard),
    smoke("a_block_is_dragged_and_its_blocker_named", dragged),
    full("a_planners_plan_is_shown_as_long_as_a_button_is_held", held),
    full("forty_blocks_are_placed_by_pointer_and_keys", forty_placed),
    measure("forty_blocks_are_dragged", drag_speed),
    full("a_link_carries_the_plan_and_a_challenge_does_not", links),
    full("the_open_document_is_a_game_in_two_clicks", of_document),
    full("blocks_of_tetris_stay", tetris),
    full("a_planner_is_broken", broken),
    full("a_board_is_changed_by_keyboard_on_the_plan", board_by_keyboard),
    full("boards_are_exchanged_as_a_file", boards_as_file),
    full("operators_are_ordered", ordered),
    full("buffers_are_put_into_the_order_of_placement_by_keyboard", placed_in_order),
    full("a_fault_is_found", debugged),
    smoke("a_student_packs_and_hands_in", student),
    full("games_are_on_the_index_with_the_best_result", index),
    full("axe_finds_nothing_in_games", axe),
    full("games_fit_every_width", widths),
];

/// Every game, ready to be played.
const GAMES: [&str; 6] = [
    "pack=ex:learn/nine-blocks&p=160.0.224",
    "tetris=seed:7.1",
    "break=first-fit",
    "order=seed:7.1",
    "order=ex:learn/nine-blocks",
    "debug=seed:7.1",
];

const NINE: [(&str, &str); 9] = [
    ("B", "0"),
    ("A", "163840"),
    ("C", "229376"),
    ("E", "0"),
    ("F", "163840"),
    ("G", "229376"),
    ("D", "327680"),
    ("H", "0"),
    ("I", "196608"),
];

/// No dialog can be answered here: the input that the page makes is put into the document instead
/// of being clicked.
const TAKE: &str =
    "HTMLInputElement.prototype.click = function () { this.id = 'picked'; document.body.append(this); };";

fn open(page: &mut Page, game: &str, more: &str) {
    page.visit("", &format!("{game}&{more}"));
    page.until_there("#game-said");
}

/// Whether each goal has its sign beside its words.
const BESIDE: &str = "[...document.querySelectorAll('.marks li')].every(goal => { \
    const sign = goal.querySelector('svg, .open').getBoundingClientRect(); \
    const words = goal.querySelector('span:not(.open):not(.visually-hidden)').getBoundingClientRect(); \
    return sign.right <= words.left && words.top < sign.bottom && sign.top < words.bottom; })";

fn peak(page: &Page) -> String {
    page.attribute("#game-plan", "data-peak").unwrap_or_default()
}

fn by_keyboard(page: &mut Page) {
    open(page, "pack=ex:learn/nine-blocks", "lang=en");
    assert!(page.eval::<bool>(BESIDE), "signs of what is open");
    for (name, at) in NINE {
        let block = format!("[data-block='{name}']");
        page.eval::<()>(&format!("document.querySelector(\"{block}\").focus()"));
        for _ in 0..12 {
            page.press("ArrowUp");
            page.until(
                "the block is somewhere",
                &format!("document.querySelector(\"{block}\").dataset.at !== undefined"),
            );
            if page.attribute(&block, "data-at").as_deref() == Some(at) {
                break;
            }
        }
        page.until_attribute(&block, "data-at", Some(at));
        page.press("Enter");
    }
    page.until_count(".marks [data-reached='true']", 3);
    assert!(page.eval::<bool>(BESIDE), "signs of what is reached");
    assert_eq!(peak(page), "393216");
    page.until_says("#game-said", &["384", "lower bound", "Next"]);
    page.press("Backspace");
    page.until_says("[data-block='I']", &["waits"]);
    page.press("Control+z");
    page.until_attribute("[data-block='I']", "data-at", Some("196608"));
    page.clear_clipboard();
    page.click("#game-copy");
    assert!(page.until_copied().contains("384"));
}

fn dragged(page: &mut Page) {
    open(page, "pack=ex:learn/nine-blocks&p=160.0.224.320.0.160.224.0.-", "lang=en");
    page.until_attribute("#game-plan", "data-peak", Some("393216"));
    // The only block that waits is in the lane, above its steps: [6, 8) of 8.
    let (left, top, width, height) = page.place("#game-plan");
    let lane = (left + width * 0.8, top + height - 64.0);
    page.browser.drag(&[lane, (lane.0, lane.1 - 20.0), (lane.0, top + height * 0.65)]);
    page.until_there("[data-block='I'][data-at]");
    assert_eq!(page.attribute("[data-block='I']", "data-at").as_deref(), Some("196608"), "{}", page.text("#game-said"));
    page.until_count(".marks [data-reached='true']", 3);
    page.click("#game-undo");
    page.until_gone("[data-block='I'][data-at]");
    page.click("#game-redo");
    page.until_there("[data-block='I'][data-at]");
}

/// A planner's plan is there as long as the button is held, by pointer and by keyboard, and counts
/// as help.
fn held(page: &mut Page) {
    open(page, "pack=ex:learn/nine-blocks&p=160.0.224", "lang=en");
    page.until_there("#game-show");
    let fire = |page: &Page, event: &str| {
        page.eval::<()>(&format!("(document.querySelector('#game-show').dispatchEvent({event}), undefined)"))
    };
    let key = |kind: &str, key: &str| {
        format!("new KeyboardEvent('{kind}', {{key: '{key}', bubbles: true, cancelable: true}})")
    };
    for (down, up) in [
        (
            "new PointerEvent('pointerdown', {bubbles: true})".to_string(),
            "new PointerEvent('lostpointercapture', {bubbles: true})".to_string(),
        ),
        (key("keydown", " "), key("keyup", " ")),
        (key("keydown", "Enter"), key("keyup", "Enter")),
    ] {
        fire(page, &down);
        page.until_there("#game-plan[data-ghost]");
        page.until_says("#game-said", &["Dashed"]);
        assert_eq!(page.count(".blocks [data-at]"), 3, "one's own plan stays");
        fire(page, &up);
        page.until_gone("#game-plan[data-ghost]");
    }
    // What is packed now is nobody's own result.
    for (name, _) in NINE.into_iter().skip(3) {
        page.click(&format!("[data-block='{name}']"));
        page.until_there(&format!("[data-block='{name}'][data-at]"));
    }
    page.click("#game-drop");
    page.until_count(".blocks [data-at]", 9);
    assert!(!page.is_there("#game-best"));
}

/// Forty blocks, of which up to ten live together.
fn forty(page: &mut Page) {
    let row = |at: u32| format!("b{at},{at},{},{}\n", at + 2 + at % 9, 1024 * (1 + at % 7));
    let csv = format!("id,lower,upper,size\n{}", (0..40).map(row).collect::<String>());
    page.open("lang=en");
    page.drop_file("forty.csv", csv.as_bytes());
    page.until("the file", "document.querySelector('h1').textContent.includes('forty')");
    page.until_planned();
    page.click("#more-button");
    page.click_named("As an exercise: pack these buffers");
    page.until_count(".blocks [data-block]", 40);
}

/// All of them are placed by keys in the list; the first ones also by the pointer, from the lane.
fn forty_placed(page: &mut Page) {
    forty(page);
    let (left, top, width, height) = page.place("#game-plan");
    // The first block lives at the first steps, in the first row of the lane: its place is found
    // from below.
    let tries = (0..30).map(|at| top + height - 8.0 - 6.0 * f64::from(at));
    for y in tries.rev() {
        page.browser.drag(&[
            (left + width * 0.075, y),
            (left + width * 0.075, y - 30.0),
            (left + width * 0.075, top + height * 0.4),
        ]);
        if page.is_there(".blocks [data-at]") {
            break;
        }
    }
    page.until_count(".blocks [data-at]", 1);
    page.eval::<()>("document.querySelector('.blocks [data-block]:not([data-at])').focus()");
    for placed in 2..=40 {
        page.press("ArrowUp");
        page.press("Enter");
        page.until_count(".blocks [data-at]", placed);
        if placed < 40 {
            page.eval::<()>("document.querySelector('.blocks [data-block]:not([data-at])').focus()");
        }
    }
    page.until(
        "a result",
        "/of 3|no plan is smaller|smallest peak/.test(document.querySelector('#game-said').textContent)",
    );
}

/// A block is moved once a frame for ten seconds, among forty.
const MOVE: &str = "(() => {
    const plan = document.querySelector('#game-plan'), box = plan.getBoundingClientRect(), gaps = [];
    const fire = (kind, y) => plan.dispatchEvent(new PointerEvent(kind,
        {clientX: box.left + box.width * at, clientY: box.top + box.height * y, bubbles: true, pointerId: 1}));
    const at = 0.5; let last, number = 0;
    fire('pointerdown', 0.66);
    const move = now => {
        if (last !== undefined) gaps.push(now - last);
        last = now;
        fire('pointermove', 0.35 + 0.25 * Math.cos(number++ / 20));
        if (number < 600) requestAnimationFrame(move);
        else { fire('pointerup', 0.35); window.gaps = gaps.slice(20).sort((a, b) => a - b); }
    };
    requestAnimationFrame(move);
})()";

fn drag_speed(page: &mut Page) {
    page.viewport((1440, 900));
    forty(page);
    for placed in 1..=40 {
        page.click(".blocks [data-block]:not([data-at])");
        page.until_count(".blocks [data-at]", placed);
    }
    page.click("#game-drop");
    let before = page.attribute("#game-plan", "data-places");
    page.eval::<()>(&format!("({MOVE}, undefined)"));
    page.until("the end", "window.gaps !== undefined");
    let gaps: Vec<f64> = page.eval("window.gaps");
    assert_ne!(page.attribute("#game-plan", "data-places"), before, "a block was moved");
    let at = |share: f64| gaps[((gaps.len() - 1) as f64 * share) as usize];
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    println!(
        "dragging among 40 blocks at 1440 x 900: {:.0} frames a second, median {:.1} ms, 95 of 100 within {:.1} ms, longest {:.1} ms",
        1000.0 / mean,
        at(0.5),
        at(0.95),
        at(1.0)
    );
}

fn links(page: &mut Page) {
    open(page, "pack=ex:learn/nine-blocks", "lang=en");
    page.click("[data-block='B']");
    page.until_attribute("[data-block='B']", "data-at", Some("0"));
    page.click("#game-drop");
    page.until_address("p=-.0.-");
    let here = page.fragment();
    open(page, here.trim_start_matches('#'), "");
    page.until_attribute("[data-block='B']", "data-at", Some("0"));
    page.clear_clipboard();
    page.click("#game-challenge");
    let sent = page.until_copied();
    assert!(sent.contains("#pack=ex:learn/nine-blocks") && !sent.contains("p="), "{sent}");
    open(page, "pack=ex:learn/nine-blocks&par=416", "lang=en");
    page.until_says("#game-par", &["416"]);
    page.forgive_console();
    page.visit("", "pack=ex:nothing&lang=en");
    page.until_says(".refused", &["nothing"]);
}

fn of_document(page: &mut Page) {
    page.open("doc=ex:teaching&plan=first-fit&lang=en");
    page.until_planned();
    page.click("#more-button");
    page.click_named("As an exercise: pack these buffers");
    page.until_count(".blocks [data-block]", 8);
    page.until_address("pack=ex:teaching");
    page.until_attribute("#game-proof", "data-proved", Some("true"));
    page.mode("step");
    page.until_planned();
}

fn tetris(page: &mut Page) {
    open(page, "tetris=seed:7.1", "lang=en");
    let all = page.count(".blocks [data-block]");
    for placed in 1..=all {
        page.click("#game-up");
        page.until_there("#game-drop:not([disabled])");
        page.click("#game-drop");
        page.until_count(".blocks [data-block][data-at]", placed);
    }
    assert!(!page.is_there("#game-undo"));
    page.until(
        "a result",
        "/of 3|no plan is smaller|smallest peak/.test(document.querySelector('#game-said').textContent)",
    );
}

fn broken(page: &mut Page) {
    open(page, "break=first-fit&b=A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3&beat=1.50", "lang=en");
    page.until_attribute("#game-ratio", "data-ratio", Some("1.71×"));
    page.until_says("#game-par", &["1.50"]);
    page.until_count("[data-try]", 1);
    let size = "[data-cell='0.game.kib']";
    page.eval::<()>(&format!("document.querySelector(\"{size}\").select()"));
    page.browser.type_into(size, "96");
    page.press("Tab");
    page.until_attribute("#game-ratio", "data-ratio", Some("1.00×"));
    page.click("#game-undo");
    page.until_attribute("#game-ratio", "data-ratio", Some("1.71×"));
    page.click("#game-redo");
    page.until_attribute("#game-ratio", "data-ratio", Some("1.00×"));
    page.click("#game-undo");
    page.until_attribute("#game-ratio", "data-ratio", Some("1.71×"));
    page.until_says("#break-worst", &["The worst we know"]);
    page.click("#break-show");
    page.until("the worst", "parseFloat(document.querySelector('#game-ratio').dataset.ratio) > 2");
    page.until_count("[data-try]", 1);
    // What is kept is there after a reload.
    open(page, "break=first-fit", "lang=en");
    page.until_count("[data-try] .pic svg", 1);
    page.click("[data-try]");
    page.until_attribute("#game-ratio", "data-ratio", Some("1.71×"));
}

fn board_by_keyboard(page: &mut Page) {
    open(page, "break=first-fit&b=A.80.0.1_B.16.0.3", "lang=en");
    let board = |page: &Page| page.attribute("#game-plan", "data-places").unwrap_or_default();
    let until = |page: &mut Page, wanted: &str| page.until_equal("the board", wanted.to_string(), board);
    until(page, "A.80.0.1_B.16.0.3");
    page.eval::<()>("document.querySelector('#game-plan').focus()");
    page.press("PageDown");
    page.until_says("#board-box", &["A", "80 KiB"]);
    page.press("ArrowUp");
    until(page, "A.81.0.1_B.16.0.3");
    page.press("ArrowRight");
    until(page, "A.81.0.2_B.16.0.3");
    page.press("Shift+ArrowRight");
    until(page, "A.81.1.2_B.16.0.3");
    page.press("Enter");
    until(page, "A.81.1.2_B.16.0.3_C.32.1.3");
    page.press("Delete");
    until(page, "A.81.1.2_B.16.0.3");
    page.press("Control+z");
    until(page, "A.81.1.2_B.16.0.3_C.32.1.3");
    page.press("Control+Shift+z");
    until(page, "A.81.1.2_B.16.0.3");
}

fn boards_as_file(page: &mut Page) {
    open(page, "break=first-fit&b=A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3", "lang=en");
    page.until_count("[data-try]", 1);
    catch(page);
    page.browser.script::<Value>(TAKE, Vec::new());
    page.click("#tries-export");
    page.until("the file", "window.saved.length === 1");
    let (name, text): (String, String) = page.eval("window.saved[0]");
    assert!(name == "break-first-fit.json" && text.contains("A.80.0.1_B.16.0.3_C.96.1.2_D.96.2.3"), "{name}: {text}");
    // A board that is deleted comes back from the file.
    page.click("[data-try] + button");
    page.until_gone("[data-try]");
    page.click("#tries-open");
    pick(page, "boards", &text);
    page.until_says("#game-said", &["1 board"]);
    page.until_says("[data-try]", &["1.71", "from a file"]);
    page.until_there("[data-try] .pic svg");
    page.click("#tries-open");
    pick(page, "graph", "{}");
    page.until_says("#game-said", &["no boards of Break"]);
}

/// Chooses a file with a text in the dialog of the browser, of which the input was put into the
/// page by `TAKE`.
fn pick(page: &mut Page, name: &str, text: &str) {
    let folder = std::env::temp_dir().join("memplan-e2e");
    fs::create_dir_all(&folder).expect("the folder for temporary files is writable");
    let file = folder.join(format!("{name}-{}.json", std::process::id()));
    fs::write(&file, text).expect("the folder for temporary files is writable");
    page.until_there("#picked");
    page.browser.type_into("#picked", &file.to_string_lossy());
    // The page reads the file when it needs it, so that the file stays.
    page.eval::<()>("document.querySelector('#picked').remove()");
}

fn ordered(page: &mut Page) {
    open(page, "order=seed:7.1", "lang=en");
    let load = |page: &Page| page.attribute("[data-own-load]", "data-own-load").unwrap_or_default();
    let before = load(page);
    page.click("#game-hint");
    page.until_says("#game-said", &["largest load"]);
    // The last operator cannot run first: who is needed is named.
    let rows = page.count(".ordering li");
    for at in (1..rows).rev() {
        page.click(&format!(".ordering li:nth-child({}) button", at + 1));
    }
    page.until("something is said", "document.querySelector('#game-said').textContent.length > 10");
    let names = |page: &Page| -> String {
        page.eval("[...document.querySelectorAll('.ordering li')].map(row => row.textContent).join('|')")
    };
    page.click("#game-clear");
    page.until_equal("the order as written", before.clone(), load);
    let written = names(page);
    // One operator that may run later is moved, and moved back.
    let movable = (2..=rows).find(|row| {
        page.click(&format!(".ordering li:nth-child({row}) button"));
        page.until_painted();
        names(page) != written
    });
    let movable = movable.expect("an operator of the game can be moved");
    let moved = names(page);
    page.click("#game-undo");
    page.until_equal("the order before the move", written.clone(), names);
    page.click("#game-redo");
    page.until_equal("the order after the move", moved.clone(), names);
    page.click("#game-clear");
    page.until_equal("the order as written again", written.clone(), names);
    // The same by its grip.
    let grip = |row: usize| page.middle(&format!(".ordering li:nth-child({row}) .grip"));
    page.browser.drag(&[grip(movable), grip(movable - 1)]);
    page.until_equal("the order after the drag", moved, names);
    page.click("#game-clear");
    page.until_equal("the order without the drag", written, names);
    page.until_equal("its load", before, load);
    page.click("#game-hint");
    page.until_says("#game-said", &["begins with"]);
}

fn placed_in_order(page: &mut Page) {
    for lang in ["en", "zh"] {
        open(page, "order=ex:learn/pin", &format!("lang={lang}"));
        let peak = |page: &Page| page.attribute("[data-own-load]", "data-own-load").unwrap_or_default();
        page.until_equal("the peak in the order of the file", (192 << 10).to_string(), peak);
        page.until_says("#game-bound", &["112"]);
        page.until_count(".marks [data-reached=false]", 2);
        // The small buffer that lives long is placed last: it lies on top, and in nobody's way.
        page.eval::<()>("document.querySelector(\"li[data-operator='B'] button:nth-of-type(2)\").focus()");
        for below in ["C", "D"] {
            page.press("Alt+ArrowDown");
            page.until_there(&format!("li[data-operator='{below}'] + li[data-operator='B']"));
            page.until("the row keeps the focus", "document.activeElement.closest('li')?.dataset.operator === 'B'");
        }
        page.until_equal("the least peak", (112 << 10).to_string(), peak);
        page.until_count(".marks [data-reached=true]", 2);
        page.until_address("p=0.2.3.1");
    }
}

fn debugged(page: &mut Page) {
    open(page, "debug=seed:7.1", "lang=en");
    page.click(".blocks [data-block]");
    page.click("#game-check");
    page.until_there("#game-said[data-over='false']");
    page.until("a verdict", "/take|breaks no rule/.test(document.querySelector('#game-said').textContent)");
    page.click("#game-hint");
    page.click("#game-hint");
    page.until_there("#game-said[data-over='true']");
    page.until_there(".marks [data-reached='false']");
}

fn student(page: &mut Page) {
    page.visit("", "exercise=1&doc=ex:learn/pin&plan=first-fit&kind=pack&pass=1&of=3&id=p1&lang=en");
    page.until_there("#exercise-name");
    page.browser.type_into("#exercise-name", "Ann");
    page.click("#exercise-begin");
    page.until_count(".blocks [data-block]", 4);
    assert!(!page.is_there("#game-plans"), "planners’ plans are not shown");
    for name in ["A", "B", "C", "D"] {
        page.click(&format!("[data-block='{name}']"));
        page.until_there(&format!("[data-block='{name}'][data-at]"));
        page.click("#game-drop");
    }
    page.click("#predict-next");
    page.until_says("#exercise-code", &["Ann", "MP1-"]);
}

fn index(page: &mut Page) {
    open(page, "pack=ex:learn/nine-blocks&p=160.0.224.320.0.160.224.0.-", "lang=en");
    page.click("[data-block='I']");
    page.until_there("[data-block='I'][data-at]");
    page.click("#game-drop");
    page.until_says("#game-best", &["384"]);
    page.visit("", "learn&lang=en");
    page.until_count("#challenges .lesson-card", 7);
    page.until_says("#challenges .st.done", &["384"]);
    page.click("[data-game='order']");
    page.until_there(".ordering li");
}

fn axe(page: &mut Page) {
    let mut axe = Axe::load();
    for settings in ["lang=en&theme=light", "lang=zh&theme=dark"] {
        for game in GAMES {
            open(page, game, settings);
            axe.look(page, game);
        }
    }
    axe.assert_clean();
}

fn widths(page: &mut Page) {
    for game in GAMES {
        open(page, game, "lang=zh");
        assert_eq!(too_wide(page, ".game-side, .game-table, .game-main"), Vec::<String>::new(), "{game}");
    }
}
