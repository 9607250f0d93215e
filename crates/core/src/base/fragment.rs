//! Text in the fragment of an address: `key=value` pairs between `&`.

/// Percent-escapes what has a meaning in a fragment of this form.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b':' | b',' | b'@' | b'/' => {
                escaped.push(byte as char)
            }
            _ => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

/// Takes percent-escapes back; what is no escape stays as it is.
pub fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let hex = |digit: Option<u8>| digit.and_then(|digit| (digit as char).to_digit(16));
        if byte == b'%' {
            let ahead = rest.clone();
            let mut ahead = ahead;
            if let (Some(high), Some(low)) = (hex(ahead.next()), hex(ahead.next())) {
                bytes.push((high * 16 + low) as u8);
                rest = ahead;
                continue;
            }
        }
        bytes.push(byte);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_comes_back() {
        for text in ["", "a&b=c%", "ex:cases/reorder", "第 3 课 #1", "100%25"] {
            let escaped = escape(text);
            assert!(!escaped.contains(['&', '=', '#', ' ']), "{escaped}");
            assert_eq!(unescape(&escaped), text);
        }
        assert_eq!(unescape("5%"), "5%");
    }
}
