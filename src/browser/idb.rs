//! What the browser keeps for us between visits: two shelves of documents and one for drafts, in
//! IndexedDB.

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DomException, IdbDatabase, IdbObjectStore, IdbRequest, IdbTransaction, IdbTransactionMode};

use crate::browser::window;
use crate::open::state::document::Document;
use crate::open::state::recent::{MAX_KEPT, surplus};
use crate::open::state::recovery::{Recent, Recovery, Unkept};
use memplan_formats::import::Answers;
use memplan_worker::FileData;

/// Raised whenever a draft is written in another form: one of another form is not read.
const DRAFT_FORM: f64 = 2.0;

/// Name → time, size, name of the file and what was answered about it; name → bytes; key → form,
/// name and draft.
const SHELVES: [&str; 3] = ["recent", "bytes", "draft"];

/// The shelves of documents: every name is on both.
const DOCUMENTS: [&str; 2] = ["recent", "bytes"];

/// An open database. Every call fails where the browser keeps nothing, as in a private window.
pub struct Store(IdbDatabase);

/// A document of the shelves.
pub struct Kept {
    /// What its file is called.
    pub file: String,
    pub bytes: FileData,
    pub choices: Answers,
}

type Outcome<T> = Result<T, Unkept>;

impl Store {
    pub async fn open() -> Outcome<Store> {
        let opened = async {
            let factory = window().and_then(|window| window.indexed_db().ok().flatten()).ok_or(JsValue::NULL)?;
            let request = factory.open_with_u32("memplan", 1)?;
            let made = request.clone();
            let make = Closure::once(move || {
                if let Ok(database) = made.result() {
                    let database: IdbDatabase = database.unchecked_into();
                    // One that is there already stays.
                    SHELVES.iter().for_each(|name| drop(database.create_object_store(name)));
                }
            });
            request.set_onupgradeneeded(Some(make.as_ref().unchecked_ref()));
            answer(&request).await
        };
        opened.await.map(|database: JsValue| Store(database.unchecked_into())).map_err(|why| unkept(None, &why))
    }

    /// Does something with some shelves, all of it or nothing: what is written is kept once the
    /// transaction is complete, and a browser without room fails only then.
    async fn at_once<T>(
        &self,
        shelves: &[&str],
        work: impl AsyncFnOnce(&IdbTransaction) -> Result<T, JsValue>,
    ) -> Outcome<T> {
        let names: Array = shelves.iter().map(|name| JsValue::from(*name)).collect();
        let begun = self.0.transaction_with_str_sequence_and_mode(&names, IdbTransactionMode::Readwrite);
        let transaction = begun.map_err(|why| unkept(None, &why))?;
        let end = JsFuture::from(Promise::new(&mut |resolve, reject| {
            transaction.set_oncomplete(Some(&resolve));
            transaction.set_onabort(Some(&reject));
        }));
        let done = match work(&transaction).await {
            Ok(value) => end.await.map(|_| value),
            Err(why) => {
                // It may be over already.
                let _ = transaction.abort();
                Err(why)
            }
        };
        done.map_err(|why| unkept(transaction.error(), &why))
    }

    /// Keeps a draft in place of the one that it goes on with.
    pub async fn keep_draft(&self, key: &str, before: Option<&str>, name: &str, draft: &FileData) -> Outcome<()> {
        let record = Array::of3(&DRAFT_FORM.into(), &name.into(), &draft.to_js());
        self.at_once(&["draft"], async |transaction| {
            let shelf = transaction.object_store("draft")?;
            shelf.put_with_key(&record, &key.into())?;
            before.map(|before| shelf.delete(&before.into())).transpose().map(drop)
        })
        .await
    }

    pub async fn drop_drafts(&self, keys: &[&str]) -> Outcome<()> {
        self.at_once(&["draft"], async |transaction| {
            let shelf = transaction.object_store("draft")?;
            keys.iter().try_for_each(|key| shelf.delete(&(*key).into()).map(drop))
        })
        .await
    }

    /// The drafts of all tabs.
    pub async fn drafts(&self) -> Outcome<Vec<Recovery>> {
        let written = self.at_once(&["draft"], async |transaction| records(&transaction.object_store("draft")?).await);
        let mut drafts = Vec::new();
        for (key, record) in written.await? {
            let Ok(record) = record.dyn_into::<Array>() else { continue };
            if record.get(0).as_f64() != Some(DRAFT_FORM) {
                continue;
            }
            // A large one is a file. It is read after the transaction, which does not wait.
            let bytes = match record.get(2).dyn_into::<Blob>() {
                Ok(file) => FileData::from(file).read().await.ok(),
                // Of a number it would make as many zeros.
                Err(bytes) => bytes.dyn_into::<Uint8Array>().ok(),
            };
            // A damaged draft hides no other one.
            let (Some(bytes), Some(name)) = (bytes, record.get(1).as_string()) else { continue };
            let bytes = bytes.to_vec();
            let Ok((editing, [])) = postcard::take_from_bytes(&bytes) else { continue };
            drafts.push(Recovery { key, name, editing });
        }
        Ok(drafts)
    }

