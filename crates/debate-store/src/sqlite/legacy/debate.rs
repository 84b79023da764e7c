//! One debate of an original server, read and replayed by the rules.

use std::collections::HashSet;

use debate_core::arena::{
    Argument, ArgumentType, Debate, DebateType, Role, RulingEffect, SERVER, State, StoredArgument,
    next, requested_target, stored_move,
};
use debate_core::{ArgumentId, DebateId, Fingerprint, OriginalId, Seq};
use jiff::Timestamp;

use super::problems::{RowProblem, RowProblems, quote};
use super::row::OldRow;

/// A debate as it will be stored, with its original id and type.
pub(super) struct MigratedDebate {
    pub(super) debate: Debate,
    pub(super) original_id: Option<OriginalId>,
    pub(super) original_type: Option<String>,
    pub(super) entries: Vec<StoredArgument>,
    /// The original ids of its arguments and of the arguments they answer.
    pub(super) original_arguments: Vec<OriginalId>,
}

/// A row of the original table of debates.
pub(super) struct OldDebate {
    /// The id as it is in the file.
    pub(super) key: String,
    pub(super) debate: Debate,
    pub(super) original_id: Option<OriginalId>,
    pub(super) original_type: Option<String>,
}

impl OldDebate {
    /// Reads `id, title, debate_type, state, created_at, updated_at`; every column is checked.
    pub(super) fn read(row: &OldRow<'_>, problems: &mut RowProblems) -> Option<Self> {
        let id = read_id(row, 0, "id", problems, OriginalId::to_debate_id);
        let title = row.text(1, problems);
        let debate_type = read_type(row, problems);
        let state = row.enum_value((3, "state"), problems, State::from_name);
        let created_at = row.time((4, "created_at"), problems);
        let updated_at = row.time((5, "updated_at"), problems);
        let ((id, original_id), (debate_type, original_type)) = (id?, debate_type?);
        let (state, created_at, updated_at) = (state?, created_at?, updated_at?);
        Some(Self {
            key: row.key(),
            debate: Debate {
                id,
                title,
                debate_type,
                state,
                created_at,
                updated_at,
                // Assigned after the last debate was inserted.
                slug: String::new(),
                seat_changes: None,
            },
            original_id,
            original_type,
        })
    }

    /// Replays the arguments, which must be numbered without gaps, be legal, and lead
    /// to the stored state.
    pub(super) fn replay(
        self,
        arguments: Vec<OldArgument>,
        problems: &mut RowProblems,
    ) -> Option<MigratedDebate> {
        let Self { key, debate, original_id, original_type } = self;
        let count = arguments.len();
        let (mut entries, mut original_arguments) =
            (Vec::<StoredArgument>::with_capacity(count), Vec::new());
        for (index, argument) in arguments.into_iter().enumerate() {
            let closes = index + 1 == count && debate.state == State::Closed;
            original_arguments.extend(argument.originals.iter().cloned());
            match argument.replay(&debate, entries.last(), closes) {
                Ok(entry) => entries.push(entry),
                Err(row) => {
                    problems.refuse(row);
                    return None;
                }
            }
        }
        let reached = entries.last().map(|entry| entry.argument.state_after);
        if reached != Some(debate.state) {
            let reached = reached.map_or("none", State::name);
            let reason =
                format!("the stored state is {}, the replayed state is {reached}", debate.state);
            problems.refuse(RowProblem::new("debates", &key, reason));
            return None;
        }
        Some(MigratedDebate { debate, original_id, original_type, entries, original_arguments })
    }
}

/// An unknown type is stored as `general_debate`, with the original beside it.
fn read_type(row: &OldRow<'_>, problems: &mut RowProblems) -> Option<(DebateType, Option<String>)> {
    let Some(text) = row.optional_text(2, problems) else {
        problems.refuse(row.problem("debate_type is null"));
        return None;
    };
    if let Some(known) = DebateType::from_name(&text) {
        return Some((known, None));
    }
    let stored = DebateType::General;
    problems.change(row.problem(format!(
        "debate_type {} is stored as {}; original_type keeps the original",
        quote(&text),
        stored.name()
    )));
    Some((stored, Some(text)))
}

/// An id: a UUID in any case, or another text, for which a UUID is derived.
fn read_id<I: std::str::FromStr + std::fmt::Display>(
    row: &OldRow<'_>,
    column: usize,
    name: &str,
    problems: &mut RowProblems,
    derive: impl FnOnce(&OriginalId) -> I,
) -> Option<(I, Option<OriginalId>)> {
    let text = row.text(column, problems);
    if let Ok(id) = text.parse() {
        return Some((id, None));
    }
    let Some(original) = OriginalId::new(&text) else {
        let reason = format!("{name} {} is not a valid id", quote(&text));
        problems.refuse(row.problem(reason));
        return None;
    };
    let id = derive(&original);
    if column == 0 {
        problems.change(row.problem(format!("the id becomes {id}; the original id stays valid")));
    }
    Some((id, Some(original)))
}

