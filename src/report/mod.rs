//! What people read: terminal tables, the story of an attempt, and the HTML page. All of it is made from events.

mod answers;
mod comparison;
mod found;
mod html;
mod story;
mod table;

pub use comparison::{comparison, comparison_html};
pub use html::html;
pub use story::{attempt_line, story};
pub use table::table;
