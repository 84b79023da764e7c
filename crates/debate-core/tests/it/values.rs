//! Small values: their bounds, their text forms, and what Debug output hides.

use std::time::Duration;

use debate_core::arena::{StoredArgument, open};
use debate_core::forum::{AgentKey, Depth, Description, KeyPrefix, TextDigest, agent_limit};
use debate_core::runner::{Actor, Attempt, Retry, Round, Turn, TurnDraft, retry};
use debate_core::{
    Bounded, CallFailure, CallTokens, Content, Fence, Fingerprint, LeaseState, Limit, Message,
    MessageRole, ModelName, Offset, OriginalId, OutOfRange, Quota, RateLimit, SearchText, Seq,
    SessionDigest, Title, TokenCount, Topic, Usage, Window, admit, escape_misleading,
    is_misleading,
};

use crate::runner::support::{cursor_at, turn};
use crate::support::{instant, opening, slug};

#[test]
fn bounded_numbers_accept_exactly_their_range() {
    type Digit = Bounded<2, 9>;
    let out_of_range = Err(OutOfRange { least: 2, most: 9 });
    for number in [i64::MIN, -1, 0, 1, 10, i64::MAX] {
        assert_eq!(Digit::from_wire(number), out_of_range, "{number}");
    }
    for number in [2, 3, 9] {
        let digit = Digit::from_wire(i64::from(number)).expect("it is in range");
        assert_eq!((digit.number(), digit.to_string()), (number, number.to_string()));
    }
    assert_eq!(Digit::constant::<5>().limit_to(3), Digit::new(3).ok());
    assert_eq!(Digit::constant::<5>().limit_to(7), Digit::new(5).ok());
    assert_eq!(Digit::constant::<5>().limit_to(1), None);
}

#[test]
fn positions_and_sizes_keep_their_numbers() {
    assert_eq!((Seq::new(9).since(Seq::new(4)), Seq::new(4).since(Seq::new(9))), (5, 0));
    assert_eq!(Seq::START.next(), Seq::FIRST);
    assert_eq!(
        (Offset::new(7).map(Offset::count), Limit::new(7).map(Limit::count)),
        (Ok(7), Ok(7))
    );
    assert!(Offset::new(Offset::MOST).is_ok() && Offset::new(Offset::MOST + 1).is_err());
    assert!(Limit::new(Limit::MOST).is_ok() && Limit::new(Limit::MOST + 1).is_err());
    assert_eq!(Depth::new(3).map(Depth::number), Some(3));
    assert_eq!(Depth::new(4).and_then(Depth::below).map(Depth::number), Some(5));
    assert_eq!(Depth::new(5).and_then(Depth::below), None);
    assert_eq!(Round::new(12).map(|round| round.to_string()), Some("12".to_owned()));
    assert_eq!(agent_limit(1000).map(RateLimit::count), Ok(1000));
    assert_eq!(agent_limit(1).map(RateLimit::count), Ok(1));
    let out_of_range = Err(OutOfRange { least: 1, most: 1000 });
    assert_eq!((agent_limit(0), agent_limit(1001)), (out_of_range, out_of_range));
}

#[test]
fn debug_output_hides_secrets_and_texts() {
    let secret = "do not log this";
    let (debate_opening, at) = (opening(), instant(0));
    let mut argument = open(&debate_opening, slug(), at).motion;
    argument.content = secret.to_owned();
    let stored = StoredArgument { argument: argument.clone(), fingerprint: None };
    let key = AgentKey::new([7; 32]);
    let description = format!("{secret:x<60}");
    let message = Message { role: MessageRole::User, text: secret.to_owned() };
    let turn = turn(1, cursor_at(1, Actor::DebaterA), secret);
    let Turn { id, cursor, content, model, usage, metadata, .. } = turn.clone();
    let turn_draft = TurnDraft { id, cursor, content, model, usage, metadata };
    let shown = [
        (format!("{turn:?}"), "Turn { id: TurnId("),
        (format!("{turn_draft:?}"), "TurnDraft { id: TurnId("),
        (format!("{argument:?}"), "Argument { id: ArgumentId("),
        (format!("{stored:?}"), "StoredArgument { argument: Argument {"),
        (format!("{:?}", Content::new(secret.to_owned(), 99).unwrap()), "Content(15 bytes)"),
        (format!("{:?}", Topic::new(secret.to_owned()).unwrap()), "Topic(15 bytes)"),
        (format!("{:?}", Description::new(description).unwrap()), "Text(60 bytes)"),
        (format!("{message:?}"), "Message(User, 15 bytes)"),
        (format!("{:?}", Fence::new([7; 16])), "Fence"),
        (format!("{key:?}"), "AgentKey(awk_070707070707…)"),
        (format!("{:?}", key.digest()), "KeyDigest"),
        (format!("{:?}", SessionDigest::new([7; 32])), "SessionDigest(…)"),
    ];
    for (text, beginning) in shown {
        assert!(text.starts_with(beginning), "{text}");
        assert!(!text.contains(secret) && !text.contains(key.reveal()), "{text}");
    }
}

