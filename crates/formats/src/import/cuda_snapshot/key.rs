//! The keys of a snapshot that are read; all others are passed over.

/// A key of a dict in a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Segments,
    DeviceTraces,
    Device,
    Address,
    TotalSize,
    Blocks,
    Size,
    RequestedSize,
    State,
    Action,
    Addr,
    Frames,
    Filename,
    Line,
    Name,
}

impl Key {
    pub fn of(text: &[u8]) -> Option<Key> {
        Some(match text {
            b"segments" => Key::Segments,
            b"device_traces" => Key::DeviceTraces,
            b"device" => Key::Device,
            b"address" => Key::Address,
            b"total_size" => Key::TotalSize,
            b"blocks" => Key::Blocks,
            b"size" => Key::Size,
            b"requested_size" => Key::RequestedSize,
            b"state" => Key::State,
            b"action" => Key::Action,
            b"addr" => Key::Addr,
            b"frames" => Key::Frames,
            b"filename" => Key::Filename,
            b"line" => Key::Line,
            b"name" => Key::Name,
            _ => return None,
        })
    }
}
