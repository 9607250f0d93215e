//! What the browser keeps for us between visits: two shelves of documents and one for the draft, in IndexedDB.

use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, IdbDatabase, IdbObjectStore, IdbRequest, IdbTransactionMode};

use crate::app::model::document::Document;
use crate::app::model::recent::{MAX_KEPT, surplus};
use crate::app::model::recovery::{Recent, Recovery};
use crate::import::Answers;
use crate::worker::FileData;

/// Raised whenever a draft is written in another form: one of another form is not read.
const DRAFT_FORM: f64 = 2.0;

/// Name → time, size, name of the file and what was answered about it; name → bytes; one draft.
const SHELVES: [&str; 3] = ["recent", "bytes", "draft"];

/// An open database. Every call fails where the browser keeps nothing, as in a private window.
pub struct Store(IdbDatabase);

/// A document of the shelves.
pub struct Kept {
    /// What its file is called.
    pub file: String,
    pub bytes: FileData,
    pub choices: Answers,
}

type Outcome<T> = Result<T, JsValue>;

impl Store {
    pub async fn open() -> Outcome<Store> {
        let factory = web_sys::window().and_then(|window| window.indexed_db().ok().flatten()).ok_or(JsValue::NULL)?;
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
        Ok(Store(answer(&request).await?.unchecked_into()))
    }

    fn shelf(&self, name: &str) -> Outcome<IdbObjectStore> {
        self.0.transaction_with_str_and_mode(name, IdbTransactionMode::Readwrite)?.object_store(name)
    }

    pub async fn keep_draft(&self, name: &str, draft: &[u8]) -> Outcome<()> {
        let record = Array::of3(&DRAFT_FORM.into(), &name.into(), &Uint8Array::from(draft));
        answer(&self.shelf("draft")?.put_with_key(&record, &"draft".into())?).await.map(drop)
    }

    pub async fn drop_draft(&self) -> Outcome<()> {
        answer(&self.shelf("draft")?.clear()?).await.map(drop)
    }

    /// The draft of an earlier visit.
    pub async fn draft(&self) -> Outcome<Option<Recovery>> {
        let record = answer(&self.shelf("draft")?.get(&"draft".into())?).await?;
        let Ok(record) = record.dyn_into::<Array>() else { return Ok(None) };
        if record.get(0).as_f64() != Some(DRAFT_FORM) {
            return Ok(None);
        }
        let draft = postcard::from_bytes(&Uint8Array::new(&record.get(2)).to_vec()).ok();
        Ok(draft.map(|editing| Recovery { name: record.get(1).as_string().unwrap_or_default(), editing }))
    }

    /// Keeps a document and lets the oldest go; the list as it is then. One that is too large by itself is not kept.
    pub async fn keep(&self, document: &Document) -> Outcome<Vec<Recent>> {
        let size = document.bytes.size();
        if size <= MAX_KEPT {
            let key = JsValue::from(&document.name);
            // Read before the shelf is asked for: a transaction does not wait.
            let bytes = document.bytes.read().await?;
            answer(&self.shelf("bytes")?.put_with_key(&bytes, &key)?).await?;
            let choices = postcard::to_stdvec(&document.choices).unwrap_or_default();
            let (now, file) = (js_sys::Date::now(), document.origin.name());
            let facts = Array::of4(&now.into(), &size.into(), &file.into(), &Uint8Array::from(&choices[..]));
            answer(&self.shelf("recent")?.put_with_key(&facts, &key)?).await?;
        }
        self.recent().await
    }

    pub async fn recent(&self) -> Outcome<Vec<Recent>> {
        let shelf = self.shelf("recent")?;
        let names: Array = answer(&shelf.get_all_keys()?).await?.dyn_into()?;
        let facts: Array = answer(&self.shelf("recent")?.get_all()?).await?.dyn_into()?;
        let mut recent = Vec::new();
        for (name, facts) in names.iter().zip(facts.iter()) {
            let (name, facts): (_, Array) = (name.as_string().unwrap_or_default(), facts.dyn_into()?);
            let number = |at: u32| facts.get(at).as_f64().unwrap_or_default();
            recent.push(Recent { name, time: number(0), size: number(1) });
        }
        for name in surplus(&mut recent) {
            self.forget(&name).await?;
        }
        Ok(recent)
    }

    /// A document of [`Store::recent`].
    pub async fn document(&self, name: &str) -> Outcome<Kept> {
        let bytes = answer(&self.shelf("bytes")?.get(&name.into())?).await?;
        let facts: Array = answer(&self.shelf("recent")?.get(&name.into())?).await?.dyn_into()?;
        let choices = facts.get(3).dyn_into::<Uint8Array>().ok();
        let choices = choices.and_then(|choices| postcard::from_bytes(&choices.to_vec()).ok());
        let bytes = Array::of1(bytes.dyn_ref::<Uint8Array>().ok_or(JsValue::NULL)?);
        Ok(Kept {
            file: facts.get(2).as_string().unwrap_or_else(|| name.into()),
            bytes: Blob::new_with_u8_array_sequence(&bytes)?.into(),
            choices: choices.unwrap_or_default(),
        })
    }

    /// The document that came last of a file of this name.
    pub async fn of_file(&self, file: &str) -> Outcome<Kept> {
        for Recent { name, .. } in self.recent().await? {
            let facts: Array = answer(&self.shelf("recent")?.get(&name.as_str().into())?).await?.dyn_into()?;
            if facts.get(2).as_string().as_deref() == Some(file) {
                return self.document(&name).await;
            }
        }
        Err(JsValue::NULL)
    }

    pub async fn forget(&self, name: &str) -> Outcome<()> {
        for shelf in ["recent", "bytes"] {
            answer(&self.shelf(shelf)?.delete(&name.into())?).await?;
        }
        Ok(())
    }

    pub async fn forget_all(&self) -> Outcome<()> {
        for shelf in ["recent", "bytes"] {
            answer(&self.shelf(shelf)?.clear()?).await?;
        }
        Ok(())
    }
}

/// What the database answers.
async fn answer(request: &IdbRequest) -> Outcome<JsValue> {
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
