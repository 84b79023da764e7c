//! Tests of the checker: one valid history, and one change for each way to violate a rule.

use super::*;
use crate::history::{ObservedEvent, Outcome, Transport};

/// The input of the checker, for a change in one place.
struct Case {
    steps: Vec<Step>,
    observations: Vec<Observation>,
    transcripts: Vec<Transcript>,
}

const DEBATE: Uuid = Uuid::from_u128(1);

fn argument(seq: Seq) -> Uuid {
    Uuid::from_u128(1000 + u128::from(seq))
}

fn content(event: Event, seq: Seq) -> ContentHash {
    ContentHash::new(event.kind, event.role, None, &format!("words of {seq}"))
}

fn write(seq: Seq, event: Event, outcome: Outcome) -> Step {
    let t_start = u64::from(seq) * 100;
    Step {
        client: 0,
        op: Operation::Write(event),
        key: format!("key-{seq}"),
        debate: DEBATE,
        content_hash: content(event, seq),
        t_start,
        t_end: t_start + 50,
        outcome,
    }
}

fn ok(seq: Seq) -> Outcome {
    Outcome::Ok { seq, id: argument(seq), fresh: true }
}

fn observation(sub: u32, kind: Transport, event: ObservedEvent) -> Observation {
    Observation { sub, kind, debate: DEBATE, t: 10_000, event }
}

fn argument_event(seq: Seq, state: State) -> ObservedEvent {
    ObservedEvent::Argument { seq, id: argument(seq), state: Some(state) }
}

/// Five requests and the server's automatic ruling; one subscriber of each transport; one read.
fn sound() -> Case {
    let events = [
        Event::new(Kind::Motion, Role::Proposer),
        Event::new(Kind::Claim, Role::Opponent),
        Event::new(Kind::Claim, Role::Proposer),
        Event::new(Kind::Claim, Role::Opponent),
        Event::new(Kind::Resolution, Role::Proposer),
    ];
    let mut steps: Vec<_> =
        events.iter().zip(1..).map(|(event, seq)| write(seq, *event, ok(seq))).collect();
    let mut rows: Vec<_> = events
        .iter()
        .zip(1..)
        .map(|(event, seq)| Row {
            seq,
            id: argument(seq),
            kind: event.kind,
            role: event.role,
            key: Some(format!("key-{seq}")),
            content_hash: content(*event, seq),
        })
        .collect();
    let ruling = Event::closing_ruling();
    let (kind, role, content_hash) = (ruling.kind, ruling.role, content(ruling, 6));
    rows.push(Row { seq: 6, id: argument(6), kind, role, key: None, content_hash });
    let mut read = write(5, events[4], ok(6));
    (read.op, read.t_start, read.t_end) = (Operation::Read, 600, 650);
    steps.push(read);
    let states = [
        State::AwaitingOpponent,
        State::AwaitingProposer,
        State::AwaitingOpponent,
        State::AwaitingProposer,
        State::AwaitingArbitrator,
        State::Closed,
    ];
    let mut observations = Vec::new();
    for (sub, kind) in (0..).zip(Transport::ALL) {
        observations.push(observation(sub, kind, ObservedEvent::Begin(Some(0))));
        let all = states
            .iter()
            .zip(1..)
            .map(|(state, seq)| observation(sub, kind, argument_event(seq, *state)));
        observations.extend(all);
    }
    let transcripts = vec![Transcript { debate: DEBATE, state: State::Closed, rows }];
    Case { steps, observations, transcripts }
}

impl Case {
    fn rows(&mut self) -> &mut Vec<Row> {
        &mut self.transcripts[0].rows
    }

    fn violations(&self) -> Vec<Violation> {
        check(&self.steps, &self.observations, &self.transcripts)
    }

    /// Replaces all observations by those of the first subscriber.
    fn keep_first_subscriber(&mut self, events: impl IntoIterator<Item = ObservedEvent>) {
        self.observations =
            events.into_iter().map(|event| observation(7, Transport::Sse, event)).collect();
    }
}

/// Changes a valid history and returns the rules that it then violates.
fn broken(spoil: impl FnOnce(&mut Case)) -> Vec<Rule> {
    let mut case = sound();
    spoil(&mut case);
    let mut rules: Vec<_> = case.violations().iter().map(|violation| violation.rule).collect();
    rules.dedup();
    rules
}

fn all_states() -> impl Iterator<Item = ObservedEvent> {
    sound()
        .observations
        .into_iter()
        .filter(|observation| observation.sub == 0)
        .skip(1)
        .map(|one| one.event)
}

