//! Characters that look like others or are used for others.

use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

use crate::invisible_chars::is_invisible;

/// The Latin letter that `letter`, a lower-case letter of another script or with a stroke
/// through it, looks like. Only for words that have no letter beyond these: whole words of
/// Russian and Greek have others.
pub(super) fn latin(letter: char, signs: DigitReading) -> Option<char> {
    if letter.is_ascii() {
        return None;
    }
    let upper_case = || letter.to_uppercase().next().filter(|upper| *upper != letter);
    let by_table = || confusable(letter).or_else(|| upper_case().and_then(confusable));
    latin_by_eye(letter).or_else(|| match by_table()? {
        // Unicode's table has one entry for 1, l and the capital I.
        'l' if signs != DigitReading::OneAsL => Some('i'),
        found => Some(found.to_ascii_lowercase()),
    })
}

/// The Latin letter by the table of confusable characters that Unicode publishes (UTS 39).
fn confusable(letter: char) -> Option<char> {
    let mut buffer = [0; 4];
    let prototype = skeleton(letter.encode_utf8(&mut buffer)).filter(|c| !is_combining_mark(*c));
    let prototype: String = prototype.take(3).collect();
    let mut letters = prototype.chars();
    match (letters.next(), letters.next()) {
        // The table writes m as r and n, which look like it.
        (Some('r'), Some('n')) if prototype.len() == 2 => Some('m'),
        (Some(single), None) if single.is_ascii_alphabetic() => Some(single),
        (Some(single), None) if single != letter => latin_by_eye(single),
        (_, _) => None,
    }
}

/// Letters that readers take for Latin ones where Unicode's table has no or another entry.
const fn latin_by_eye(letter: char) -> Option<char> {
    Some(match letter {
        'а' | 'α' | 'ɑ' | 'ª' | 'ᴀ' => 'a',
        'в' | 'β' | 'ь' | 'ƀ' | 'ʙ' | 'ᏼ' | 'ꮟ' => 'b',
        'с' | 'ϲ' | 'ҫ' | 'ⅽ' | 'ᴄ' => 'c',
        'ԁ' | 'đ' | 'ɗ' | 'ð' | 'ᴅ' => 'd',
        'е' | 'ε' | 'э' | 'є' | 'ҽ' | 'ɛ' | 'ǝ' | 'ᴇ' => 'e',
        'ғ' | 'ƒ' | 'ꜰ' => 'f',
        'ɡ' | 'ց' | 'ɢ' => 'g',
        'н' | 'һ' | 'η' | 'ħ' | 'հ' | 'ʜ' => 'h',
        'і' | 'ι' | 'ı' | 'ɪ' | 'ɨ' | 'ꮖ' => 'i',
        'ј' | 'ᴊ' => 'j',
        'к' | 'κ' | 'қ' | 'ᴋ' => 'k',
        'ӏ' | 'ł' | 'ⅼ' | 'ʟ' => 'l',
        'м' | 'ⅿ' | 'ᴍ' | 'ɱ' | 'ɯ' => 'm',
        'п' | 'ո' | 'и' | 'ŋ' | 'ɴ' => 'n',
        'о' | 'ο' | 'σ' | 'ø' | 'օ' | 'ө' | 'ᴏ' | 'ɵ' => 'o',
        'р' | 'ρ' | 'þ' | 'ᴘ' => 'p',
        'ԛ' | 'ꞯ' => 'q',
        'г' | 'я' | 'ɍ' | 'ʀ' => 'r',
        'ѕ' | 'ʂ' | 'ꜱ' => 's',
        'т' | 'τ' | 'ŧ' | 'ᴛ' => 't',
        'υ' | 'ц' | 'ս' | 'µ' | 'μ' | 'ᴜ' => 'u',
        'ν' | 'ѵ' | 'ᴠ' => 'v',
        'ѡ' | 'ω' | 'ш' | 'ԝ' | 'ᴡ' => 'w',
        'х' | 'χ' | '×' => 'x',
        'у' | 'γ' | 'ү' | 'ʏ' => 'y',
        'ʐ' | 'ƶ' | 'ᴢ' => 'z',
        _ => return None,
    })
}

/// The reading of digits and signs within a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DigitReading {
    /// As letters, with 1 read as i.
    OneAsI,
    /// As letters, with 1 read as l.
    OneAsL,
    /// Digits and signs stay unchanged.
    Unchanged,
}

/// The letter that a digit or a sign replaces within a word.
pub(super) const fn leet(sign: char, signs: DigitReading) -> Option<char> {
    let one = match signs {
        DigitReading::OneAsI => 'i',
        DigitReading::OneAsL => 'l',
        DigitReading::Unchanged => return None,
    };
    Some(match sign {
        '0' => 'o',
        '1' | '|' => one,
        '!' | '¡' => 'i',
        '3' | '€' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        '8' => 'b',
        '9' => 'g',
        _ => return None,
    })
}

/// The letter of a squared, circled or regional-indicator symbol,
/// which Unicode normalization keeps.
pub(super) fn enclosed_letter(tile: char) -> Option<char> {
    let first = [0x1f150, 0x1f170, 0x1f1e6]
        .into_iter()
        .find(|first| (*first..first + 26).contains(&u32::from(tile)))?;
    char::from_u32(u32::from('a') + u32::from(tile) - first)
}

/// Whether readers ignore a character: invisible characters, those that only lengthen the previous
/// letter, and two Arabic ligatures that normalization would expand to eighteen characters.
pub(super) const fn is_ignored(letter: char) -> bool {
    is_invisible(letter)
        || matches!(letter, '\u{640}' | '\u{7fa}' | '\u{180a}' | '\u{fdfa}' | '\u{fdfb}')
}

/// A script that is written without spaces: each of its characters counts as a word.
pub(super) const fn is_spaceless(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Whether a character is a letter or digit of any script.
pub(super) fn is_letter(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_alphanumeric();
    }
    is_spaceless(letter) || letter.is_alphanumeric()
}
