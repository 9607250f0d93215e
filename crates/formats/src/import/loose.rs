//! JSON of any shape, with strings borrowed from the file where they hold no escapes: a third of
//! the time and memory of a tree of owned maps, which counts for graphs of a hundred thousand
//! nodes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};

/// A JSON value.
#[derive(Clone, PartialEq, Debug)]
pub enum Loose<'a> {
    Null,
    Flag(bool),
    Whole(u64),
    Negative(i64),
    Fraction(f64),
    Text(Cow<'a, str>),
    List(Vec<Loose<'a>>),
    Object(Object<'a>),
}

/// Members in the order of the file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Object<'a>(pub Vec<(Cow<'a, str>, Loose<'a>)>);

impl<'a> Object<'a> {
    /// The member of this name; the last one if the file repeats it.
    pub fn get(&self, key: &str) -> Option<&Loose<'a>> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The same, taken out. A member that is null counts as absent.
    pub fn take(&mut self, key: &str) -> Option<Loose<'a>> {
        let found = self.0.iter_mut().rev().find(|(name, _)| name == key);
        found.map(|(_, value)| std::mem::replace(value, Loose::Null)).filter(|value| *value != Loose::Null)
    }

    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_ref())
    }
}

/// A member of an object; none of what is no object.
pub fn member<'b, 'a>(value: &'b Loose<'a>, key: &str) -> Option<&'b Loose<'a>> {
    if let Loose::Object(object) = value { object.get(key) } else { None }
}

impl Loose<'_> {
    pub fn text(&self) -> Option<&str> {
        if let Loose::Text(text) = self { Some(text) } else { None }
    }

    pub fn list(&self) -> Option<&[Loose<'_>]> {
        if let Loose::List(items) = self { Some(items) } else { None }
    }

    pub fn whole(&self) -> Option<u64> {
        if let Loose::Whole(whole) = self { Some(*whole) } else { None }
    }

    /// The value as JSON text, members in order of their names.
    pub fn json(&self) -> String {
        // Plain values: writing them cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The beginning of the value as JSON text: at most `most` letters, the last one an ellipsis if
    /// there are more. Looks at no more of the value than that.
    pub fn excerpt(&self, most: usize) -> String {
        let mut text = String::new();
        self.write_up_to(most, &mut text);
        if text.chars().count() <= most { text } else { text.chars().take(most - 1).chain(['…']).collect() }
    }

    /// Appends JSON text in the order of the file until there are more than `most` letters.
    fn write_up_to(&self, most: usize, text: &mut String) {
        // A byte for each letter at least.
        let is_full = |text: &String| text.len() > 4 * most + 4;
        let quoted = |word: &str| Loose::Text(word.chars().take(most + 1).collect::<String>().into()).json();
        match self {
            Loose::Text(word) => text.push_str(&quoted(word)),
            Loose::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if is_full(text) {
                        return;
                    }
                    text.push_str(if index == 0 { "" } else { "," });
                    item.write_up_to(most, text);
                }
                text.push(']');
            }
            Loose::Object(object) => {
                text.push('{');
                for (index, (name, value)) in object.0.iter().enumerate() {
                    if is_full(text) {
                        return;
                    }
                    text.push_str(if index == 0 { "" } else { "," });
                    text.push_str(&quoted(name));
                    text.push(':');
                    value.write_up_to(most, text);
                }
                text.push('}');
            }
            plain => text.push_str(&plain.json()),
        }
    }
}

