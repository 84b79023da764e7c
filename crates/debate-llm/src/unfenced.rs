//! An answer that is meant for a program, without the fence that models like to put around it.

/// The inside of the one code fence that the whole answer is, or else the answer.
pub(crate) fn unfenced(answer: &str) -> &str {
    let inside = answer.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inside.and_then(|inside| inside.split_once('\n')) {
        Some((language, inside)) if ["", "json"].contains(&language.trim()) => inside.trim(),
        Some(_) | None => answer,
    }
}
