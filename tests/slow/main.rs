//! What takes a minute or more, or needs data that are not part of this repository.
//!
//! `recipe` is of the tier `--full`; `mutation` and `benchmarks` are of the tier `--nightly`.

#[path = "../shared/recipe.rs"]
mod blocks;
#[path = "../shared/counting.rs"]
mod counting;

mod benchmarks;
mod mutation;
mod recipe;