#[test]
fn keys_and_digests_survive_storage() {
    let key = AgentKey::new([0xab; 32]);
    assert_eq!(key.prefix().as_str(), "awk_abababababab");
    assert_eq!(KeyPrefix::parse("awk_abababababab"), Ok(key.prefix()));
    assert!(
        AgentKey::parse(key.reveal()).is_ok_and(|parsed| parsed.digest().is_same(&key.digest()))
    );
    assert!(!AgentKey::new([1; 32]).digest().is_same(&key.digest()));
    let bytes: [u8; 32] = std::array::from_fn(|index| u8::try_from(index).unwrap_or_default());
    assert_eq!(TextDigest::from_bytes(bytes).as_bytes(), &bytes);
    assert_eq!(Fingerprint::from_bytes(bytes).as_bytes(), &bytes);
    assert_eq!(SessionDigest::new(bytes).as_bytes(), &bytes);
    let id = OriginalId::new("17").expect("it is an id");
    assert_ne!(id.to_debate_id().uuid(), id.to_argument_id().uuid());
}

#[test]
fn texts_keep_their_characters() {
    let model = ModelName::new("command:a:b").expect("it is a name");
    assert_eq!((model.provider(), model.model(), model.is_demo()), ("command", "a:b", false));
    assert!(ModelName::new("demo:fast").is_ok_and(|model| model.is_demo()));
    assert_eq!(
        Title::new("Tabs".to_owned()).map(|title| title.as_str().to_owned()),
        Ok("Tabs".to_owned())
    );
    assert_eq!(SearchText::haystack("TABS", "Σίσυφος"), "tabs\nσίσυφοσ");
    assert_eq!(
        Content::new("four".to_owned(), 4).map(|text| text.as_str().to_owned()),
        Ok("four".to_owned())
    );
    assert!(Content::new("fives".to_owned(), 4).is_err());
    assert!(Title::new("x".repeat(Title::MOST)).is_ok());
    assert!(Title::new("x".repeat(Title::MOST + 1)).is_err());
    assert!(Title::new("x".repeat(Title::MOST + 2)).is_err());
}

#[test]
fn misleading_characters_are_shown_by_picture_or_code() {
    let escape = |text: &str| escape_misleading(text, |c| c == '\n', ['<', '>']);
    assert_eq!(escape("a\u{1}b\u{1f}c\u{7f}"), "a␁b␟c␡");
    assert_eq!(escape("a\u{202e}b\u{2028}c\u{10ffff}"), "a<U+202E>b<U+2028>c<U+10FFFF>");
    assert_eq!(escape("one\ntwo\tthree"), "one\ntwo␉three");
    assert_eq!(escape("naïve 👩‍👧"), "naïve 👩‍👧");
    for plain in ['a', 'é', '日', ' ', '\u{200d}'] {
        assert!(!is_misleading(plain), "{plain:?}");
    }
    for hidden in ['\0', '\u{200b}', '\u{2800}', '\u{fffb}', '\u{e0001}'] {
        assert!(is_misleading(hidden), "{hidden:?}");
    }
}

#[test]
fn usage_is_clipped_only_above_the_bound() {
    let max_usage = TokenCount { prompt_tokens: 10, completion_tokens: 20 };
    assert_eq!(max_usage.total(), 30);
    let at_the_bound = Usage::reported(10, 20);
    assert_eq!(at_the_bound.clip(max_usage), at_the_bound);
    for (prompt, completion) in [(11, 20), (10, 21), (11, 21)] {
        let clipped = Usage::reported(prompt, completion).clip(max_usage);
        assert_eq!(clipped, Usage { clipped: true, ..at_the_bound });
    }
    let allowed = CallTokens::constant::<50>();
    assert_eq!(Usage::UNREPORTED.charged_tokens(allowed.number()), 50);
    assert_eq!(Usage::reported(1, 2).charged_tokens(allowed.number()), 2);
    assert_eq!(Usage::UNREPORTED.or_max(max_usage), max_usage);
}

#[test]
fn lease_is_read_from_its_two_columns() {
    let (early, late) = (instant(1), instant(9));
    assert_eq!(LeaseState::from_columns(None, None), Some(LeaseState::Idle));
    assert_eq!(LeaseState::from_columns(Some(late), None), Some(LeaseState::Due { at: late }));
    let leased_run = LeaseState::Held { since: early, until: late };
    assert_eq!(LeaseState::from_columns(Some(late), Some(early)), Some(leased_run));
    assert_eq!(LeaseState::from_columns(None, Some(early)), None);
    assert!(!LeaseState::Idle.is_due(late));
    assert!(!leased_run.is_due(early) && leased_run.is_due(late));
    assert_eq!((leased_run.due(), leased_run.held_since()), (Some(late), Some(early)));
}

#[test]
fn first_of_two_equal_windows_decides() {
    let quota = Quota::per_minute(RateLimit::new(1).expect("it is a limit"));
    let mut windows = [(quota, Window::default()), (quota, Window::default())];
    let accepted = admit(&mut windows, instant(0)).expect("there are windows");
    assert_eq!((accepted.decisive, accepted.admission.is_refused()), (0, false));
    assert_eq!(accepted.admission.retry_after_seconds(), None);
    let refused = admit(&mut windows, instant(20)).expect("there are windows");
    assert_eq!((refused.decisive, refused.admission.is_refused()), (0, true));
    assert_eq!(refused.admission.retry_after_seconds(), Some(40));
    assert_eq!(windows[0].1.buckets().len(), 1);
}

#[test]
fn provider_may_ask_for_exactly_fifteen_minutes() {
    let failure = |wait| CallFailure::Transient { retry_after: Some(wait) };
    let longest = Duration::from_mins(15);
    let next = Attempt::FIRST.next().expect("there are several attempts");
    let expected = Retry::After { wait: longest, attempt: next };
    assert_eq!(retry(Attempt::FIRST, failure(longest), 0), expected);
    let longer = longest + Duration::from_nanos(1);
    assert_eq!(retry(Attempt::FIRST, failure(longer), 0), Retry::GiveUp);
}
