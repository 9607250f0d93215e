//! Make it fit: the form of the budget.

use std::collections::BTreeSet;

use crate::shell::state::shell_words::{quoted, scope_words};
use memplan_core::base::Message;
use memplan_core::problem::Scope;
use memplan_fit::{Lever, MOST_COST, Prefer, Request, StoredIn, read_scratch, read_size};

/// What stands in the fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FitForm {
    /// Name, size and cost of each memory; the first is the fast one.
    pub memories: Vec<[String; 3]>,
    /// Bytes that kernels need, and bytes that stay between runs.
    pub taken: [String; 2],
    /// Bytes by operator, as lines `op,bytes`.
    pub operators: String,
    /// What may be changed.
    pub allow: BTreeSet<Lever>,
    /// Most MACs and most bytes that may be paid.
    pub limits: [String; 2],
    /// Which price counts first.
    pub prefer: Prefer,
}

impl Default for FitForm {
    fn default() -> FitForm {
        FitForm {
            memories: vec![["SRAM".into(), String::new(), String::new()]],
            taken: Default::default(),
            operators: String::new(),
            allow: Request::default().allow,
            limits: Default::default(),
            prefer: Prefer::default(),
        }
    }
}

/// Keys of `taken` in links, and their options of the command.
const TAKEN: [&str; 2] = ["scratch", "persistent"];
/// Keys of `limits`.
const LIMITS: [&str; 2] = ["macs", "bytes"];

/// A size as it is typed: `64 KiB`.
pub fn typed_size(bytes: u64) -> String {
    let unit = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)].into_iter();
    let mut fitting = unit.filter(|(_, size)| bytes > 0 && bytes.is_multiple_of(*size));
    let (name, size) = fitting.next().unwrap_or(("B", 1));
    format!("{} {name}", bytes / size)
}

/// A size in bytes for a link or a command; what is no size as it was typed.
fn plain_size(text: &str) -> String {
    read_size(text).map_or_else(|| in_a_list(text.trim()), |bytes| bytes.to_string())
}

/// A text of a list in a link, whose parts end at commas.
fn in_a_list(text: &str) -> String {
    text.replace(',', " ")
}

/// Bytes below which a number without a unit was likely meant in another one.
const FEW: u64 = 4096;

impl FitForm {
    /// The question of the form; none while the size of the first memory is empty.
    ///
    /// # Errors
    /// What stands in a field that it cannot hold, and what could stand there.
    pub fn request(&self) -> Result<Option<Request>, Message> {
        if self.memories.first().is_none_or(|memory| memory[1].trim().is_empty()) {
            return Ok(None);
        }
        let size = |text: &str| read_size(text).ok_or_else(|| Message::new("fit.bad-size").text("text", text));
        let stated = |text: &str| if text.trim().is_empty() { Ok(None) } else { size(text).map(Some) };
        let memory = |[name, bytes, cost]: &[String; 3]| {
            let name = name.trim();
            if name.is_empty() {
                return Err(Message::new("fit.bad-name"));
            }
            // Commands and links part name, size and cost by them.
            if name.contains(['=', '@', ':', ',']) {
                return Err(Message::new("fit.bad-name-letters").text("text", name));
            }
            let cost = cost.trim().trim_end_matches(['×', 'x']);
            let wrong = || Message::new("fit.bad-cost").text("text", cost);
            let cost = if cost.is_empty() { Ok(1) } else { cost.parse().map_err(|_| wrong()) }?;
            if cost > MOST_COST {
                return Err(wrong());
            }
            Ok(StoredIn { name: name.into(), size: size(bytes)?, cost })
        };
        let mut request = Request { allow: self.allow.clone(), prefer: self.prefer, ..Request::default() };
        request.budget.memories = self.stated().map(memory).collect::<Result<_, _>>()?;
        request.budget.scratch = stated(&self.taken[0])?;
        request.budget.persistent = stated(&self.taken[1])?;
        request.budget.by_operator = read_scratch(&self.operators).map_err(|fault| {
            let key = if fault.is_twice { "fit.operators-twice" } else { "fit.bad-operators" };
            Message::new(key).count("line", fault.line as u64).text("text", fault.text)
        })?;
        for (name, text) in LIMITS.into_iter().zip(&self.limits) {
            // Blanks go, and a decimal comma is no blank.
            if text.contains(',') {
                return Err(Message::new("fit.bad-limit").text("text", text.clone()));
            }
            let text: String = text.chars().filter(|letter| !letter.is_whitespace() && *letter != '+').collect();
            if !text.is_empty() {
                let wrong = |_| Message::new("fit.bad-limit").text("text", text.clone());
                request.limits.take(&format!("{name}={text}")).map_err(wrong)?;
            }
        }
        request.available()?;
        Ok(Some(request))
    }

