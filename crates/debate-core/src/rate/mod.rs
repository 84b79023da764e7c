//! Rate limits: a sliding window for each key, and one decision for a request that counts in
//! several of them.

mod key;
mod network;
mod window;

pub use key::{Charge, RateKey, RateKind};
pub use network::Network;
pub use window::{Admission, Bucket, Quota, RateDecision, RateLimit, Window, admit};
