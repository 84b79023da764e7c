//! Debates over HTTP, server-sent events and WebSocket.

mod audit_log;
mod bad_input;
mod crash;
mod idempotency;
mod legacy_ids;
mod many_waiters;
mod reading;
mod rules;
mod seat_events;
mod seat_matrix;
mod seat_secrets;
mod seats;
mod slugs;
mod sockets;
mod streams;
mod third_party_clients;
mod waiting;
mod websocket_frames;
