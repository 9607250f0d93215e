//! What of a comparison stands in a link, and a comparison made of it.

use crate::compare::state::Comparing;
use crate::compare::state::comparison::{COLUMNS, Column, Compared, Sync};
use crate::compare::state::whatif::Trying;

impl Comparing {
    /// What of this is worth telling in a link.
    pub fn compared(&self) -> Compared {
        let alone = self.sync == Sync::Own;
        Compared {
            choices: self.columns.iter().map(|column| column.choice.clone()).collect(),
            reference: self.reference,
            sync: self.sync,
            differences: self.differences,
            fit_each: self.fit_each,
            turned: self.turned,
            squeezed: self.squeezed,
            sheet: self.sheet,
            vary: self.vary.clone(),
            card: self.whatif.card,
            step: self.step,
            position: self.position().filter(|_| !alone),
            cursors: self.columns.iter().filter(|_| alone).map(|column| column.cursor).collect(),
        }
    }

    pub(super) fn restore(&mut self, compared: Compared) {
        let reference = compared.choices.get(compared.reference).cloned();
        let mut columns: Vec<Column> = Vec::new();
        for (number, choice) in compared.choices.into_iter().enumerate() {
            // Anybody can write a link: columns differ all the same.
            if columns.len() < COLUMNS.1 && columns.iter().all(|column| column.choice != choice) {
                let cursor = compared.cursors.get(number).copied().unwrap_or(u32::MAX);
                columns.push(Column { cursor, ..Column::of(choice) });
            }
        }
        let reference = columns.iter().position(|column| Some(&column.choice) == reference.as_ref());
        *self = Comparing {
            reference: reference.unwrap_or(columns.len().saturating_sub(1)),
            columns,
            sync: compared.sync,
            differences: compared.differences,
            fit_each: compared.fit_each,
            turned: compared.turned,
            squeezed: compared.squeezed,
            sheet: compared.sheet,
            vary: compared.vary,
            whatif: Trying::on_card(compared.card),
            step: compared.step,
            position: compared.position,
            graphs: self.graphs.take(),
            ..Comparing::default()
        };
    }
}
