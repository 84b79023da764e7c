//! The texts of released prompt versions never change: a run keeps the version it was created with,
//! and the key of a cached verdict contains one.

use std::fmt::Write;

use sha2::{Digest, Sha256};

macro_rules! prompt {
    ($path:literal, $digest:literal) => {
        ($path, include_str!(concat!("../../prompts/", $path)), $digest)
    };
}

/// Path below `prompts/`, text, SHA-256 of the text.
const PROMPTS: [(&str, &str, &str); 14] = [
    prompt!(
        "v1/debater-task.md",
        "3a157f07b7ad5425a3e6b7ebc57aa47bb11f111f79ca06f047f6e949f4295bfb"
    ),
    prompt!("v1/debater.md", "e4a77cbbfe04ee80685869b783bcb0160e212353dfb82e91b254285e8f0eb954"),
    prompt!("v1/judge-task.md", "cee65c2d2f428b5128dcb2431e76295cd8fa2ac79caccc674ec48b66b6703c00"),
    prompt!("v1/judge.md", "1e5044936481d3f4046e7c4519eb68c2988f53fda2696e7473569ee924a6ff83"),
    prompt!("v1/repair.md", "a76f2de6d2d9c0405eb3a30f341bb63b815cb3f3d47c571fdc768113af8f0462"),
    prompt!(
        "v2/debater-task.md",
        "360220497d36c7f09356de593945dec5a4ff871c266a3d91623fdf66666a81e3"
    ),
    prompt!("v2/debater.md", "110b8fff9b7c14b3d8f263819d5ad8cc5a3e14fcc9471dc5db8a3f53b25faf89"),
    prompt!("v2/judge-task.md", "9fd8d9ffb2aedd89e544d29f2eba5571439cf29692eb07f1278fe1f63655fe22"),
    prompt!("v2/judge.md", "d32eb6fb101fa8cf33cdbbedad3b1022c42c7d4480193b11bca5f45f127e6793"),
    prompt!("v2/repair.md", "5013e26850d82c336707392c681be77f3c3be184e47720021e2c47d93668c493"),
    prompt!(
        "guardrail-v1/classifier-task.md",
        "5fd30b040dc7e0d480bd402ad059c1e96130f9dec9af91b22f164a6dbb775501"
    ),
    prompt!(
        "guardrail-v1/classifier.md",
        "fd492c1975d5a8f361d0454c14038f638dd258c41fd1bde3884885396d18af24"
    ),
    prompt!(
        "guardrail-v2/classifier-task.md",
        "10f95a9767c4367a5991e7feddc7fef388995358676a12234aaf3b50e6ccbd34"
    ),
    prompt!(
        "guardrail-v2/classifier.md",
        "658ba858f0496d92535a3d0443a73b9cc9ba1b235674e73882bc2c17c2d9810b"
    ),
];

#[test]
fn released_prompt_files_are_unchanged() {
    for (path, text, expected) in PROMPTS {
        let mut digest = String::new();
        for byte in Sha256::digest(text) {
            write!(digest, "{byte:02x}").expect("a string takes any text");
        }
        assert_eq!(digest, expected, "prompts/{path} was edited; add a new version instead");
    }
}