    /// The first memory whose size is a small number without a unit: its number, and what it may
    /// have been meant as.
    pub fn without_unit(&self) -> Option<(usize, String)> {
        let bare = |(at, memory): (usize, &[String; 3])| Some((at, memory[1].trim().parse().ok()?));
        let mut few = self.memories.iter().enumerate().filter_map(bare).filter(|(_, bytes)| (1..FEW).contains(bytes));
        few.next().map(|(at, number)| (at, format!("{number} KiB")))
    }

    /// The memories whose size is filled in: one that was just added has none yet.
    fn stated(&self) -> impl Iterator<Item = &[String; 3]> {
        self.memories
            .iter()
            .enumerate()
            .filter(|(at, memory)| *at == 0 || !memory[1].trim().is_empty())
            .map(|entry| entry.1)
    }

    /// The form in a link: keys with values, defaults left out.
    pub fn parts(&self) -> Vec<(&'static str, String)> {
        let standard = FitForm::default();
        let memory = |[name, size, cost]: &[String; 3]| {
            let cost = if cost.is_empty() { String::new() } else { format!("@{}", in_a_list(cost)) };
            format!("{}:{}{cost}", in_a_list(name), plain_size(size))
        };
        let mut parts = vec![("mem", self.stated().map(memory).collect::<Vec<_>>().join(","))];
        let stated = TAKEN.into_iter().zip(&self.taken).filter(|(_, text)| !text.is_empty());
        parts.extend(stated.map(|(key, text)| (key, plain_size(text))));
        if !self.operators.is_empty() {
            parts.push(("ops", self.operators.clone()));
        }
        if self.allow != standard.allow {
            parts.push(("allow", self.levers()));
        }
        let is_carried = |text: &str| !text.is_empty() && !text.contains(',');
        let limits = LIMITS.into_iter().zip(&self.limits).filter(|(_, text)| is_carried(text));
        let limits: Vec<String> = limits.map(|(key, text)| format!("{key}:{text}")).collect();
        if !limits.is_empty() {
            parts.push(("limit", limits.join(",")));
        }
        if self.prefer != standard.prefer {
            parts.push(("prefer", self.prefer.name().into()));
        }
        parts
    }

    fn levers(&self) -> String {
        self.allow.iter().map(|lever| lever.name()).collect::<Vec<_>>().join(",")
    }

    /// Takes a value of the form from a link; returns false if the key is not one of the form.
    pub fn take(&mut self, key: &str, value: &str) -> bool {
        let typed = |text: &str| text.parse().map_or_else(|_| text.to_string(), typed_size);
        match key {
            "mem" => {
                let memory = |text: &str| {
                    let (name, rest) = text.rsplit_once(':').unwrap_or((text, ""));
                    let (size, cost) = rest.split_once('@').unwrap_or((rest, ""));
                    [name.to_string(), typed(size), cost.to_string()]
                };
                self.memories = value.split(',').map(memory).collect();
            }
            "scratch" => self.taken[0] = typed(value),
            "persistent" => self.taken[1] = typed(value),
            "ops" => self.operators = value.to_string(),
            "allow" => self.allow = Lever::list(value).unwrap_or_else(|_| self.allow.clone()),
            "limit" => {
                for (name, most) in value.split(',').filter_map(|text| text.split_once(':')) {
                    if let Some(at) = LIMITS.iter().position(|limit| *limit == name) {
                        self.limits[at] = most.to_string();
                    }
                }
            }
            "prefer" => self.prefer = if value == "bytes" { Prefer::Bytes } else { Prefer::Macs },
            _ => return false,
        }
        true
    }

