//! JSON of any shape, with strings borrowed from the file where they hold no escapes: a third of the time and memory of a
//! tree of owned maps, which counts for graphs of a hundred thousand nodes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

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

impl Loose<'_> {
    pub fn text(&self) -> Option<&str> {
        if let Loose::Text(text) = self { Some(text) } else { None }
    }

    pub fn whole(&self) -> Option<u64> {
        if let Loose::Whole(whole) = self { Some(*whole) } else { None }
    }

    /// The value as JSON text.
    pub fn json(&self) -> String {
        self.value().to_string()
    }

    fn value(&self) -> serde_json::Value {
        use serde_json::Value;
        match self {
            Loose::Null => Value::Null,
            Loose::Flag(flag) => (*flag).into(),
            Loose::Whole(whole) => (*whole).into(),
            Loose::Negative(number) => (*number).into(),
            Loose::Fraction(number) => (*number).into(),
            Loose::Text(text) => text.as_ref().into(),
            Loose::List(items) => items.iter().map(Loose::value).collect(),
            Loose::Object(object) => object.0.iter().map(|(name, value)| (name.to_string(), value.value())).collect(),
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
        Ok(Loose::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Loose<'de>, A::Error> {
        let mut object = Object::default();
        while let Some((Key(name), value)) = members.next_entry()? {
            object.0.push((name, value));
        }
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
}
