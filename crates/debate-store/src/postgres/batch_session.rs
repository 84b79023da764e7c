//! The connection of a batch writer: its prepared statements and the two round trips of a batch.

use futures_util::future::{BoxFuture, FutureExt, try_join, try_join_all, try_join3, try_join5};
use tokio_postgres::{Row, Statement};

use super::arena::{Changes, Lookups, Params};
use super::connection::{Connection, Payload};
use super::limits::WRITE_SETTINGS;
use super::round_trip::{RoundTripError, check_schema_version};
use super::server::Server;
use crate::engine::EngineError;

/// Rows are locked in the order of their ids: otherwise two batches could wait for each other.
const HEADS: &str = "select id, title, debate_type, state, created_at, updated_at, slug,
            seat_changes, last_seq, auto_ruling, invite, seat_fields
     from debates where id = any($1) order by id for update";

/// A statement of its own after the locks, so that it sees the writes of their previous holders.
const KEYS: &str = "select a.id, a.debate_id, a.parent_id, a.kind, a.role, a.content,
            a.client_request_id, a.seq, a.created_at, a.state_after, a.author, a.fingerprint
     from unnest($1::text[], $2::uuid[]) as lookups (key, debate)
     join arguments a on a.client_request_id = lookups.key and a.debate_id = lookups.debate";

const HOMES: &str = "select id, debate_id from arguments where id = any($1)";

/// After the locks too, so that it sees the tombstone of a deletion that held one.
const TOMBSTONES: &str = "select id from deleted_debates where id = any($1)";

/// After the locks too: a seat that another process released is invalid at once. Few debates have
/// rows in this table.
const SEATS: &str =
    "select debate_id, side, holder, token, since from seats where debate_id = any($1)";

/// The slugs among these that a debate has or had.
const SLUGS: &str = "select slug from debates where slug = any($1)
     union all select slug from deleted_debates where slug = any($1)";

/// The rows of the first round trip.
pub(super) struct LoadedRows {
    pub(super) heads: Vec<Row>,
    pub(super) keys: Vec<Row>,
    pub(super) homes: Vec<Row>,
    pub(super) tombstones: Vec<Row>,
    pub(super) slugs: Vec<Row>,
    pub(super) seats: Vec<Row>,
}

pub(super) struct BatchSession {
    conn: Connection,
    settings: Statement,
    heads: Statement,
    keys: Statement,
    homes: Statement,
    tombstones: Statement,
    slugs: Statement,
    seats: Statement,
    /// In the order of `Changes::STATEMENTS`.
    writes: Vec<Statement>,
}

impl BatchSession {
    pub(super) async fn open(server: &Server) -> Result<Self, EngineError> {
        let conn = Connection::open(server).await?;
        let settings = conn.prepare(WRITE_SETTINGS).await?;
        let heads = conn.prepare(HEADS).await?;
        let keys = conn.prepare(KEYS).await?;
        let homes = conn.prepare(HOMES).await?;
        let tombstones = conn.prepare(TOMBSTONES).await?;
        let slugs = conn.prepare(SLUGS).await?;
        let seats = conn.prepare(SEATS).await?;
        let mut writes = Vec::new();
        for sql in Changes::STATEMENTS {
            writes.push(conn.prepare(sql).await?);
        }
        Ok(Self { conn, settings, heads, keys, homes, tombstones, slugs, seats, writes })
    }

    /// Whether the connection is open, as far as is known without a round trip.
    pub(super) fn is_alive(&self) -> bool {
        self.conn.is_usable()
    }

    /// The first round trip: begins, locks the debates, and loads the rows that decisions need.
    pub(super) async fn load(&self, lookups: &Lookups) -> Result<LoadedRows, RoundTripError> {
        let Lookups { debates, keys, key_debates, targets, opened, slugs } = lookups;
        let (client, limits) = (self.conn.client(), self.conn.limits());
        // A statement is sent when its future is first polled, which happens in this order.
        let settings = limits.write_settings();
        let locked: Params<'_> = vec![debates];
        let known: Params<'_> = vec![keys, key_debates];
        let target_ids: Params<'_> = vec![targets];
        let opened_ids: Params<'_> = vec![opened];
        let new_slugs: Params<'_> = vec![slugs];
        // Only a batch that opens debates needs tombstones and slugs. On the heap, because the
        // other futures are large.
        let for_opened = async {
            if opened.is_empty() {
                return Ok((Vec::new(), Vec::new()));
            }
            let tombstones = client.query(&self.tombstones, &opened_ids);
            try_join(tombstones, client.query(&self.slugs, &new_slugs)).await
        }
        .boxed();
        let messages = try_join5(
            client.batch_execute(&limits.begin_writing),
            client.query_opt(&self.settings, &settings),
            client.query(&self.heads, &locked),
            client.query(&self.keys, &known),
            client.query(&self.homes, &target_ids),
        );
        let messages = try_join3(messages, client.query(&self.seats, &locked), for_opened);
        let answers = self.conn.round_trip(Payload::Statements, messages).await?;
        let (((), version, heads, keys, homes), seats, (tombstones, slugs)) = answers;
        check_schema_version(version.as_ref())?;
        Ok(LoadedRows { heads, keys, homes, tombstones, slugs, seats })
    }

    /// The second round trip: writes everything and commits. The result of every statement counts:
    /// after a failed statement the commit succeeds and rolls back.
    pub(super) async fn save(&self, changes: &Changes) -> Result<(), RoundTripError> {
        let writes = self.writes.iter().zip(changes.params()).filter_map(|(statement, params)| {
            params.map(|params| self.write(statement, params).boxed())
        });
        let mut messages: Vec<BoxFuture<'_, Result<(), tokio_postgres::Error>>> = writes.collect();
        messages.push(self.conn.client().batch_execute("commit").boxed());
        self.conn.round_trip(Payload::Commit, try_join_all(messages)).await?;
        Ok(())
    }

    async fn write(
        &self,
        statement: &Statement,
        params: Params<'_>,
    ) -> Result<(), tokio_postgres::Error> {
        self.conn.client().execute(statement, &params).await?;
        Ok(())
    }

    /// Rolls back after the server refused a statement.
    pub(super) async fn roll_back(&self) -> Result<(), RoundTripError> {
        let rollback = self.conn.client().batch_execute("rollback");
        self.conn.round_trip(Payload::Statements, rollback).await
    }
}
