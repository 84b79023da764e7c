//! The verdict of a judge and its text.

use debate_core::runner::{
    Judgement, LabelLanguage, Language, NotAVerdict, Score, Verdict, Winner,
};

use super::support::verdict;

#[test]
fn verdict_text_has_winner_scores_blank_line_and_summary() {
    let english = LabelLanguage::English;
    let content = verdict(false).content(english);
    assert_eq!(content, "Winner: A\nScores: A=7, B=5\n\nA answered more.");
    let tie = Verdict::new("Even.", [0, 10], Winner::Tie, true).expect("it is one");
    assert_eq!(tie.content(english), "Winner: Tie\nScores: A=0, B=10\n\nEven.");
}

#[test]
fn verdict_labels_follow_the_output_language() {
    let labels = |tag: &str| Language::new(tag.to_owned()).expect("it is a tag").label_language();
    for tag in ["en", "en-GB", "de", "ja", "zhx", "yue-HK"] {
        assert_eq!(labels(tag), LabelLanguage::English, "{tag}");
    }
    for tag in ["zh", "zh-CN", "zh-SG", "zh-Hans", "zh-Hans-TW", "ZH-cn", "zh-u-co-hant"] {
        assert_eq!(labels(tag), LabelLanguage::SimplifiedChinese, "{tag}");
    }
    for tag in ["zh-TW", "zh-HK", "zh-MO", "zh-Hant", "zh-Hant-CN", "zh-hant-hk", "Zh-tw"] {
        assert_eq!(labels(tag), LabelLanguage::TraditionalChinese, "{tag}");
    }
    let tie = Verdict::new("Even.", [0, 10], Winner::Tie, true).expect("it is one");
    let simplified = LabelLanguage::SimplifiedChinese;
    assert_eq!(tie.content(simplified), "胜者: 平局\n分数: A=0, B=10\n\nEven.");
    let traditional = LabelLanguage::TraditionalChinese;
    assert_eq!(tie.content(traditional), "勝者: 平手\n分數: A=0, B=10\n\nEven.");
    let missing = Judgement::Missing.content(traditional);
    assert!(missing.starts_with("勝者: 平手\n分數: A=0, B=0\n\n裁判沒有"), "{missing}");
}

#[test]
fn score_outside_0_to_10_is_refused() {
    for points in 0..=u8::MAX {
        let expected = if points <= 10 { Ok(points) } else { Err(NotAVerdict::Score) };
        assert_eq!(Score::new(points).map(Score::points), expected);
    }
    let too_much = Verdict::new("So.", [7, 11], Winner::A, false);
    assert_eq!(too_much, Err(NotAVerdict::Score));
}

#[test]
fn blank_or_unstorable_summary_is_refused() {
    for blank in ["", " \n\t "] {
        assert_eq!(Verdict::new(blank, [1, 2], Winner::B, false), Err(NotAVerdict::Summary));
    }
    let longest = "ü".repeat(Verdict::SUMMARY_MOST);
    assert!(Verdict::new(&longest, [1, 2], Winner::B, false).is_ok());
    let too_long = format!("{longest}x");
    assert_eq!(Verdict::new(&too_long, [1, 2], Winner::B, false), Err(NotAVerdict::Summary));
    let stored = Verdict::new(" a\0b ", [1, 2], Winner::B, false).expect("it is one");
    assert_eq!(stored.summary, "a\u{fffd}b");
}

#[test]
fn missing_verdict_is_marked_and_has_no_winner() {
    let missing = Judgement::Missing;
    assert!(!missing.is_valid() && !missing.has_no_new_arguments());
    let shown = missing.verdict();
    assert_eq!((shown.score_a, shown.score_b), (Score::ZERO, Score::ZERO));
    assert_eq!((shown.winner, shown.no_new_substantive_arguments), (Winner::Tie, false));
    let content = missing.content(LabelLanguage::English);
    assert!(content.starts_with("Winner: Tie\nScores: A=0, B=0\n\nThe judge gave no"));

    let given = Judgement::Given(verdict(true));
    assert!(given.is_valid() && given.has_no_new_arguments());
    assert_eq!(given.verdict(), verdict(true));
}

#[test]
fn winner_names_follow_the_contract_and_are_parsed_back() {
    let names = ["a", "b", "tie"];
    assert_eq!(Winner::ALL.map(Winner::name), names);
    assert_eq!(names.map(Winner::from_name), Winner::ALL.map(Some));
    assert_eq!(Winner::from_name("A"), None);
}
