//! The seat that a command uses: named by flags or the environment, or the one that this session
//! last created or joined in this folder.

use debate_net::BaseUrl;
use debate_render::wire_name;
use debate_settings::table::{SELECTED_DEBATE, SELECTED_ROLE};
use debate_wire::arena::Side;

use super::{KeptSeat, SeatStore, Session, server_key};
use crate::failure::Failure;
use crate::settings::ProcessEnvironment;

/// The variable that names a debate.
const DEBATE_VARIABLE: &str = SELECTED_DEBATE.variable;

/// The variable that names a role.
const ROLE_VARIABLE: &str = SELECTED_ROLE.variable;

/// The names that a command gives for a seat.
#[derive(Debug, Clone, Default)]
pub(crate) struct SeatQuery {
    /// A slug, a UUID or a beginning of one.
    pub(crate) debate: Option<String>,
    pub(crate) role: Option<Side>,
    /// The server, if a flag or the environment names it.
    pub(crate) server: Option<BaseUrl>,
}

/// The kept seats, and the session and the folder of this command.
pub(crate) struct SeatChoice {
    pub(crate) store: SeatStore,
    pub(crate) session: Option<Session>,
    pub(crate) folder: String,
    seats: Vec<KeptSeat>,
}

impl SeatQuery {
    /// The query with the debate and the role of the environment where flags name none.
    pub(crate) fn with_environment(
        self,
        environment: &ProcessEnvironment,
    ) -> Result<Self, Failure> {
        let debate = match self.debate {
            Some(debate) => Some(debate),
            None => environment.text(DEBATE_VARIABLE)?,
        };
        let role = match (self.role, environment.text(ROLE_VARIABLE)?) {
            (Some(role), _) => Some(role),
            (None, None) => None,
            (None, Some(name)) => Some(parse_role(name.trim())?),
        };
        Ok(Self { debate, role, ..self })
    }
}

fn parse_role(name: &str) -> Result<Side, Failure> {
    serde_json::from_value(name.to_ascii_lowercase().into()).map_err(|_| {
        let message = format!("{ROLE_VARIABLE} is {name:?}");
        Failure::input(message, format!("set {ROLE_VARIABLE} to proposer or opponent"))
    })
}

impl SeatChoice {
    pub(crate) fn load(environment: &ProcessEnvironment) -> Result<Self, Failure> {
        let store = SeatStore::new(environment);
        let session = Session::detect(environment)?;
        let seats = store.load();
        Ok(Self { store, session, folder: environment.folder(), seats })
    }

    /// A choice among these seats, in a store without files.
    #[cfg(test)]
    pub(super) fn for_test(session: Option<&str>, folder: &str, seats: Vec<KeptSeat>) -> Self {
        let store = SeatStore { folder: std::path::PathBuf::new() };
        let session = session.map(Session::from_name);
        Self { store, session, folder: folder.to_owned(), seats }
    }

    /// The session as the store keeps it; empty if there is none.
    pub(crate) fn session_name(&self) -> &str {
        self.session.as_ref().map_or("", Session::as_str)
    }

    /// The only seat that fits. Seats of other sessions count only if a role is named, the seat is
    /// of this folder, and this session has no seat in that debate.
    pub(crate) fn pick(&self, query: &SeatQuery) -> Result<&KeptSeat, Failure> {
        let own = self.own(query);
        if let [seat] = newest_debate(own.clone(), query).as_slice() {
            return Ok(seat);
        }
        if own.is_empty()
            && let [seat] = self.of_other_sessions(query).as_slice()
        {
            return Ok(seat);
        }
        Err(self.ambiguous(query, &own))
    }

    /// The seat of a role in a named debate, if one is kept that this command may use.
    pub(crate) fn find(&self, debate: &str, role: Side, server: &BaseUrl) -> Option<&KeptSeat> {
        let query = SeatQuery {
            debate: Some(debate.to_owned()),
            role: Some(role),
            server: Some(server.clone()),
        };
        self.pick(&query).ok()
    }

    /// The seat of this session and role in a debate, whatever its folder is.
    pub(crate) fn own_seat(&self, debate: &str, role: Side, server: &BaseUrl) -> Option<&KeptSeat> {
        let key = server_key(server);
        self.seats.iter().find(|seat| {
            // Commands without a session are told apart by their folder only.
            seat.session == self.session_name()
                && (self.session.is_some() || seat.folder == self.folder)
                && seat.debate == debate
                && seat.role == role
                && server_key(&seat.server) == key
        })
    }

    /// A creation of this session in this folder whose answer is unknown.
    pub(crate) fn pending_creation(&self, digest: &str, server: &BaseUrl) -> Option<&KeptSeat> {
        let key = server_key(server);
        self.seats.iter().find(|seat| {
            self.is_own(seat)
                && seat.folder == self.folder
                && server_key(&seat.server) == key
                && seat.pending.as_ref().is_some_and(|pending| pending.digest == digest)
        })
    }

