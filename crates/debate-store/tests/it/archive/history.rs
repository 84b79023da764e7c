//! Debates as they are kept, made by the rules and put where a copy begins.

use debate_app::arena::{Destination, Dossier};
use debate_app::moving::Vault;
use debate_core::arena::{Draft, Entry, Head, Opening, decide, open};
use debate_store::Sqlite;

use crate::engine::turn;
use crate::sqlite::file::Folder;
use crate::support::{argument_id, content, draft, micros, opening};

/// One debate in which the two sides answered each other until there were so many arguments.
pub(crate) fn long_debate(number: u32, count: u32) -> (Dossier, Vec<Entry>) {
    let opening: Opening = opening(number);
    let opened = open(&opening, micros(i64::from(number)));
    let fingerprint = Some(opening.fingerprint());
    let mut head = Head { debate: opened.debate, last_seq: opened.motion.seq, auto_ruling: None };
    let mut entries = vec![Entry { argument: opened.motion, fingerprint }];
    for place in 2..=count {
        let id = number * 1_000_000 + place;
        let target = entries.last().map(|entry| entry.argument.id);
        let content = content(&format!("Argument {place} of debate {number}: Größe, 大きさ, 🦀"));
        let draft = Draft { target, content, ..draft(id, turn(place - 1)) };
        assert_eq!(draft.id, argument_id(id));
        let at = micros(i64::from(number) * 7_000_001 + i64::from(place) * 13);
        let step = decide(&head, &draft, at, false).expect("it is that side's turn");
        let fingerprint = Some(draft.fingerprint());
        entries.push(Entry { argument: step.argument, fingerprint });
        head = Head { debate: step.debate, last_seq: step.last_seq, auto_ruling: None };
    }
    let motion = Some(opening.motion.as_str().to_owned());
    (Dossier { head, motion, folded: None, original_type: None }, entries)
}

/// A file with these debates in it.
pub(crate) async fn file_with(debates: impl IntoIterator<Item = (Dossier, Vec<Entry>)>) -> Folder {
    let folder = Folder::new();
    let mut file = Sqlite::fill(&folder.path()).expect("it is new");
    for (dossier, entries) in debates {
        file.add_debates(&[dossier]).await.expect("the id is new");
        file.add_arguments(&entries).await.expect("the debate is there");
    }
    file.commit().await.expect("there is room");
    folder
}
