//! Words that are written together in names of planners.

/// The parts of a name between which a line may break.
pub fn hump_parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins = before == '_' || before.is_lowercase() && letter.is_uppercase();
        if begins {
            parts.push(String::new());
        }
        parts.last_mut().into_iter().for_each(|part| part.push(letter));
        before = letter;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_break_between_their_words_alone() {
        assert_eq!(hump_parts("TFLM GreedyMemoryPlanner"), ["TFLM Greedy", "Memory", "Planner"]);
        assert_eq!(hump_parts("hill_climb"), ["hill_", "climb"]);
        assert_eq!(hump_parts("最佳适应"), ["最佳适应"]);
    }
}
