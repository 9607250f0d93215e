//! Devices by number, as DLPack (`dlpack.h`) and with it TVM count them.

/// Device types of DLPack (`DLDeviceType`).
const DEVICES: &[(u64, &str)] = &[
    (1, "cpu"),
    (2, "cuda"),
    (3, "cuda_host"),
    (4, "opencl"),
    (7, "vulkan"),
    (8, "metal"),
    (9, "vpi"),
    (10, "rocm"),
    (11, "rocm_host"),
    (12, "ext_dev"),
    (13, "cuda_managed"),
    (14, "oneapi"),
    (15, "webgpu"),
    (16, "hexagon"),
];

/// The name of a device by its number.
pub fn device_name(code: u64) -> String {
    let known = DEVICES.iter().find(|(known, _)| *known == code);
    known.map_or_else(|| format!("device {code}"), |(_, name)| name.to_string())
}

/// The number of a device by the name that [`device_name`] gives it.
pub fn device_code(name: &str) -> Option<u64> {
    let known = DEVICES.iter().find(|(_, known)| *known == name);
    known.map(|(code, _)| *code).or_else(|| name.strip_prefix("device ")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_name_that_leads_back() {
        assert_eq!(
            (device_name(1), device_name(2), device_name(99)),
            ("cpu".into(), "cuda".into(), "device 99".into())
        );
        (0..40).for_each(|code| assert_eq!(device_code(&device_name(code)), Some(code)));
        assert_eq!(device_code("abacus"), None);
    }
}
