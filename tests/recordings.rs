//! What a model said is kept, and can be said again without it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redraft::model::{
    ChatModel, ChatRequest, Message, ModelError, ModelSettings, RecordModel, Recording, ReplayModel,
    ScriptModel, open,
};

fn request(text: &str, seed: u64) -> ChatRequest {
    ChatRequest {
        messages: vec![Message::user(text)],
        temperature: 0.0,
        max_tokens: 10,
        seed,
        ..ChatRequest::default()
    }
}

/// A script that records to `path`, with the script itself.
fn recorded(path: &Path, replies: &[&str]) -> Result<(RecordModel, Arc<ScriptModel>), ModelError> {
    let script = Arc::new(ScriptModel::of(replies.iter().copied()));
    let inner: Arc<dyn ChatModel> = script.clone();
    Ok((RecordModel::open(path, inner)?, script))
}

async fn said(model: &dyn ChatModel, text: &str, seed: u64) -> String {
    model.chat(&request(text, seed)).await.unwrap().content
}

/// A folder and a recording in it of two exchanges.
async fn two() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rec.jsonl");
    let (model, _) = recorded(&path, &["1", "2"]).unwrap();
    said(&model, "a", 0).await;
    said(&model, "b", 0).await;
    (folder, path)
}

async fn replay(path: &Path) -> Result<Arc<dyn ChatModel>, String> {
    let spec = format!("replay:{}", path.display());
    open(&spec, &ModelSettings::default()).await.map_err(|error| {
        assert!(error.is_input());
        error.to_string().replace(&path.display().to_string(), "PATH")
    })
}

#[tokio::test]
async fn a_replay_says_what_was_recorded() {
    let (_folder, path) = two().await;
    let model = replay(&path).await.unwrap();
    assert_eq!(model.name(), "script");
    // In any order.
    assert_eq!(said(&*model, "b", 0).await, "2");
    assert_eq!(said(&*model, "a", 0).await, "1");
    let error = model.chat(&request("a", 1)).await.unwrap_err();
    assert!(!error.is_input() && matches!(error, ModelError::Miss(_)));
    assert!(
        error
            .to_string()
            .contains("has the same messages, but seed 0 instead of 1"),
        "{error}"
    );
}

#[tokio::test]
async fn each_line_is_an_event_that_a_journal_could_hold() {
    let (_folder, path) = two().await;
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["event"], "exchange");
    assert_eq!(lines[0]["model"], "script");
    assert_eq!(lines[0]["key"], request("a", 0).key());
    assert_eq!(lines[0]["request"]["messages"][0]["content"], "a");
    assert_eq!(lines[0]["reply"]["content"], "1");
}

#[tokio::test]
async fn a_run_folder_is_a_recording() {
    let (folder, path) = two().await;
    let recording = fs::read_to_string(&path).unwrap();
    let journal =
        format!("{{\"event\":\"start\",\"version\":1}}\n{recording}{{\"event\":\"choice\",\"request\":3}}\n");
    fs::write(folder.path().join("journal.jsonl"), journal).unwrap();
    let model = replay(folder.path()).await.unwrap();
    assert_eq!(said(&*model, "b", 0).await, "2");
}

#[tokio::test]
async fn a_torn_last_line_is_dropped_and_any_other_is_an_error() {
    let (_folder, path) = two().await;
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    // Cut anywhere in the second line, the first is there and the second is not.
    for end in first..whole.len() - 1 {
        let recording = Recording::from_bytes(&whole[..end], "torn").unwrap();
        assert_eq!(recording.len(), 1, "cut at {end}");
    }
    // With all but its newline, it is whole.
    assert_eq!(
        Recording::from_bytes(&whole[..whole.len() - 1], "torn")
            .unwrap()
            .len(),
        2
    );

    let mut broken = whole[..first - 5].to_vec();
    broken.push(b'\n');
    broken.extend_from_slice(&whole[first..]);
    fs::write(&path, broken).unwrap();
    let error = replay(&path).await.unwrap_err();
    assert!(
        error.starts_with("PATH: line 1 is no event of a recording: EOF while parsing"),
        "{error}"
    );
}

#[tokio::test]
async fn a_gzipped_recording_can_be_embedded() {
    let (folder, path) = two().await;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&fs::read(&path).unwrap()).unwrap();
    let bytes = gzip.finish().unwrap();
    let model = ReplayModel::new(Recording::from_bytes(&bytes, "bundled").unwrap());
    assert_eq!(said(&model, "a", 0).await, "1");

    let file = folder.path().join("rec.jsonl.gz");
    fs::write(&file, &bytes).unwrap();
    assert_eq!(said(&*replay(&file).await.unwrap(), "a", 0).await, "1");
    fs::write(&file, &bytes[..bytes.len() - 9]).unwrap();
    let error = replay(&file).await.unwrap_err();
    assert!(error.starts_with("PATH: the gzip data is damaged"), "{error}");
}

