//! Tests of the store: one contract for both engines, and tests of each engine.

mod archive;
mod contract;
mod damaged_debates;
mod earlier_versions;
mod engine;
mod legacy;
mod migrations;
mod postgres;
mod seating;
mod slug_migrations;
mod sqlite;
mod support;
mod views;
