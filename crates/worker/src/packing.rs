//! Requests ↔ bytes. Files travel beside the bytes, so that they are neither encoded nor copied.

use memplan_engine::Request;

/// Returns a request as bytes, and its files in the order in which [`unpack`] wants them.
pub fn pack<F>(request: Request<F>) -> (Vec<u8>, Vec<F>) {
    let mut files = Vec::new();
    let plain: Request<()> = request.map_files(|file| files.push(file));
    // Plain values: writing them cannot fail.
    (postcard::to_stdvec(&plain).unwrap_or_default(), files)
}

/// Reads the bytes of a request that still lacks its files; none for damaged bytes.
pub fn unpack(bytes: &[u8]) -> Option<Request<()>> {
    postcard::from_bytes(bytes).ok()
}

/// Returns the request with its files.
pub fn with_files<F: Default>(request: Request<()>, files: Vec<F>) -> Request<F> {
    let mut files = files.into_iter();
    // `pack` returned one file for each place.
    request.map_files(|()| files.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileData, WorkerReply, WorkerRequest};
    use memplan_core::graph::edit::Draft;
    use memplan_core::graph::{RawGraph, sample};
    use memplan_core::problem::Scope;
    use memplan_engine::{Answer, CompareTask, Comparison, Engine, PlanTask, PlannerChoice, Source, Task};
    use memplan_formats::import::Answers;

    const LIST: &[u8] = b"id,lower,upper,size\na,0,2,8\nb,1,3,8\n";

    fn plan_of(source: Source<FileData>) -> Request<FileData> {
        Request { source, scope: Scope::default(), task: Task::Plan(PlanTask::of("first-fit")) }
    }

    fn replied(request: Request<FileData>, engine: &mut Engine) -> WorkerReply {
        WorkerRequest { job: 1, request, own: Vec::new() }.run(engine)
    }

    #[test]
    fn files_travel_beside_the_bytes() {
        let file = FileData::from(vec![7; 100_000]);
        let source = Source::File { file: file.clone(), choices: Answers::default() };
        let (bytes, files) = pack(plan_of(source));
        assert!(bytes.len() < 1_000, "{} bytes", bytes.len());
        assert_eq!(files, std::slice::from_ref(&file));
        let request = with_files(unpack(&bytes).expect("as packed"), files);
        let Source::File { file: arrived, .. } = request.source else { panic!("a file") };
        assert_eq!((arrived, request.task), (file, Task::Plan(PlanTask::of("first-fit"))));
        assert!(unpack(&bytes[..3]).is_none());
    }

    #[test]
    fn each_file_of_several_keeps_its_name() {
        let files = vec![("a".to_string(), FileData::from(LIST.to_vec())), ("b".into(), FileData::from(b"{".to_vec()))];
        let task = Task::Compare(CompareTask::Graphs(files, vec![PlannerChoice::of("first-fit")]));
        let (bytes, files) = pack(Request { source: Source::Keep, scope: Scope::default(), task });
        let request = with_files(unpack(&bytes).expect("as packed"), files);
        let mut engine = Engine::default();
        let open = plan_of(Source::File { file: LIST.to_vec().into(), choices: Answers::default() });
        assert!(replied(open, &mut engine).0.is_ok());
        let WorkerReply(Ok(Answer::Compared(Comparison::Graphs(rows)))) = replied(request, &mut engine) else {
            panic!("graphs")
        };
        let read: Vec<(&str, bool)> = rows.iter().map(|(name, row)| (name.as_str(), row.is_ok())).collect();
        assert_eq!(read, [("a", true), ("b", false)]);
    }

    #[test]
    fn a_document_that_the_worker_wrote_travels_beside_its_reply() {
        let draft = postcard::to_stdvec(&RawGraph::from(Draft::from(&sample(5, 1)))).expect("plain values");
        let planned = |source| replied(plan_of(source), &mut Engine::default());
        let mut reply = planned(Source::Draft(draft.into()));
        let whole = postcard::to_stdvec(&reply).expect("plain values").len();
        assert_eq!(reply.take_written(|_| None::<()>), None, "the browser has no room for a file");
        assert_eq!(postcard::to_stdvec(&reply).expect("plain values").len(), whole, "so the reply has it still");
        let copy = |bytes: &[u8]| Some(bytes.to_vec());
        let written = reply.take_written(copy).expect("a draft is written as a file");
        assert!(String::from_utf8_lossy(&written).starts_with("{\"format\":\"memory-graph/1\""));
        assert!(postcard::to_stdvec(&reply).expect("plain values").len() + written.len() <= whole);
        assert_eq!(reply.take_written(copy), None);
        let mut of_file = planned(Source::File { file: LIST.to_vec().into(), choices: Answers::default() });
        assert_eq!(of_file.take_written(copy), None, "the page has the file");
    }
}