#[tokio::test]
async fn what_is_no_recording_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let error = replay(folder.path()).await.unwrap_err();
    assert_eq!(
        error,
        "PATH: this folder holds no journal.jsonl; a run folder or a recording is expected"
    );
    let file = folder.path().join("x.jsonl");
    fs::write(&file, "{\"task_id\": \"T/1\"}\n").unwrap();
    let error = replay(&file).await.unwrap_err();
    assert_eq!(
        error,
        "PATH: holds no exchange with a model; a recording or a run's journal is expected"
    );
}

#[tokio::test]
async fn recording_again_asks_only_what_is_new() {
    let (_folder, path) = two().await;
    let (model, script) = recorded(&path, &["1", "2", "3", "4"]).unwrap();
    assert_eq!(said(&model, "a", 0).await, "1");
    assert_eq!(said(&model, "b", 0).await, "2");
    // The script is where it would be had it been asked.
    assert_eq!(script.left(), 2);
    assert_eq!(said(&model, "a", 7).await, "3");
    assert_eq!(said(&model, "a", 7).await, "3");
    assert_eq!(script.left(), 1);
    drop(model);
    assert_eq!(Recording::load(&path).unwrap().len(), 3);
}

#[tokio::test]
async fn a_kill_while_recording_costs_at_most_the_last_reply() {
    let (_folder, path) = two().await;
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    for end in [
        0,
        1,
        first - 1,
        first,
        first + 1,
        whole.len() - 2,
        whole.len() - 1,
        whole.len(),
    ] {
        fs::write(&path, &whole[..end]).unwrap();
        let (model, _) = recorded(&path, &["1", "2"]).unwrap();
        assert_eq!(said(&model, "a", 0).await, "1", "cut at {end}");
        assert_eq!(said(&model, "b", 0).await, "2", "cut at {end}");
        drop(model);
        assert_eq!(fs::read(&path).unwrap(), whole, "cut at {end}");
    }
}

#[tokio::test]
async fn a_resumed_run_moves_the_model_on_once_a_request() {
    let (_folder, path) = two().await;
    let (model, script) = recorded(&path, &["1", "2", "3"]).unwrap();
    model.skip(&request("a", 0));
    model.skip(&request("a", 0));
    assert_eq!(script.left(), 2);
    // Recorded, but the run was killed before its journal knew.
    assert_eq!(said(&model, "b", 0).await, "2");
    assert_eq!(said(&model, "c", 0).await, "3");
}

#[tokio::test]
async fn two_who_ask_the_same_at_once_cost_one_reply() {
    let folder = tempfile::tempdir().unwrap();
    let (model, script) = recorded(&folder.path().join("r.jsonl"), &["1", "2"]).unwrap();
    let (left, right) = tokio::join!(said(&model, "a", 0), said(&model, "a", 0));
    assert_eq!((left.as_str(), right.as_str(), script.left()), ("1", "1", 1));
}

#[tokio::test]
async fn a_file_that_cannot_be_recorded_to_is_told_at_once() {
    let (folder, path) = two().await;
    let problem = |path: &Path| {
        let error = recorded(path, &[]).unwrap_err();
        assert!(error.is_input());
        error.to_string().split_once(": ").unwrap().1.to_owned()
    };
    assert_eq!(
        problem(&folder.path().join("no/x.jsonl")),
        "can't be used to record: entity not found"
    );
    assert_eq!(problem(folder.path()), "can't be used to record: is a directory");
    assert_eq!(
        problem(&folder.path().join("x.jsonl.gz")),
        "recordings are written plain; gzip the file when it is finished"
    );
    let other = folder.path().join("other.jsonl");
    fs::write(&other, "{\"task_id\": \"T/1\"}\n").unwrap();
    assert_eq!(
        problem(&other),
        "is no recording: it holds lines, but no exchange with a model"
    );
    fs::write(
        &other,
        fs::read_to_string(&path)
            .unwrap()
            .replace("\"script\"", "\"gpt\""),
    )
    .unwrap();
    assert_eq!(
        problem(&other),
        "holds replies of the model `gpt`, not of `script`; record to another file"
    );

    let (_model, _) = recorded(&path, &[]).unwrap();
    assert_eq!(problem(&path), "something else is recording there");
}