    /// The server of the kept seats in a debate: those of this session, else those of this folder.
    pub(crate) fn server_of(&self, debate: &str) -> Option<&BaseUrl> {
        let named = || self.seats.iter().filter(|seat| seat.is_of_debate(debate));
        let own = named().filter(|seat| self.is_own(seat)).max_by_key(|seat| seat.joined);
        let here = || named().filter(|seat| seat.folder == self.folder);
        own.or_else(|| here().max_by_key(|seat| seat.joined)).map(|seat| &seat.server)
    }

    /// The debate that this session created or joined last in this folder, whatever its role.
    pub(crate) fn newest_debate_name(&self) -> Result<&str, Failure> {
        let query = SeatQuery::default();
        let own = self.own(&query);
        let newest = own.iter().max_by_key(|seat| seat.joined).copied();
        newest.map(KeptSeat::debate_name).ok_or_else(|| self.ambiguous(&query, &own))
    }

    /// Whether commands without flags use this seat.
    pub(crate) fn is_default(&self, seat: &KeptSeat) -> bool {
        let default = self.pick(&SeatQuery::default());
        default.is_ok_and(|default| default.debate == seat.debate && default.role == seat.role)
    }

    fn is_own(&self, seat: &KeptSeat) -> bool {
        self.session.is_some() && seat.session == self.session_name()
    }

    /// The seats of this session that fit: of the named debate, else of this folder.
    fn own(&self, query: &SeatQuery) -> Vec<&KeptSeat> {
        let is_near = |seat: &KeptSeat| query.debate.is_some() || seat.folder == self.folder;
        let seats = self.seats.iter().filter(|seat| self.is_own(seat));
        seats.filter(|seat| query.fits(seat) && is_near(seat)).collect()
    }

    /// The seats of other sessions that were taken in this folder, if a role is named. A session
    /// that plays one side of a debate does not get the seat of the other.
    fn of_other_sessions(&self, query: &SeatQuery) -> Vec<&KeptSeat> {
        if query.role.is_none() {
            return Vec::new();
        }
        let holds_other_side = |seat: &KeptSeat| {
            self.seats.iter().any(|own| self.is_own(own) && own.debate == seat.debate)
        };
        let fits = |seat: &&KeptSeat| {
            query.fits(seat) && seat.folder == self.folder && !holds_other_side(seat)
        };
        let seats: Vec<_> = self.seats.iter().filter(fits).collect();
        newest_debate(seats, query)
    }

    fn ambiguous(&self, query: &SeatQuery, own: &[&KeptSeat]) -> Failure {
        let here: Vec<_> = if own.len() > 1 {
            own.to_vec()
        } else {
            self.seats.iter().filter(|seat| seat.folder == self.folder).collect()
        };
        let mut names: Vec<_> = here.iter().map(|seat| seat.describe()).collect();
        names.sort();
        names.dedup();
        let role = query.role.map(|role| format!(" as {}", wire_name(&role))).unwrap_or_default();
        let debate = query.debate.as_ref().map(|debate| format!(" in {debate}"));
        let debate = debate.unwrap_or_default();
        let message = match (own.len() > 1, names.is_empty()) {
            (true, _) => format!("several seats of this session fit: {}", names.join("; ")),
            (false, true) => format!("this session holds no seat{debate}{role}"),
            (false, false) => format!(
                "this session holds no seat{debate}{role}; seats kept for this folder: {}",
                names.join("; ")
            ),
        };
        let suggestion = if names.is_empty() {
            "take a seat with `aw debate join SLUG`, or create a debate with `aw debate new FILE`"
        } else {
            "pick a seat with --as ROLE or AW_ROLE, and a debate with its slug or AW_DEBATE; take \
             another seat with `aw debate join SLUG`"
        };
        Failure::RoleAmbiguous { message, suggestion, seats: names }
    }
}

/// The seats of the debate that was created or joined last. A named debate is the only one, unless
/// a beginning fits several.
fn newest_debate<'s>(seats: Vec<&'s KeptSeat>, query: &SeatQuery) -> Vec<&'s KeptSeat> {
    let Some(newest) = seats.iter().max_by_key(|seat| seat.joined).copied() else {
        return Vec::new();
    };
    let is_same = |seat: &&KeptSeat| {
        seat.debate == newest.debate && server_key(&seat.server) == server_key(&newest.server)
    };
    if query.debate.is_some() { seats } else { seats.into_iter().filter(is_same).collect() }
}

impl SeatQuery {
    fn fits(&self, seat: &KeptSeat) -> bool {
        self.debate.as_ref().is_none_or(|debate| seat.is_of_debate(debate))
            && self.role.is_none_or(|role| role == seat.role)
            && self
                .server
                .as_ref()
                .is_none_or(|server| server_key(server) == server_key(&seat.server))
    }
}
