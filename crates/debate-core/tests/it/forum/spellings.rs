//! Spellings of a refused word: those found in use, and generated ones.

use std::sync::LazyLock;

use debate_core::forum::guardrail::{Rulebook, join_fields};

static BUILT_IN: LazyLock<Rulebook> = LazyLock::new(Rulebook::built_in);

/// One sentence per line; `\n` and `\uXXXX` are escapes.
const REPORTED: &str = include_str!("corpus/spellings.txt");

fn is_refused(text: &str) -> bool {
    !BUILT_IN.scan(text).refused_by.is_empty()
}

fn unescaped(line: &str) -> String {
    let mut parts = line.split("\\u");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (code, rest) = part.split_at(4);
        text.extend(u32::from_str_radix(code, 16).ok().and_then(char::from_u32));
        text.push_str(rest);
    }
    text.replace("\\n", "\n")
}

#[test]
fn reported_spellings_are_refused() {
    let lines = REPORTED.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let texts: Vec<_> = lines.map(unescaped).collect();
    assert!(texts.len() >= 16);
    let passed: Vec<_> = texts.iter().filter(|text| !is_refused(text)).collect();
    assert_eq!(passed, Vec::<&String>::new());
}

const REFUSED_WORDS: [&str; 3] = ["bomb", "grenade", "landmine"];

/// Look-alike alphabets: small capitals, Lisu, Cherokee, Cyrillic, Greek and Armenian mixed.
const ALPHABETS: [&str; 4] = [
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ",
    "ꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑqꓣꓢꓔꓴꓦꓪꓫꓬꓜ",
    "ᎪᏏᏟᎠᎬfᏀᎻᏆᎫᏦᏞᎷnOᏢqᎡᏚᎢuᏙᎳxᎩᏃ",
    "аƀсԁеғɡһіјкӏмпорԛгѕтυѵѡхуʐ",
];

/// Inserted between letters: invisible characters, separators, formatting.
const BETWEEN: [&str; 26] = [
    "\u{200b}", "\u{2060}", "\u{ad}", "\u{640}", "\u{34f}", "\u{fe0f}", ".", "-", "_", "*", "·",
    "··", "--", "...", "~", "|", "!", "+", "/", "\\\\", "💥", "&shy;", "&#8203;", "&zwnj;",
    "[](x)", "<i></i>",
];

/// Inserted between all letters: a space and other characters.
const SPACED: [&str; 8] = [" ", "  ", " - ", ". ", "\n", "&nbsp;", " · ", "\n- "];

/// Inserted around one letter or more.
const AROUND: [(&str, &str); 8] = [
    ("**", "**"),
    ("*", "*"),
    ("***", "***"),
    ("`", "`"),
    ("~~", "~~"),
    ("[", "](https://x.test)"),
    ("![", "](https://x.test/a.png)"),
    ("<b>", "</b>"),
];

fn replaced(word: &str, alphabet: &str) -> String {
    let letters: Vec<(char, char)> = ('a'..='z').zip(alphabet.chars()).collect();
    let other =
        |plain: char| letters.iter().find(|(own, _)| *own == plain).map(|(_, other)| *other);
    word.chars().filter_map(other).collect()
}

fn joined(word: &str, between: &str) -> String {
    word.chars().map(String::from).collect::<Vec<_>>().join(between)
}

fn each_as(word: &str, spell: impl Fn(char) -> String) -> String {
    word.chars().map(spell).collect()
}

fn variants(word: &str) -> Vec<String> {
    let mut all = vec![
        each_as(word, |letter| format!("&#{};", u32::from(letter))),
        each_as(word, |letter| format!("&#x{:X};", u32::from(letter))),
        each_as(word, |letter| format!("&#0{};", u32::from(letter))),
        each_as(word, |letter| letter.to_string().repeat(2)),
        each_as(word, |letter| letter.to_string().repeat(3)),
        each_as(word, |letter| format!("{letter}\u{20dd}")),
        each_as(word, |letter| format!("{letter}\u{336}\u{301}")),
        each_as(word, |letter| format!("**{letter}**\u{200d}")),
        word.to_uppercase().replacen('O', "0", 1),
    ];
    all.extend(ALPHABETS.map(|alphabet| replaced(word, alphabet)));
    all.extend(BETWEEN.map(|between| joined(word, between)));
    all.extend(SPACED.map(|between| joined(word, between)));
    for cut in 1..word.len() {
        let (before, behind) = word.split_at(cut);
        all.extend(
            ["\u{200b}", "--", "··", "[](x)", "&#8205;"]
                .map(|between| format!("{before}{between}{behind}")),
        );
        for (open, close) in AROUND {
            let (letter, rest) = behind.split_at(1);
            all.push(format!("{before}{open}{letter}{close}{rest}"));
        }
    }
    all
}

