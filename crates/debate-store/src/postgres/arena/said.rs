//! Arguments as columns: one statement, however many rows.

use debate_core::ArgumentId;
use debate_core::arena::StoredArgument;
use uuid::Uuid;

use super::changes::Params;

#[derive(Debug, Default)]
pub(super) struct Said {
    ids: Vec<Uuid>,
    debates: Vec<Uuid>,
    parents: Vec<Option<Uuid>>,
    kinds: Vec<&'static str>,
    roles: Vec<&'static str>,
    contents: Vec<String>,
    keys: Vec<Option<String>>,
    fingerprints: Vec<Option<Vec<u8>>>,
    seqs: Vec<i64>,
    states: Vec<&'static str>,
    times: Vec<i64>,
}

impl Said {
    pub(super) const INSERT: &'static str = "insert into arguments
             (id, debate_id, parent_id, kind, role, content, client_request_id, fingerprint, seq,
              state_after, created_at)
         select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[],
             $6::text[], $7::text[], $8::bytea[], $9::bigint[], $10::text[], $11::bigint[])";

    pub(super) fn push(&mut self, entry: &StoredArgument) {
        let StoredArgument { argument, fingerprint } = entry;
        self.ids.push(argument.id.uuid());
        self.debates.push(argument.debate.uuid());
        self.parents.push(argument.parent.map(ArgumentId::uuid));
        self.kinds.push(argument.kind.name());
        self.roles.push(argument.role.name());
        self.contents.push(argument.content.clone());
        self.keys.push(argument.request_key.clone());
        self.fingerprints.push(fingerprint.as_ref().map(|print| print.as_bytes().to_vec()));
        self.seqs.push(i64::from(argument.seq.number()));
        self.states.push(argument.state_after.name());
        self.times.push(argument.created_at.as_microsecond());
    }

    /// What the statement takes; none when there is nothing to insert.
    pub(super) fn params(&self) -> Option<Params<'_>> {
        let params: Params<'_> = vec![
            &self.ids,
            &self.debates,
            &self.parents,
            &self.kinds,
            &self.roles,
            &self.contents,
            &self.keys,
            &self.fingerprints,
            &self.seqs,
            &self.states,
            &self.times,
        ];
        (!self.ids.is_empty()).then_some(params)
    }
}
