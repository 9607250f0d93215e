//! The cheapest changes that bring a graph within a budget, or the proof that none do.
//!
//! In goes a graph with a budget in bytes and the changes allowed. [`fit`] reorders, merges,
//! spills, clones and stripes as far as it is allowed to, plans what comes out, and checks the
//! plan. Out comes a report: with the changed graph, with a certificate that nothing fits, or with
//! neither, if the search found nothing and proved nothing. docs/fit.md describes the model, the
//! prices and the certificates.
//!
//! [`transform`] holds the changes themselves, with the rules of operators. [`fit_kernel`] answers
//! for a GPU kernel, whose shared memory a card limits. Begin with [`fit`].

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod transform;

mod certificate;
mod change;
mod finish;
mod free;
mod instance;
mod kernel;
mod ladder;
mod order;
mod record;
mod report;
mod runtime;
mod search;
mod single;
mod solve;
mod stages;
mod stripes;
mod verify;
mod viewed;

pub use change::GraphChange;
pub use finish::Finished;
pub use instance::{
    Bounds, Budget, Lever, MOST_COST, Prefer, Request, ScratchFault, StoredIn, every_operator, read_scratch, read_size,
};
pub use kernel::{
    AliveRecord, CARDS, Card, ChangeRecord, KERNEL_FORMAT, KernelChange, KernelFit, KernelResult, fit_kernel,
    kernel_text, limit_of,
};
pub use ladder::LADDER_SECONDS;
pub use record::{
    BudgetRecord, CertificateRecord, Edge, FORMAT, FitRecord, HeldRecord, LeverRecord, MemoryRecord, MoveRecord, Peaks,
    PriceRecord, Refusal, Required, SearchRecord, StorageRecord, Why,
};
pub use report::{counted, held, proved, report_markdown, report_text, sureness};
pub use runtime::Runtime;
pub use solve::{Answer, fit};
pub use verify::verify;
