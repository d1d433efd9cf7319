//! What people read: terminal tables, the story of an attempt, and the HTML page. All of it is made from events.

mod answers;
mod found;
mod html;
mod story;
mod table;

pub use html::html;
pub use story::{attempt_line, story};
pub use table::table;
