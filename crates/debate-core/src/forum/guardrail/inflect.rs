//! The forms of an English word by simple rules, so that "weapon" also finds "weapons" and "phish"
//! also finds "phishing". Forms that do not exist are harmless.

const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];

/// A word with all its forms.
pub(super) fn forms(word: &str) -> Vec<String> {
    let mut forms = vec![word.to_owned()];
    forms.push(plural(word));
    for stem in stems(word) {
        forms.extend(["ed", "er", "ers", "ing", "ings"].map(|ending| format!("{stem}{ending}")));
    }
    forms.sort();
    forms.dedup();
    forms
}

fn plural(word: &str) -> String {
    match consonant_before_y(word) {
        Some(stem) => format!("{stem}ies"),
        None if ["s", "x", "z", "ch", "sh"].iter().any(|end| word.ends_with(end)) => {
            format!("{word}es")
        }
        None => format!("{word}s"),
    }
}

/// The stems before -ed and -ing: mak-ing, carry-ing and carri-ed, stab-ing and stabb-ing.
fn stems(word: &str) -> Vec<String> {
    if let Some(stem) = word.strip_suffix('e') {
        return vec![stem.to_owned()];
    }
    if let Some(stem) = consonant_before_y(word) {
        return vec![word.to_owned(), format!("{stem}i")];
    }
    let mut stems = vec![word.to_owned()];
    let last: Vec<char> = word.chars().rev().take(3).collect();
    if let [last, vowel, before] = last.as_slice() {
        let doubles = !VOWELS.contains(last) && !['w', 'x', 'y'].contains(last);
        if doubles && VOWELS.contains(vowel) && !VOWELS.contains(before) {
            stems.push(format!("{word}{last}"));
        }
    }
    stems
}

/// The part before a final y after a consonant: "carr" of "carry", none of "play".
fn consonant_before_y(word: &str) -> Option<&str> {
    let stem = word.strip_suffix('y')?;
    stem.chars().next_back().filter(|letter| !VOWELS.contains(letter))?;
    Some(stem)
}
