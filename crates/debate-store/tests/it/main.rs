//! The stores, held against one contract, and each engine against its own promises.

mod archive;
mod contract;
mod damaged;
mod earlier;
mod engine;
mod layouts;
mod legacy;
mod postgres;
mod sqlite;
mod support;
mod views;
