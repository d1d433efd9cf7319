//! Remembering what was made, in this process.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many values are remembered.
const MOST_REMEMBERED: usize = 128;

/// Values by key, each made once even if many ask at the same time.
#[derive(Debug)]
pub(super) struct Memo<K, V>(Mutex<HashMap<K, Arc<OnceLock<V>>>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Clone + Eq + Hash, V: Clone> Memo<K, V> {
    /// What is known under `key`, or what `make` makes; `lasts` says whether that is to be remembered.
    pub(super) fn get(&self, key: &K, lasts: impl FnOnce(&V) -> bool, make: impl FnOnce() -> V) -> V {
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if slots.len() >= MOST_REMEMBERED && !slots.contains_key(key) {
                // Those that are being made are left alone.
                slots.retain(|_, slot| slot.get().is_none());
            }
            Arc::clone(slots.entry(key.clone()).or_default())
        };
        let value = slot.get_or_init(make).clone();
        if !lasts(&value) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        }
        value
    }
}
