//! Which lesson is about a term.

use memplan_core::base::Term;

/// Returns the number of the lesson that explains a term.
pub fn lesson_of_term(term: Term) -> u32 {
    match term {
        Term::Buffer | Term::Step | Term::LiveRange | Term::Dead | Term::Birth | Term::Conflict => 1,
        Term::Placed | Term::LeftOut | Term::Offset | Term::Pool | Term::Arena => 1,
        Term::Load | Term::LowerBound | Term::Peak | Term::PeakSoFar | Term::Waste | Term::Ratio => 2,
        Term::Gap | Term::Fragmentation | Term::FreeBlock | Term::Candidate | Term::Top => 3,
        Term::Tree | Term::Temporal | Term::Spatial | Term::Allocation | Term::Empty | Term::Slot | Term::Key => 5,
        Term::Storage | Term::MatchWindow | Term::View | Term::Chunk => 6,
        Term::SharedObject => 8,
        Term::Alignment => 10,
        Term::Optimal | Term::BestFound | Term::State => 11,
        Term::InPlace => 12,
    }
}