/// A row of the original table of arguments.
pub(super) struct OldArgument {
    /// The id as it is in the file.
    key: String,
    pub(super) id: ArgumentId,
    parent: Option<ArgumentId>,
    originals: Vec<OriginalId>,
    kind: ArgumentType,
    role: Role,
    content: String,
    request_key: Option<String>,
    seq: String,
    created_at: Timestamp,
}

impl OldArgument {
    /// Reads `id, parent_id, type, role, content, client_request_id, seq, created_at`;
    /// every column is checked.
    pub(super) fn read(row: &OldRow<'_>, problems: &mut RowProblems) -> Option<Self> {
        let id = read_id(row, 0, "id", problems, OriginalId::to_argument_id);
        let parent = row.optional_text(1, problems);
        let parent =
            parent.map(|_| read_id(row, 1, "parent_id", problems, OriginalId::to_argument_id));
        let kind = row.enum_value((2, "type"), problems, ArgumentType::from_name);
        let role = row.enum_value((3, "role"), problems, Role::from_name);
        let content = row.optional_text(4, problems);
        let request_key = row.optional_text(5, problems);
        let seq = row.text(6, problems);
        let created_at = row.time((7, "created_at"), problems);
        let (id, original) = id?;
        let (parent, original_parent) = match parent {
            None => (None, None),
            Some(parent) => {
                let (parent, original) = parent?;
                (Some(parent), original)
            }
        };
        Some(Self {
            key: row.key(),
            id,
            parent,
            originals: original.into_iter().chain(original_parent).collect(),
            kind: kind?,
            role: role?,
            content: content.unwrap_or_default(),
            request_key,
            seq,
            created_at: created_at?,
        })
    }

    /// Refuses every argument whose request id an earlier argument of its debate has.
    pub(super) fn refuse_shared_keys(arguments: &[Self], problems: &mut RowProblems) {
        let mut keys = HashSet::new();
        for argument in arguments {
            if let Some(key) = &argument.request_key
                && !keys.insert(key)
            {
                let reason = format!("another argument has client_request_id {}", quote(key));
                problems.refuse(RowProblem::new("arguments", &argument.key, reason));
            }
        }
    }

    pub(super) fn problem(&self, reason: impl Into<String>) -> RowProblem {
        RowProblem::new("arguments", &self.key, reason)
    }

    fn replay(
        self,
        debate: &Debate,
        before: Option<&StoredArgument>,
        closes: bool,
    ) -> Result<StoredArgument, RowProblem> {
        let seq = before.map_or(Seq::FIRST, |before| before.argument.seq.next());
        if self.seq != seq.to_string() {
            return Err(self.problem(format!("seq is {}, expected {seq}", self.seq)));
        }
        let (kind, role) = (self.kind, self.role);
        let verdict = if closes { RulingEffect::Close } else { RulingEffect::Continue };
        let is_automatic = kind == ArgumentType::Ruling
            && self.request_key.is_none()
            && before.is_some_and(|before| before.argument.kind == ArgumentType::Resolution);
        let before = before.map(|before| before.argument.state_after);
        let (state_after, fingerprint) = match (before, stored_move(kind, role, verdict)) {
            (None, None) if kind == ArgumentType::Motion && role == Role::Proposer => (
                State::AwaitingOpponent,
                Fingerprint::for_debate(
                    &debate.title,
                    debate.debate_type,
                    &self.content,
                    None,
                    None,
                ),
            ),
            (Some(state), Some(mv)) => (
                next(state, mv).map_err(|refusal| self.problem(refusal.to_string()))?,
                Fingerprint::for_move(mv, requested_target(mv, self.parent), &self.content),
            ),
            (None | Some(_), _) => {
                let reason = format!("the rules do not allow a {} by the {role} here", kind.name());
                return Err(self.problem(reason));
            }
        };
        let fingerprint = self.request_key.as_ref().map(|_| fingerprint);
        let mut argument = self.into_argument(debate.id, seq, state_after);
        argument.by = is_automatic.then(|| SERVER.to_owned());
        Ok(StoredArgument { argument, fingerprint })
    }

    fn into_argument(self, debate: DebateId, seq: Seq, state_after: State) -> Argument {
        let Self { id, parent, kind, role, content, request_key, created_at, .. } = self;
        Argument {
            id,
            debate,
            parent,
            kind,
            role,
            content,
            request_key,
            seq,
            created_at,
            state_after,
            by: None,
        }
    }
}
