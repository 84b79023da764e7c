//! Command lines that a POSIX shell splits into the same words again.

/// A word, quoted if a shell would change it.
pub(crate) fn quote(word: &str) -> String {
    join([word])
}

/// The words as one command line.
pub(crate) fn join<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    // Without `allow_nul` a NUL would be an error; arguments of a process cannot contain one.
    shlex::Quoter::new().allow_nul(true).join(words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::join;

    #[test]
    fn plain_words_are_not_quoted() {
        assert_eq!(join(["aw", "--server", "http://127.0.0.1:3456/x"]), {
            "aw --server http://127.0.0.1:3456/x"
        });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn shell_reads_every_word_back(words in prop::collection::vec("[^\\x00]{0,12}", 1..5)) {
            let line = join(words.iter().map(String::as_str));
            let shell = Command::new("sh").arg("-c").arg(format!("printf '%s\\0' {line}")).output();
            let mut expected = words.join("\0").into_bytes();
            expected.push(0);
            prop_assert_eq!(shell.expect("there is a shell").stdout, expected, "{}", line);
        }
    }
}
