//! Which classes of the colouring the reader has brought out or taken away.

use super::ink::{Class, Tone};

/// Classes that are brought out, and classes that are not drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// One bit a class; none brings all out.
    isolated: u16,
    hidden: u16,
}

impl Filter {
    /// Brings out one class, or all again if it is the only one already. A hidden class is shown
    /// again.
    pub fn isolate(&mut self, class: Class) {
        let bit = bit(class);
        self.isolated = if self.isolated == bit { 0 } else { bit };
        self.hidden &= !bit;
    }

    /// Takes a class away, or shows it again.
    pub fn hide(&mut self, class: Class) {
        self.hidden ^= bit(class);
        self.isolated &= !bit(class);
    }

    /// Whether a class is brought out.
    pub fn isolates(&self, class: Class) -> bool {
        self.isolated & bit(class) != 0
    }

    /// Whether a class is not drawn.
    pub fn hides(&self, class: Class) -> bool {
        self.hidden & bit(class) != 0
    }

    /// The tone of a buffer that the frame alone would give `tone`.
    pub(super) fn tone(&self, class: Class, tone: Tone) -> Tone {
        match (self.isolated, self.isolates(class)) {
            (0, _) => tone,
            (_, true) => Tone::Full,
            (_, false) => Tone::Pale,
        }
    }

    /// The numbers of the classes brought out, and of those hidden, each as text with commas.
    pub fn texts(&self) -> (String, String) {
        let text = |bits: u16| {
            let numbers: Vec<String> = (0..16).filter(|n| bits & (1 << n) != 0).map(|n| n.to_string()).collect();
            numbers.join(",")
        };
        (text(self.isolated), text(self.hidden))
    }

    /// Reads the two texts; what is no number of a class is left out.
    pub fn read(isolated: &str, hidden: &str) -> Filter {
        let bits = |text: &str| {
            let numbers = text.split(',').filter_map(|number| number.parse::<u32>().ok());
            numbers.filter(|number| *number < Class::CATEGORIES as u32).fold(0, |bits, number| bits | 1 << number)
        };
        let (isolated, hidden) = (bits(isolated), bits(hidden));
        Filter { isolated: isolated & !hidden, hidden }
    }
}

fn bit(class: Class) -> u16 {
    let (Class::Category(number) | Class::Step(number)) = class;
    1 << number.min(15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_brought_out_alone_and_hidden_beside_others() {
        let [a, b] = [0, 3].map(Class::Category);
        let mut filter = Filter::default();
        filter.isolate(a);
        filter.isolate(b);
        assert_eq!((filter.isolates(a), filter.isolates(b)), (false, true));
        assert_eq!((filter.tone(a, Tone::Full), filter.tone(b, Tone::Pale)), (Tone::Pale, Tone::Full));
        filter.hide(b);
        assert_eq!((filter.isolates(b), filter.hides(b), filter.tone(a, Tone::Full)), (false, true, Tone::Full));
        filter.hide(a);
        assert_eq!(filter.texts(), (String::new(), "0,3".into()));
        filter.isolate(a);
        filter.isolate(a);
        assert_eq!(filter.texts(), (String::new(), "3".into()), "a second click shows all again");
    }

    #[test]
    fn texts_lead_back() {
        let filter = Filter::read("2", "0,5");
        assert_eq!(filter.texts(), ("2".into(), "0,5".into()));
        assert_eq!(Filter::read("x,,99,-1", "70000"), Filter::default());
        assert_eq!(Filter::read("1,2", "2").texts(), ("1".into(), "2".into()));
    }
}
