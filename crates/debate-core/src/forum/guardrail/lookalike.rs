//! Characters that stand for others: to the eye, or by a custom of the net.

use crate::sight::is_unseen;

/// A letter of another script, or with a stroke through it, that looks like a Latin one. Only for
/// words that have no letter beyond these: whole words of Russian and Greek have others.
pub(super) const fn latin(letter: char) -> Option<char> {
    Some(match letter {
        'а' | 'α' | 'ɑ' | 'ª' => 'a',
        'в' | 'β' | 'ь' | 'ƀ' | 'Ᏼ' => 'b',
        'с' | 'ϲ' | 'ҫ' | 'ⅽ' => 'c',
        'ԁ' | 'đ' | 'ɗ' | 'ð' => 'd',
        'е' | 'ε' | 'э' | 'є' | 'ҽ' | 'ɛ' | 'ǝ' => 'e',
        'ғ' | 'ƒ' => 'f',
        'ɡ' | 'ց' => 'g',
        'н' | 'һ' | 'η' | 'ħ' | 'հ' => 'h',
        'і' | 'ι' | 'ı' | 'ɪ' | 'ɨ' => 'i',
        'ј' => 'j',
        'к' | 'κ' | 'қ' => 'k',
        'ӏ' | 'ł' | 'ⅼ' => 'l',
        'м' | 'ⅿ' => 'm',
        'п' | 'ո' | 'и' | 'ŋ' => 'n',
        'о' | 'ο' | 'σ' | 'ø' | 'օ' | 'ө' => 'o',
        'р' | 'ρ' | 'þ' => 'p',
        'ԛ' => 'q',
        'г' | 'я' | 'ɍ' => 'r',
        'ѕ' | 'ʂ' => 's',
        'т' | 'τ' | 'ŧ' => 't',
        'υ' | 'ц' | 'ս' | 'µ' | 'μ' => 'u',
        'ν' | 'ѵ' => 'v',
        'ѡ' | 'ω' | 'ш' | 'ԝ' => 'w',
        'х' | 'χ' | '×' => 'x',
        'у' | 'γ' | 'ү' => 'y',
        'ʐ' | 'ƶ' => 'z',
        _ => return None,
    })
}

/// Which letter a 1 stands for; it is written for either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum One {
    I,
    L,
}

/// The letter that a digit or a sign is written for, within a word.
pub(super) const fn leet(sign: char, one: One) -> Option<char> {
    Some(match sign {
        '0' => 'o',
        '1' | '|' => match one {
            One::I => 'i',
            One::L => 'l',
        },
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

/// The letter on a coloured tile, which Unicode's own folding leaves alone.
pub(super) fn on_tile(tile: char) -> Option<char> {
    let first = [0x1f150, 0x1f170, 0x1f1e6]
        .into_iter()
        .find(|first| (*first..first + 26).contains(&u32::from(tile)))?;
    char::from_u32(u32::from('a') + u32::from(tile) - first)
}

/// A character that is written and not read. The last are two whole sentences in one character
/// each, which folding would make eighteen of.
pub(super) const fn is_unread(letter: char) -> bool {
    is_unseen(letter) || matches!(letter, '\u{fdfa}' | '\u{fdfb}')
}

/// A script that is written without spaces: each of its characters counts as a word.
pub(super) const fn is_spaceless(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// A letter or digit of any script. Most of Unicode's tables are never asked.
pub(super) fn is_letter(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_alphanumeric();
    }
    is_spaceless(letter) || letter.is_alphanumeric()
}