#[test]
fn valid_history_has_no_violation() {
    let found = sound().violations();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn rule_1_reports_an_acknowledged_write_that_is_lost_moved_changed_or_duplicated() {
    assert_eq!(
        broken(|case| {
            case.rows().truncate(4);
            case.transcripts[0].state = State::AwaitingProposer;
            case.observations.clear();
            case.steps.pop();
        }),
        [Rule::Acknowledged]
    );
    assert_eq!(
        broken(|case| case.steps[3].outcome = Outcome::Ok { seq: 4, id: argument(3), fresh: true }),
        [Rule::Acknowledged]
    );
    let other = ContentHash::new(Kind::Claim, Role::Opponent, None, "other words");
    assert_eq!(broken(|case| case.rows()[1].content_hash = other), [Rule::Acknowledged]);
    assert!(broken(|case| case.rows()[3].key = Some("key-2".into())).contains(&Rule::Acknowledged));
}

#[test]
fn rule_1_reports_a_key_that_is_new_twice_or_was_never_sent() {
    let twin = |case: &mut Case| {
        let twin = case.steps[2].clone();
        case.steps.push(twin);
    };
    assert_eq!(broken(twin), [Rule::Acknowledged]);
    assert_eq!(
        broken(|case| {
            case.steps.remove(2);
        }),
        [Rule::Acknowledged]
    );
}

#[test]
fn rule_1_reports_a_replay_of_other_content_under_the_same_key() {
    let reuse = |outcome| {
        broken(|case| {
            let mut reuse = case.steps[2].clone();
            reuse.content_hash = ContentHash::new(Kind::Claim, Role::Proposer, None, "other words");
            (reuse.t_start, reuse.t_end) = (900, 950);
            reuse.outcome = outcome;
            case.steps.push(reuse);
        })
    };
    let replayed = Outcome::Ok { seq: 3, id: argument(3), fresh: false };
    assert_eq!(
        reuse(replayed),
        [Rule::Acknowledged, Rule::RealTime],
        "nor can it stand before what was acknowledged before it was asked"
    );
    assert_eq!(reuse(Outcome::Refused("IDEMPOTENCY_CONFLICT".into())), []);
}

#[test]
fn rule_2_reports_a_refused_write_in_the_log() {
    let refused = Outcome::Refused("ACTION_NOT_ALLOWED".into());
    assert_eq!(broken(|case| case.steps[2].outcome = refused), [Rule::Refused]);
}

#[test]
fn rule_3_reports_an_unknown_outcome_that_is_not_settled_as_answered() {
    let lost = || Outcome::Indefinite("no answer".into());
    assert_eq!(broken(|case| case.steps[2].outcome = lost()), [Rule::Indefinite]);
    let settled = |outcome| {
        broken(|case| {
            case.steps[2].outcome = lost();
            let mut retry = case.steps[2].clone();
            (retry.t_start, retry.t_end, retry.outcome) = (900, 950, outcome);
            case.steps.push(retry);
        })
    };
    assert_eq!(settled(Outcome::Ok { seq: 3, id: argument(3), fresh: false }), []);
    assert_eq!(settled(Outcome::Refused("ACTION_NOT_ALLOWED".into())), [Rule::Indefinite]);
    assert_eq!(
        settled(Outcome::Ok { seq: 4, id: argument(4), fresh: false }),
        [Rule::Indefinite],
        "it is at 3"
    );
}

#[test]
fn rule_3_refusal_settles_only_earlier_attempts() {
    let rules = broken(|case| {
        let mut refused = write(9, Event::new(Kind::Claim, Role::Opponent), ok(9));
        refused.outcome = Outcome::Refused("ACTION_NOT_ALLOWED".into());
        let mut later = refused.clone();
        (later.t_start, later.t_end) = (refused.t_start + 10, refused.t_end + 10);
        later.outcome = Outcome::Indefinite("no answer".into());
        case.steps.extend([refused, later]);
    });
    assert_eq!(rules, [Rule::Indefinite]);
}

#[test]
fn rule_4_reports_a_gap_in_the_log() {
    let rules = broken(|case| {
        for row in &mut case.rows()[3..] {
            row.seq += 1;
        }
    });
    assert!(rules.contains(&Rule::Dense), "{rules:?}");
}

#[test]
fn rule_5_reports_a_state_that_differs_from_the_log() {
    assert_eq!(
        broken(|case| case.transcripts[0].state = State::AwaitingArbitrator),
        [Rule::StateMatchesLog]
    );
    let told_wrong = |case: &mut Case| {
        case.observations[3].event = argument_event(3, State::Closed);
    };
    assert_eq!(broken(told_wrong), [Rule::StateMatchesLog]);
}

#[test]
fn rule_6_reports_a_forbidden_argument() {
    let rules = broken(|case| {
        let twice = Event::new(Kind::Claim, Role::Opponent);
        case.rows()[2].role = twice.role;
        case.rows()[2].content_hash = content(twice, 3);
        case.steps[2] = write(3, twice, ok(3));
    });
    assert_eq!(rules, [Rule::Legal]);
}

#[test]
fn rule_7_reports_a_missed_repeated_swapped_or_invented_event() {
    let apply = |change: fn(&mut Vec<ObservedEvent>)| {
        broken(|case| {
            let mut seen: Vec<_> =
                [ObservedEvent::Begin(Some(0))].into_iter().chain(all_states()).collect();
            change(&mut seen);
            case.keep_first_subscriber(seen);
        })
    };
    assert_eq!(apply(|_| {}), []);
    assert_eq!(apply(|seen| drop(seen.remove(3))), [Rule::Subscribed]);
    assert_eq!(apply(|seen| seen.insert(3, seen[3].clone())), [Rule::Subscribed]);
    assert_eq!(apply(|seen| seen.swap(2, 3)), [Rule::Subscribed]);
    assert_eq!(apply(|seen| drop(seen.pop())), [Rule::Subscribed], "it did not get to the end");
    let invented = ObservedEvent::Argument { seq: 2, id: argument(99), state: None };
    assert_eq!(
        broken(|case| case.keep_first_subscriber([ObservedEvent::Begin(Some(1)), invented])),
        [Rule::Subscribed]
    );
    assert_eq!(
        apply(|seen| seen.push(ObservedEvent::Wrong("said 500".into()))),
        [Rule::Subscribed]
    );
}

#[test]
fn rule_7_allows_a_reset_only_for_unknown_positions_and_requires_everything_after_it() {
    let lost = || [ObservedEvent::Begin(None)].into_iter();
    assert_eq!(
        broken(|case| case
            .keep_first_subscriber(lost().chain([ObservedEvent::Reset]).chain(all_states()))),
        []
    );
    assert_eq!(
        broken(|case| case.keep_first_subscriber(lost().chain(all_states()))),
        [Rule::Subscribed],
        "it was not told"
    );
    assert_eq!(
        broken(|case| case.keep_first_subscriber(
            lost().chain([ObservedEvent::Reset]).chain(all_states().skip(1))
        )),
        [Rule::Subscribed],
        "not everything came"
    );
    assert_eq!(
        broken(|case| {
            let seen = [ObservedEvent::Begin(Some(2)), ObservedEvent::Reset]
                .into_iter()
                .chain(all_states());
            case.keep_first_subscriber(seen);
        }),
        [Rule::Subscribed],
        "its position exists"
    );
}

#[test]
fn rule_7_reports_a_wait_that_missed_an_acknowledged_write() {
    let wait = |since, timeout| {
        broken(|case| {
            let nothing = ObservedEvent::Nothing { after: 1, since, timeout };
            let begin = [ObservedEvent::Begin(Some(1)), nothing].into_iter();
            case.keep_first_subscriber(begin.chain(all_states().skip(1)));
        })
    };
    // The second argument was acknowledged at 250.
    assert_eq!(wait(110, 500), [Rule::Subscribed]);
    assert_eq!(wait(110, 100), [], "its time was up before");
    assert_eq!(wait(110, 20_000), [], "it was let go early, as at shutdown");
}

#[test]
fn rule_8_reports_a_later_request_before_an_earlier_one() {
    let rules = broken(|case| {
        (case.steps[1].t_start, case.steps[1].t_end) = (360, 390);
        (case.steps[2].t_start, case.steps[2].t_end) = (200, 250);
    });
    assert_eq!(rules, [Rule::RealTime]);
    let overlapping = broken(|case| case.steps[1].t_end = 349);
    assert_eq!(overlapping, [], "either order is fine for what overlaps");
}

#[test]
fn rule_9_reports_a_read_that_misses_or_invents_a_write() {
    let read = |outcome| broken(|case| case.steps[5].outcome = outcome);
    assert_eq!(read(ok(4)), [Rule::ReadYourWrites]);
    assert_eq!(read(Outcome::Refused("DEBATE_NOT_FOUND".into())), [Rule::ReadYourWrites]);
    let invented = Outcome::Ok { seq: 6, id: argument(99), fresh: true };
    assert_eq!(read(invented), [Rule::ReadYourWrites]);
    assert_eq!(read(Outcome::Indefinite("no answer".into())), []);
}
