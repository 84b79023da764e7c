//! A connection of a pool, while it is used.

use deadpool_postgres::{Object, Pool};
use futures_util::future::try_join_all;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};

use super::fault::Fault;

/// A statement and what it takes.
pub(super) type Query<'q> = (&'static str, &'q [&'q (dyn ToSql + Sync)]);

/// A connection in use. Unless that ends well it is not used again: nobody knows what is still on
/// its way over it.
pub(super) struct Loan {
    conn: Option<Object>,
}

impl Loan {
    pub(super) async fn of(pool: &Pool) -> Result<Self, Fault> {
        Ok(Self { conn: Some(pool.get().await?) })
    }

    pub(super) fn conn(&self) -> Result<&Object, Fault> {
        self.conn.as_ref().ok_or_else(|| Fault::away("the connection was given back"))
    }

    /// Before anything of the flight is sent: preparing may take a round trip of its own, and what
    /// follows must not overtake it.
    pub(super) async fn prepared(
        &self,
        asked: &[Query<'_>],
    ) -> Result<(&Object, Vec<Statement>), Fault> {
        let conn = self.conn()?;
        let mut statements = Vec::with_capacity(asked.len());
        for (statement, _) in asked {
            statements.push(conn.prepare_cached(statement).await?);
        }
        Ok((conn, statements))
    }

    /// It ended well.
    pub(super) fn give_back(mut self) {
        drop(self.conn.take());
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take() {
            drop(Object::take(conn));
        }
    }
}

/// Sends every statement at once, in order, and gathers what they bring.
pub(super) async fn all(
    conn: &Object,
    statements: &[Statement],
    asked: &[Query<'_>],
) -> Result<Vec<Vec<Row>>, tokio_postgres::Error> {
    let queries = statements.iter().zip(asked);
    try_join_all(queries.map(|(statement, (_, params))| conn.query(statement, params))).await
}
