//! Result codes: what a student sends instead of an account.
//!
//! `MP1-7Q4D-K2TX-9F3M-ZB8E-41RA-H7C`: after the prefix, 14 bytes in 23 letters of Crockford's
//! base32 (5 bits each, the first bits first, three zeros at the end). Numbers of several bytes
//! have their highest byte first.
//!
//! | bytes | contents |
//! |---|---|
//! | 1 | version, 1 |
//! | 4 | fingerprint of the exercise ([`super::link`]) |
//! | 2 | hash of the name: FNV-1a (32 bits) of its UTF-8 in small letters with single blanks, high half xor low half |
//! | 1 | right answers |
//! | 1 | questions |
//! | 1 | attempts (6 bits, at most 63), help was used (64), an answer was shown (128) |
//! | 3 | minutes since 2026-01-01 00:00 UTC |
//! | 1 | check: CRC-8 (polynomial 0x07, from 0) of the 13 bytes before |
//!
//! The code of an exercise that asks for a ratio begins with `MP2`. It has version 2 and, before
//! the check, two bytes with the ratio in hundredths: 16 bytes in 26 letters.
//!
//! A long code goes on with `+`, a bit for each question (right = 1, five bits a letter, filled up
//! with zeros) and two letters of a check: CRC-8 of the bytes before and those bits as bytes, then
//! two zeros. A letter that is another is always found. Nothing stops somebody who wants to cheat:
//! there is no secret.

mod check;
mod letters;
mod result;

pub use check::{Checked, Verdict, check, csv, figures, line, most_missed};
pub use result::{Code, CodeFault, Outcome, date, minute_of, read, write, write_long};
