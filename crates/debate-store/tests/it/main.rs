//! The stores, held against one contract, and each engine against its own promises.

mod archive;
mod contract;
mod damaged_debates;
mod earlier_versions;
mod engine;
mod legacy;
mod migrations;
mod postgres;
mod sqlite;
mod support;
mod views;