    /// No scratch for all kernels, but as many bytes more that stay: the command takes scratch by
    /// operator in its place.
    fn taken_at_once(&self) -> [String; 2] {
        let stated: Vec<u64> = self.taken.iter().filter_map(|text| read_size(text)).collect();
        let sum = stated.iter().fold(0, |sum: u64, bytes| sum.saturating_add(*bytes));
        [String::new(), if stated.is_empty() { String::new() } else { sum.to_string() }]
    }

    /// The same question on the command line. Scratch by operator is read from the input, as a file
    /// would be.
    pub fn command(&self, file: &str, scope: &Scope) -> String {
        // A name that begins with a hyphen would be an option.
        let file = if file.starts_with('-') { format!("./{file}") } else { file.to_string() };
        let mut words = vec!["memplan fit".to_string(), quoted(&file)];
        for [name, size, cost] in self.stated() {
            let cost = if cost.is_empty() { String::new() } else { format!("@{cost}") };
            words.push(format!("--memory {}", quoted(&format!("{name}={}{cost}", plain_size(size)))));
        }
        let lines: Vec<String> = self.operators.lines().filter(|line| !line.trim().is_empty()).map(quoted).collect();
        let taken = if lines.is_empty() { self.taken.clone() } else { self.taken_at_once() };
        for (key, text) in TAKEN.into_iter().zip(&taken).filter(|(_, text)| !text.is_empty()) {
            words.push(format!("--{key} {}", quoted(&plain_size(text))));
        }
        if !lines.is_empty() {
            words[0] = format!("printf '%s\\n' {} | {}", lines.join(" "), words[0]);
            words.push("--scratch /dev/stdin".to_string());
        }
        words.extend(scope_words(scope));
        words.push(format!("--allow {}", self.levers()));
        for (key, text) in LIMITS.into_iter().zip(&self.limits).filter(|(_, text)| !text.is_empty()) {
            words.push(format!("--limit {}", quoted(&format!("{key}={}", text.replace([' ', '+'], "")))));
        }
        if self.prefer != Prefer::default() {
            words.push(format!("--prefer {}", self.prefer.name()));
        }
        words.join(" ")
    }
}