impl Serialize for Loose<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Loose::Null => serializer.serialize_unit(),
            Loose::Flag(flag) => serializer.serialize_bool(*flag),
            Loose::Whole(whole) => serializer.serialize_u64(*whole),
            Loose::Negative(number) => serializer.serialize_i64(*number),
            Loose::Fraction(number) => serializer.serialize_f64(*number),
            Loose::Text(text) => serializer.serialize_str(text),
            Loose::List(items) => serializer.collect_seq(items),
            Loose::Object(object) => {
                let members: BTreeMap<&str, &Loose> =
                    object.0.iter().map(|(name, value)| (name.as_ref(), value)).collect();
                serializer.collect_map(members)
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Loose<'de>, E> {
        Ok(Loose::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Loose<'de>, E> {
        Ok(Loose::Flag(flag))
    }

    fn visit_u64<E>(self, whole: u64) -> Result<Loose<'de>, E> {
        Ok(Loose::Whole(whole))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Loose<'de>, E> {
        Ok(Loose::Negative(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Loose<'de>, E> {
        Ok(Loose::Fraction(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Loose<'de>, E> {
        Ok(Loose::Text(Cow::Owned(text.to_string())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Loose<'de>, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Loose<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        // Room for more, of which a short list has thrice its own, is what lists of lists would be
        // made of.
        list.shrink_to_fit();
        Ok(Loose::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Loose<'de>, A::Error> {
        let mut object = Object::default();
        while let Some((Key(name), value)) = members.next_entry()? {
            object.0.push((name, value));
        }
        object.0.shrink_to_fit();
        Ok(Loose::Object(object))
    }
}

#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_borrowed_unless_escaped_and_the_last_member_wins() {
        let text = r#"{"a":[1,-2,0.5,null,true],"b":"plain","c":"esc\n","b":"last"}"#;
        let Ok(Loose::Object(object)) = serde_json::from_str::<Loose>(text) else { panic!("an object") };
        assert!(matches!(object.get("b"), Some(Loose::Text(Cow::Borrowed("last")))));
        assert!(matches!(object.get("c"), Some(Loose::Text(Cow::Owned(text))) if text == "esc\n"));
        assert_eq!(object.get("a").map(Loose::json).as_deref(), Some("[1,-2,0.5,null,true]"));
        assert!(serde_json::from_str::<Loose>(&"[".repeat(500)).is_err());
    }

    #[test]
    fn json_is_that_of_the_standard_tree_and_an_excerpt_its_beginning() {
        let text = r#"{"b":[1,-2,0.5,1e300,null,true],"a":"esc\n\"é","b":{"y":1,"x":[]}}"#;
        let loose: Loose = serde_json::from_str(text).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(loose.json(), value.to_string());
        let excerpt = |text: &str, most| serde_json::from_str::<Loose>(text).expect("JSON").excerpt(most);
        assert_eq!(excerpt("[1,[2,{\"a\":3}]]", 40), "[1,[2,{\"a\":3}]]");
        assert_eq!(excerpt("[1,[2,{\"a\":3}]]", 8), "[1,[2,{…");
        assert_eq!(excerpt(&format!("[{}0]", "0,".repeat(100_000)), 5), "[0,0…");
        assert_eq!(excerpt(&format!("\"{}\"", "é".repeat(100)), 4), "\"éé…");
    }

    /// Bytes that a tree holds, as the allocator was asked for them.
    fn held(value: &Loose) -> usize {
        match value {
            Loose::Text(Cow::Owned(text)) => text.capacity(),
            Loose::List(items) => items.capacity() * size_of::<Loose>() + items.iter().map(held).sum::<usize>(),
            Loose::Object(Object(members)) => {
                let own = members.capacity() * size_of::<(Cow<str>, Loose)>();
                own + members.iter().map(|(_, value)| held(value)).sum::<usize>()
            }
            _ => 0,
        }
    }

    #[test]
    fn a_tree_takes_at_most_twenty_times_its_text() {
        let nested = |open: &str, close: &str| format!("{}0{}", open.repeat(100), close.repeat(100));
        for item in ["0", "[]", "[0]", "[0,0]", "{}", r#"{"":0}"#, "\"\"", &nested("[", "]"), &nested(r#"{"":"#, "}")] {
            let text = format!("[{}{item}]", format!("{item},").repeat(1000));
            let tree: Loose = serde_json::from_str(&text).expect("JSON");
            assert!(held(&tree) <= 20 * text.len(), "{item}: {} of {}", held(&tree), text.len());
        }
    }
}
