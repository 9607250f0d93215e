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
    AllocatorSettings,
    AllocConf,
    CudaAllocConf,
    Stream,
    SegmentType,
    IsExpandable,
    PoolId,
    DeviceFree,
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
            b"allocator_settings" => Key::AllocatorSettings,
            b"PYTORCH_ALLOC_CONF" => Key::AllocConf,
            b"PYTORCH_CUDA_ALLOC_CONF" => Key::CudaAllocConf,
            b"stream" => Key::Stream,
            b"segment_type" => Key::SegmentType,
            b"is_expandable" => Key::IsExpandable,
            b"pool_id" => Key::PoolId,
            b"device_free" => Key::DeviceFree,
            _ => return None,
        })
    }
}
