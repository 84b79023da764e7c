//! What a seal takes of the runner: debates in the order of their ids, each with its turns and its
//! calls in theirs; then what each day cost.

use super::budget::Charge;
use super::call::Call;
use super::run::{Record, Run};
use super::settings::Settings;
use super::turn::{Metadata, Turn};
use crate::{Fingerprint, RequestKey, Seal, Usage, Work};

impl Seal {
    /// Takes a debate, before its turns, and by which key it was asked for.
    pub fn run(&mut self, record: &Record, key: Option<&(RequestKey, Fingerprint)>) {
        let Record { run, last_seq, tries, term, work } = record;
        let Run { id, topic, standing, settings, cursor, last_error, completed_rounds, .. } = run;
        self.field(b"run");
        self.field(id.uuid().as_bytes());
        self.field(topic.as_str().as_bytes());
        self.field(standing.status().name().as_bytes());
        self.maybe(standing.reason().map(|reason| reason.name().as_bytes()).as_ref());
        self.settings(settings);
        self.field(&cursor.round.number().to_le_bytes());
        self.field(cursor.actor.name().as_bytes());
        self.maybe(last_error.as_ref());
        self.field(&completed_rounds.to_le_bytes());
        self.field(&run.spent.to_le_bytes());
        self.field(&run.ran.as_micros().to_le_bytes());
        self.field(&run.created_at.as_microsecond().to_le_bytes());
        self.field(&run.updated_at.as_microsecond().to_le_bytes());
        self.field(&last_seq.number().to_le_bytes());
        self.field(&tries.to_le_bytes());
        self.field(&term.number().to_le_bytes());
        self.work(*work);
        self.maybe(key.map(|(key, _)| key.as_str().as_bytes()).as_ref());
        self.maybe(key.map(|(_, fingerprint)| fingerprint.as_bytes()));
        self.take();
    }

    fn settings(&mut self, settings: &Settings) {
        self.field(settings.debater_a_side.name().as_bytes());
        self.field(settings.output_language.tag().as_bytes());
        self.field(&[u8::from(settings.output_language_given)]);
        self.field(settings.judge_mode.name().as_bytes());
        self.field(&settings.max_rounds.number().to_le_bytes());
        self.field(&settings.max_runtime_seconds.number().to_le_bytes());
        self.field(&settings.max_total_output_tokens.number().to_le_bytes());
        self.field(&settings.max_tokens_debater.number().to_le_bytes());
        self.field(&settings.max_tokens_judge.number().to_le_bytes());
        for (_, model) in settings.models() {
            self.field(model.to_string().as_bytes());
        }
        self.field(settings.prompt_version.name().as_bytes());
    }

    fn work(&mut self, work: Work) {
        for at in [work.due(), work.held_since()] {
            self.maybe(at.map(|at| at.as_microsecond().to_le_bytes()).as_ref());
        }
    }

    /// Takes the next turn of the debate.
    pub fn turn(&mut self, turn: &Turn) {
        let Turn { id, debate, seq, place, content, model, usage, metadata, created_at } = turn;
        let Metadata { outcome, judgement, duration_ms } = metadata;
        self.field(b"turn");
        self.field(id.uuid().as_bytes());
        self.field(debate.uuid().as_bytes());
        self.field(&seq.number().to_le_bytes());
        self.field(&place.round.number().to_le_bytes());
        self.field(place.actor.name().as_bytes());
        self.field(content.as_bytes());
        self.maybe(model.as_ref());
        self.usage(*usage);
        self.field(outcome.name().as_bytes());
        self.maybe(judgement.as_ref().map(|judgement| [u8::from(judgement.is_valid())]).as_ref());
        if let Some(verdict) = judgement.as_ref().map(super::verdict::Judgement::verdict) {
            self.field(verdict.summary.as_bytes());
            self.field(&[verdict.score_a.points(), verdict.score_b.points()]);
            self.field(verdict.winner.name().as_bytes());
            self.field(&[u8::from(verdict.no_new_substantive_arguments)]);
        }
        self.maybe(duration_ms.map(u64::to_le_bytes).as_ref());
        self.field(&created_at.as_microsecond().to_le_bytes());
        self.take();
    }

    /// Takes the next call that was made for the debate.
    pub fn call(&mut self, call: &Call) {
        self.field(b"call");
        self.field(call.id.uuid().as_bytes());
        self.field(call.run.uuid().as_bytes());
        self.field(&call.place.round.number().to_le_bytes());
        self.field(call.place.actor.name().as_bytes());
        self.field(&call.number.to_le_bytes());
        self.field(call.model.to_string().as_bytes());
        self.field(&call.allowed.number().to_le_bytes());
        self.field(&call.prompt_bytes.to_le_bytes());
        let (input, output) =
            (call.rates.map(|rates| rates.input), call.rates.map(|rates| rates.output));
        for rate in [input, output] {
            self.maybe(rate.map(|rate| rate.millionths().to_le_bytes()).as_ref());
        }
        self.field(&call.started_at.as_microsecond().to_le_bytes());
        self.maybe(call.finished_at.map(|at| at.as_microsecond().to_le_bytes()).as_ref());
        self.field(call.called.name().as_bytes());
        self.usage(call.usage);
        self.take();
    }

    /// Takes what the calls of a day are booked with.
    pub fn day(&mut self, day: i64, booked: Charge) {
        self.field(b"day");
        self.field(&day.to_le_bytes());
        self.field(&booked.tokens.to_le_bytes());
        self.field(&booked.cost.nanos().to_le_bytes());
        self.take();
    }

    fn usage(&mut self, usage: Usage) {
        let Usage { prompt_tokens, completion_tokens, clipped } = usage;
        self.maybe(prompt_tokens.map(u32::to_le_bytes).as_ref());
        self.maybe(completion_tokens.map(u32::to_le_bytes).as_ref());
        self.field(&[u8::from(clipped)]);
    }
}