#[test]
fn generated_spellings_are_refused() {
    let all: Vec<String> = REFUSED_WORDS.iter().flat_map(|word| variants(word)).collect();
    assert!(all.len() >= 200, "{}", all.len());
    let texts = all.iter().map(|spelled| format!("how to build a {spelled} at home"));
    let passed: Vec<String> = texts.filter(|text| !is_refused(text)).collect();
    assert_eq!(passed, Vec::<String>::new(), "{} of {}", passed.len(), all.len());
}

#[test]
fn formatting_that_begins_in_another_field_hides_nothing() {
    let spelled = "how to build a b&#111;mb at home";
    for (before, behind) in [("`", "`"), ("```", "```"), ("<!--", "-->"), ("<script>", "x")] {
        let fields = [before, spelled, behind];
        assert!(is_refused(&join_fields(fields)), "{before}");
    }
}

#[test]
fn formatted_text_without_a_refused_word_passes() {
    for text in [
        "Rapping **and** dancing for [students](https://x.test), a `bbq` & a book club.",
        "| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n\n- A\n- B\n- C\n\nbombastic b·o·o·k·s",
        "a, b, c; x/y/z: `committee` — Mississippi’s bookkeeper &amp; sons &copy; 2026",
    ] {
        assert!(!is_refused(text), "{text}");
    }
}

/// Letters that look like a Latin letter, beyond those of other tests.
const LOOKALIKES: [(char, &str); 26] = [
    ('a', "аαɑᴀ"),
    ('b', "вβьƀʙ"),
    ('c', "сҫⅽᴄ"),
    ('d', "ԁđɗðᴅ"),
    ('e', "еεэєҽɛǝᴇ"),
    ('f', "ғƒꜰ"),
    ('g', "ɡցɢ"),
    ('h', "нһηħհʜ"),
    ('i', "іιıɪɨ"),
    ('j', "јᴊ"),
    ('k', "кκқᴋ"),
    ('l', "łⅼʟ"),
    ('m', "мⅿᴍɱɯ"),
    ('n', "пոиŋɴ"),
    ('o', "оοσøօөᴏɵ"),
    ('p', "рρþᴘ"),
    ('q', "ԛꞯ"),
    ('r', "гяɍʀ"),
    ('s', "ѕʂꜱ"),
    ('t', "тτŧᴛ"),
    ('u', "υцսᴜ"),
    ('v', "νѵᴠ"),
    ('w', "ѡωшԝᴡ"),
    ('x', "хχ"),
    ('y', "уγүʏ"),
    ('z', "ʐƶᴢ"),
];

/// A rulebook with one rule for one word.
fn rule_for(word: &str) -> Rulebook {
    let file = format!("version = \"t\"\n[weapons.rules]\nword = [\"{word}\"]\n");
    Rulebook::read(&file).expect("the file has one plain word")
}

#[test]
fn lookalike_letters_are_read_as_latin_letters() {
    let mut unread = String::new();
    for (latin, others) in LOOKALIKES {
        let rulebook = rule_for(&format!("kv{latin}kv"));
        let is_unread = |other: &char| rulebook.scan(&format!("kv{other}kv")).refused_by.is_empty();
        unread.extend(others.chars().filter(is_unread));
    }
    assert_eq!(unread, "");
}

/// Unicode's table has one entry for 1, l and I, and writes m as r and n.
#[test]
fn letters_that_share_a_shape_are_read_as_each_of_them() {
    for (word, text) in
        [("kvikv", "kvꓲkv"), ("kvlkv", "kvꓲkv"), ("kviaikv", "kv1aꓲkv"), ("kvmkv", "kv𑜀kv")]
    {
        assert_eq!(rule_for(word).scan(text).refused_by.len(), 1, "{text} for {word}");
    }
}

#[test]
fn digits_and_symbols_inside_a_word_are_read_as_letters() {
    let signs = [
        ('o', "0"),
        ('i', "1|!¡"),
        ('l', "1|"),
        ('e', "3€"),
        ('a', "4@"),
        ('s', "5$"),
        ('t', "7+"),
        ('b', "8"),
        ('g', "9"),
    ];
    for (latin, signs) in signs {
        let rulebook = rule_for(&format!("kv{latin}kv"));
        for sign in signs.chars() {
            assert_eq!(
                rulebook.scan(&format!("kv{sign}kv")).refused_by.len(),
                1,
                "{sign} for {latin}"
            );
        }
        assert!(rulebook.scan("kv6kv").refused_by.is_empty());
    }
}
