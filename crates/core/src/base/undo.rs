//! Taking changes back and doing them again.

/// What a value was before its changes, and what it was after those that were taken back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undo<T> {
    before: Vec<T>,
    after: Vec<T>,
}

impl<T> Default for Undo<T> {
    fn default() -> Undo<T> {
        Undo { before: Vec::new(), after: Vec::new() }
    }
}

impl<T> Undo<T> {
    /// Notes a value that is about to change. What was taken back is gone.
    pub fn note(&mut self, value: T) {
        self.before.push(value);
        self.after.clear();
    }

    /// Whether a change can be taken back.
    pub fn can_undo(&self) -> bool {
        !self.before.is_empty()
    }

    /// Whether a change that was taken back can be made again.
    pub fn can_redo(&self) -> bool {
        !self.after.is_empty()
    }

    /// Takes the last change of a value back.
    pub fn undo(&mut self, value: &mut T) {
        if let Some(before) = self.before.pop() {
            self.after.push(std::mem::replace(value, before));
        }
    }

    /// Makes the change again that was taken back last.
    pub fn redo(&mut self, value: &mut T) {
        if let Some(after) = self.after.pop() {
            self.before.push(std::mem::replace(value, after));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_taken_back_and_made_again() {
        let (mut value, mut undo) = (1, Undo::default());
        for next in [2, 3] {
            undo.note(value);
            value = next;
        }
        undo.undo(&mut value);
        undo.undo(&mut value);
        undo.undo(&mut value);
        assert_eq!((value, undo.can_undo(), undo.can_redo()), (1, false, true));
        undo.redo(&mut value);
        assert_eq!(value, 2);
        undo.note(value);
        value = 4;
        undo.redo(&mut value);
        assert_eq!((value, undo.can_redo()), (4, false), "another change was made");
    }
}
