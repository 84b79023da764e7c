//! Words that a shell gives back as they were.

/// The word, quoted where a POSIX shell would take it apart.
pub(crate) fn quote(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@%+=,".contains(&byte);
    // A leading `=` is expanded by zsh.
    if !word.is_empty() && word.bytes().all(plain) && !word.starts_with('=') {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The words as one command line.
pub(crate) fn join<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    words.into_iter().map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::join;

    #[test]
    fn a_plain_word_stays_as_it_is() {
        assert_eq!(join(["aw", "--server", "http://127.0.0.1:3456/x"]), {
            "aw --server http://127.0.0.1:3456/x"
        });
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_shell_gives_back_every_word(words in prop::collection::vec("[^\\x00]{0,12}", 1..5)) {
            let line = join(words.iter().map(String::as_str));
            let shell = Command::new("sh").arg("-c").arg(format!("printf '%s\\0' {line}")).output();
            let mut expected = words.join("\0").into_bytes();
            expected.push(0);
            prop_assert_eq!(shell.expect("there is a shell").stdout, expected, "{}", line);
        }
    }
}
