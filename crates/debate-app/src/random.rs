//! Random bytes for secrets.

use uuid::Uuid;

/// 256 random bits of the operating system: three random UUIDs without the two bytes of each that
/// have fixed bits.
#[must_use]
pub fn random_bytes() -> [u8; 32] {
    let fixed = [6, 8];
    let random = [(); 3]
        .map(|()| Uuid::new_v4().into_bytes())
        .into_iter()
        .flat_map(|bytes| bytes.into_iter().enumerate().filter(move |(at, _)| !fixed.contains(at)));
    let mut bytes = [0; 32];
    for (byte, (_, random)) in bytes.iter_mut().zip(random) {
        *byte = random;
    }
    bytes
}