    /// Keeps a document and lets the oldest go; the list as it is then. One that is too large by
    /// itself is not kept.
    pub async fn keep(&self, document: &Document) -> Outcome<Vec<Recent>> {
        let size = document.bytes.size();
        if size > MAX_KEPT {
            return self.recent().await;
        }
        // Read before the transaction begins, which does not wait.
        let bytes = document.bytes.read().await.map_err(|_| Unkept::Unavailable)?;
        let choices = postcard::to_stdvec(&document.choices).unwrap_or_default();
        let (now, file) = (js_sys::Date::now(), document.origin.name());
        let facts = Array::of4(&now.into(), &size.into(), &file.into(), &Uint8Array::from(&choices[..]));
        self.at_once(&DOCUMENTS, async |transaction| {
            let key = JsValue::from(&document.name);
            transaction.object_store("bytes")?.put_with_key(&bytes, &key)?;
            transaction.object_store("recent")?.put_with_key(&facts, &key)?;
            listed(transaction).await
        })
        .await
    }

    pub async fn recent(&self) -> Outcome<Vec<Recent>> {
        self.at_once(&DOCUMENTS, listed).await
    }

    /// A document of [`Store::recent`].
    pub async fn document(&self, name: &str) -> Outcome<Kept> {
        self.at_once(&DOCUMENTS, async |transaction| document(transaction, name).await).await
    }

    /// The document that came last of a file of this name.
    pub async fn of_file(&self, file: &str) -> Outcome<Kept> {
        self.at_once(&DOCUMENTS, async |transaction| {
            for Recent { name, .. } in listed(transaction).await? {
                let kept = document(transaction, &name).await?;
                if kept.file == file {
                    return Ok(kept);
                }
            }
            Err(JsValue::NULL)
        })
        .await
    }

    pub async fn forget(&self, name: &str) -> Outcome<()> {
        self.at_once(&DOCUMENTS, async |transaction| forget(transaction, name)).await
    }

    pub async fn forget_all(&self) -> Outcome<()> {
        self.at_once(&DOCUMENTS, async |transaction| {
            DOCUMENTS.iter().try_for_each(|shelf| transaction.object_store(shelf)?.clear().map(drop))
        })
        .await
    }
}

/// The documents that are kept, the latest first, after those that are too many are gone. A name
/// without bytes is no document.
async fn listed(transaction: &IdbTransaction) -> Result<Vec<Recent>, JsValue> {
    let whole: Array = answer(&transaction.object_store("bytes")?.get_all_keys()?).await?.dyn_into()?;
    let whole: Vec<String> = whole.iter().filter_map(|name| name.as_string()).collect();
    let mut recent = Vec::new();
    let mut halves = whole.clone();
    for (name, facts) in records(&transaction.object_store("recent")?).await? {
        // A damaged record hides no other one.
        let facts = facts.dyn_into::<Array>().ok().filter(|_| whole.contains(&name));
        if let Some(facts) = facts {
            let number = |at: u32| facts.get(at).as_f64().unwrap_or_default();
            halves.retain(|half| *half != name);
            recent.push(Recent { name, time: number(0), size: number(1) });
        } else {
            halves.push(name);
        }
    }
    for name in surplus(&mut recent).into_iter().chain(halves) {
        forget(transaction, &name)?;
    }
    Ok(recent)
}

async fn document(transaction: &IdbTransaction, name: &str) -> Result<Kept, JsValue> {
    let bytes = answer(&transaction.object_store("bytes")?.get(&name.into())?).await?;
    let facts: Array = answer(&transaction.object_store("recent")?.get(&name.into())?).await?.dyn_into()?;
    let choices = facts.get(3).dyn_into::<Uint8Array>().ok();
    let choices = choices.and_then(|choices| postcard::from_bytes(&choices.to_vec()).ok());
    let bytes = Array::of1(bytes.dyn_ref::<Uint8Array>().ok_or(JsValue::NULL)?);
    Ok(Kept {
        file: facts.get(2).as_string().unwrap_or_else(|| name.into()),
        bytes: Blob::new_with_u8_array_sequence(&bytes)?.into(),
        choices: choices.unwrap_or_default(),
    })
}

fn forget(transaction: &IdbTransaction, name: &str) -> Result<(), JsValue> {
    DOCUMENTS.iter().try_for_each(|shelf| transaction.object_store(shelf)?.delete(&name.into()).map(drop))
}

/// The records of a shelf with their keys.
async fn records(shelf: &IdbObjectStore) -> Result<Vec<(String, JsValue)>, JsValue> {
    let keys: Array = answer(&shelf.get_all_keys()?).await?.dyn_into()?;
    let values: Array = answer(&shelf.get_all()?).await?.dyn_into()?;
    Ok(keys.iter().map(|key| key.as_string().unwrap_or_default()).zip(values.iter()).collect())
}

/// What the database answers.
async fn answer(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        let asked = request.clone();
        let done = Closure::once_into_js(move || {
            // A resolved promise never throws.
            let _ = resolve.call1(&JsValue::NULL, &asked.result().unwrap_or(JsValue::UNDEFINED));
        });
        request.set_onsuccess(Some(done.unchecked_ref()));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(promise).await
}

/// Why nothing was kept: the error of the transaction, else what was thrown.
fn unkept(error: Option<DomException>, thrown: &JsValue) -> Unkept {
    let error = error.or_else(|| thrown.dyn_ref::<DomException>().cloned());
    match error {
        Some(error) if error.name() == "QuotaExceededError" => Unkept::Full,
        _ => Unkept::Unavailable,
    }
}
