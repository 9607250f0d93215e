//! Plain JSON as text, without the serializers of serde_json: they bring tables for writing floats
//! of every size, 3 kB of the page after compression.

use serde_json::Value;

use memplan_core::base::shown::json_text;

/// Returns a value in lines, as `serde_json::to_string_pretty` writes it.
pub fn pretty(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value, 0);
    text
}

fn write(text: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(whole), ..) => text.push_str(&whole.to_string()),
            (_, Some(whole), _) => text.push_str(&whole.to_string()),
            (.., number) => text.push_str(&float(number.unwrap_or_default())),
        },
        Value::String(words) => text.push_str(&json_text(words)),
        Value::Array(items) => write_all(text, ("[", "]"), items.iter().map(|item| (None, item)), depth),
        Value::Object(members) => {
            write_all(text, ("{", "}"), members.iter().map(|(name, value)| (Some(name), value)), depth);
        }
    }
}

fn write_all<'a>(
    text: &mut String,
    (start, end): (&str, &str),
    items: impl Iterator<Item = (Option<&'a String>, &'a Value)>,
    depth: usize,
) {
    let line = |text: &mut String, depth: usize| {
        text.push('\n');
        (0..depth).for_each(|_| text.push_str("  "));
    };
    text.push_str(start);
    let mut is_empty = true;
    for (name, value) in items {
        if !is_empty {
            text.push(',');
        }
        is_empty = false;
        line(text, depth + 1);
        if let Some(name) = name {
            text.push_str(&json_text(name));
            text.push_str(": ");
        }
        write(text, value, depth + 1);
    }
    if !is_empty {
        line(text, depth);
    }
    text.push_str(end);
}

/// The shortest digits that are read as this number; the standard library differs in where and how
/// it writes exponents.
fn float(number: f64) -> String {
    let is_small = (1e-5..1e-4).contains(&number.abs());
    if is_small { number.to_string() } else { format!("{number:?}").replace('e', "e+").replace("+-", "-") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_read_as_serde_json_writes_them() {
        let value = json!({
            "empty": [], "none": {}, "null": null, "yes": true, "no": false,
            "numbers": [0, u64::MAX, -5, i64::MIN],
            "deep": [{ "a\"b": [[1], "\n"] }],
        });
        assert_eq!(pretty(&value), serde_json::to_string_pretty(&value).unwrap());
    }

    #[test]
    fn floats_read_as_serde_json_writes_them() {
        let floats = [0.0, -0.0, 0.5, 1.0, 123.25, 1.0 / 3.0, -2.0 / 3.0, f64::MAX, f64::MIN_POSITIVE, 5e-324];
        let powers = (-30..30).flat_map(|power| [1.0, 9.99, 1.234_567].map(|digits| digits * 10_f64.powi(power)));
        for number in floats.into_iter().chain(powers) {
            assert_eq!(pretty(&number.into()), serde_json::to_string_pretty(&number).unwrap(), "{number:e}");
        }
    }
}