/// The largest size up to this one that is told in few digits.
pub fn in_few_digits(bytes: u64) -> u64 {
    let unit = 1 << bytes.checked_ilog2().unwrap_or_default().saturating_sub(3);
    bytes / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;
    use memplan_core::problem::Views;

    fn form(link: &[(&str, &str)]) -> FitForm {
        let mut form = FitForm::default();
        link.iter().for_each(|(key, value)| assert!(form.take(key, value), "{key}"));
        form
    }

    #[test]
    fn a_link_has_the_whole_form() {
        let link = [
            ("mem", "SRAM:73728,PSRAM:8388608@10"),
            ("scratch", "8192"),
            ("persistent", "100"),
            ("ops", "conv,4096"),
            ("allow", "planner,stripes"),
            ("limit", "macs:5%,bytes:1MiB"),
            ("prefer", "bytes"),
        ];
        let form = form(&link);
        assert_eq!(form.memories[1], ["PSRAM", "8 MiB", "10"]);
        assert_eq!((form.taken[0].as_str(), form.taken[1].as_str()), ("8 KiB", "100 B"));
        assert_eq!(form.parts(), link.map(|(key, value)| (key, value.to_string())));
        let request = form.request().expect("a question").expect("it is complete");
        assert_eq!(request.available(), Ok(73_728 - 8192 - 100));
        assert_eq!(
            form.command("my net.tflite", &Scope::default()),
            "printf '%s\\n' conv,4096 | memplan fit 'my net.tflite' --memory SRAM=73728 --memory PSRAM=8388608@10 --persistent 8292 --scratch /dev/stdin --allow planner,stripes --limit macs=5% --limit bytes=1MiB --prefer bytes"
        );
        assert_eq!(FitForm::default().parts(), [("mem", "SRAM:".to_string())]);
        assert!(!FitForm::default().clone().take("plan", "x"));
    }

    #[test]
    fn a_command_has_the_scratch_of_every_operator() {
        let all = form(&[("mem", "SRAM:64"), ("scratch", "16"), ("persistent", "8")]);
        assert!(
            all.command("-net", &Scope::default())
                .starts_with("memplan fit ./-net --memory SRAM=64 --scratch 16 --persistent 8 --allow ")
        );
        let operators = form(&[("mem", "SRAM:64"), ("ops", "op,bytes\n\nmy conv,16\n\"it's\",8\n")]);
        let start = r#"printf '%s\n' op,bytes 'my conv,16' '"it'\''s",8' | memplan fit net --memory SRAM=64 --scratch /dev/stdin --allow "#;
        let command = operators.command("net", &Scope::default());
        assert!(command.starts_with(start), "{command}");
        let scope = Scope { outputs: false, views: Views::Copy, align: 64, ..Scope::default() };
        let scope = Scope { symbols: [("s0".to_string(), 8)].into(), ..scope };
        let command = all.command("net", &scope);
        assert!(command.contains(" --with inputs --views copy --align 64 --symbol s0=8 --allow "), "{command}");
    }

    #[test]
    fn a_field_that_cannot_be_used_is_named() {
        let why = |link: &[(&str, &str)]| form(link).request().expect_err("refused").key.into_owned();
        assert_eq!(form(&[]).request(), Ok(None), "nothing is asked yet");
        assert_eq!(why(&[("mem", "SRAM:0")]), "fit.empty-memory");
        assert_eq!(why(&[("mem", "SRAM:-4")]), "fit.bad-size");
        assert_eq!(why(&[("mem", "SRAM:1e99 GiB")]), "fit.bad-size");
        assert_eq!(why(&[("mem", "SRAM:4,:4")]), "fit.bad-name");
        assert_eq!(why(&[("mem", "SRAM:4,SRAM:8")]), "fit.memory-twice");
        assert_eq!(why(&[("mem", "SRAM:4,PSRAM:8@much")]), "fit.bad-cost");
        assert_eq!(why(&[("mem", "SRAM:4"), ("scratch", "4")]), "fit.nothing-left");
        assert_eq!(why(&[("mem", "SRAM:4"), ("ops", "conv")]), "fit.bad-operators");
        assert_eq!(why(&[("mem", "SRAM:4"), ("limit", "macs:some")]), "fit.bad-limit");
    }

    #[test]
    fn what_is_typed_with_a_comma_stays_and_is_refused() {
        let mut form = form(&[("mem", "SRAM:64")]);
        form.memories[0][1] = "64,5 KiB".into();
        let why = form.request().expect_err("no size");
        assert_eq!(why, Message::new("fit.bad-size").text("text", "64,5 KiB"));
        assert_eq!(form.parts(), [("mem", "SRAM:64 5 KiB".to_string())]);
        form.limits[0] = "1,5 %".into();
        form.memories[0][1] = "64.5 KiB".into();
        assert_eq!(form.request(), Err(Message::new("fit.bad-limit").text("text", "1,5 %")), "never 15 %");
        form.limits[0].clear();
        assert_eq!(form.request().map(|asked| asked.map(|request| request.available())), Ok(Some(Ok(66_048))));
    }

    #[test]
    fn a_small_number_without_a_unit_is_asked_about() {
        let asked = |size: &str| {
            let mut form = FitForm::default();
            form.memories[0][1] = size.into();
            form.without_unit()
        };
        assert_eq!(asked("64"), Some((0, "64 KiB".into())));
        assert_eq!(["", "0", "64 B", "64 KiB", "65536", "some"].map(asked), [const { None }; 6]);
    }

    #[test]
    fn a_budget_to_begin_with_is_told_in_few_digits() {
        assert_eq!([0, 1, 15, 393_216, 7_225_344].map(in_few_digits), [0, 1, 15, 393_216, 6_815_744]);
    }
}
