//! Graph JSON of NNVM, MXNet and TVM: one outline, with shapes and storage ids ([`executor`]) or
//! without ([`symbol`]).

pub mod executor;
mod file;
mod own;
mod roles;
mod shapes;
pub mod symbol;
#[cfg(test)]
mod tests;
