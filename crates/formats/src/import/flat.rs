//! Flatbuffers: the few tables that are read, written down as field names and slots, and checked
//! before anything is touched, so that offsets of a damaged or hostile file lead nowhere.
//!
//! The only unsafe code of the crate is here. A reader for the library `flatbuffers` must implement
//! its trait `Follow`, whose one method is unsafe, and read fields by the library's unsafe
//! accessor, as the code that its own compiler generates does: there is no safe one. Both rest on
//! one fact: a table is made by [`root`] alone, from bytes in which the verifier of the library has
//! found every field that is declared here to lie inside, aligned, and of its type. The macros
//! declare each field once, for the verifier and for the accessor, so that the two cannot differ.

use flatbuffers::{ErrorTraceDetail, Follow, InvalidFlatbuffer, Verifiable, VerifierOptions};

use memplan_core::base::Message;

/// Most tables visited, and how deep they may lie.
const MAX_TABLES: usize = 10_000_000;
const MAX_DEPTH: usize = 64;

/// Declares a table: `field = slot: scalar type` is 0 where the file leaves it out,
/// `field = slot: offset type` is `None`. Fields that are not declared are neither read nor
/// checked.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident { $($field:ident = $slot:literal : $kind:ident $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $name<'a>(flatbuffers::Table<'a>);

        impl<'a> flatbuffers::Follow<'a> for $name<'a> {
            type Inner = Self;

            #[allow(unsafe_code)]
            unsafe fn follow(bytes: &'a [u8], at: usize) -> Self {
                // SAFETY: reached only through a root that the verifier has accepted.
                $name(unsafe { flatbuffers::Table::new(bytes, at) })
            }
        }

        impl<'a> flatbuffers::Verifiable for $name<'a> {
            fn run_verifier(
                verifier: &mut flatbuffers::Verifier,
                at: usize,
            ) -> Result<(), flatbuffers::InvalidFlatbuffer> {
                let table = verifier.visit_table(at)?;
                $(let table = crate::import::flat::table!(@check table $field $slot $kind $type);)*
                table.finish();
                Ok(())
            }
        }

        impl<'a> $name<'a> {
            $(crate::import::flat::table!(@get $field $slot $kind $type);)*
        }
    };
    (@check $table:ident $field:ident $slot:literal scalar $type:ty) => {
        $table.visit_field::<$type>(stringify!($field), $slot, false)?
    };
    (@check $table:ident $field:ident $slot:literal offset $type:ty) => {
        $table.visit_field::<flatbuffers::ForwardsUOffset<$type>>(stringify!($field), $slot, false)?
    };
    (@get $field:ident $slot:literal scalar $type:ty) => {
        #[allow(unsafe_code)]
        pub fn $field(&self) -> $type {
            // SAFETY: the verifier has checked the field.
            unsafe { self.0.get::<$type>($slot, None) }.unwrap_or_default()
        }
    };
    (@get $field:ident $slot:literal offset $type:ty) => {
        #[allow(unsafe_code)]
        pub fn $field(&self) -> Option<<$type as flatbuffers::Follow<'a>>::Inner> {
            // SAFETY: the verifier has checked the field.
            unsafe { self.0.get::<flatbuffers::ForwardsUOffset<$type>>($slot, None) }
        }
    };
}

/// Declares a table that holds one of several tables, its type number at one slot and the table at
/// another. Types that are not declared are `Other`; their contents are neither read nor checked.
macro_rules! union {
    ($(#[$doc:meta])* $name:ident as $one:ident, $key:literal, $value:literal { $($variant:ident = $number:literal : $type:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub enum $one<'a> {
            $($variant($type<'a>),)*
            Other,
        }

        #[derive(Clone, Copy)]
        pub struct $name<'a>(flatbuffers::Table<'a>);

        impl<'a> flatbuffers::Follow<'a> for $name<'a> {
            type Inner = Self;

            #[allow(unsafe_code)]
            unsafe fn follow(bytes: &'a [u8], at: usize) -> Self {
                // SAFETY: reached only through a root that the verifier has accepted.
                $name(unsafe { flatbuffers::Table::new(bytes, at) })
            }
        }

        impl<'a> flatbuffers::Verifiable for $name<'a> {
            fn run_verifier(
                verifier: &mut flatbuffers::Verifier,
                at: usize,
            ) -> Result<(), flatbuffers::InvalidFlatbuffer> {
                let table = verifier.visit_table(at)?;
                let table = table.visit_union::<u8, _>("type", $key, "value", $value, false, |key, verifier, at| {
                    match key {
                        $($number => verifier.verify_union_variant::<flatbuffers::ForwardsUOffset<$type>>(
                            stringify!($variant),
                            at,
                        ),)*
                        _ => Ok(()),
                    }
                })?;
                table.finish();
                Ok(())
            }
        }

        impl<'a> $name<'a> {
            #[allow(unsafe_code)]
            pub fn get(&self) -> $one<'a> {
                // SAFETY: the verifier has checked the type and the table of that type.
                let key = unsafe { self.0.get::<u8>($key, None) }.unwrap_or_default();
                match key {
                    $($number => unsafe { self.0.get::<flatbuffers::ForwardsUOffset<$type>>($value, None) }
                        .map_or($one::Other, $one::$variant),)*
                    _ => $one::Other,
                }
            }
        }
    };
}

pub(super) use {table, union};

/// The root table, once all that is declared of it has been found to lie inside the bytes.
///
/// # Errors
/// What is wrong, and in which field.
pub fn root<'a, T: 'a + Follow<'a> + Verifiable>(bytes: &'a [u8]) -> Result<T::Inner, Message> {
    // A table may be referred to twice, so that little is shared in files that writers make; a file
    // that shares much asks for work far beyond its own length.
    let visited = bytes.len().saturating_mul(8).saturating_add(1 << 16);
    let options = VerifierOptions {
        max_depth: MAX_DEPTH,
        max_tables: MAX_TABLES,
        max_apparent_size: visited,
        ..VerifierOptions::default()
    };
    flatbuffers::root_with_opts::<T>(&options, bytes).map_err(|fault| damaged(&fault, bytes.len()))
}

fn damaged(fault: &InvalidFlatbuffer, length: usize) -> Message {
    let (what, trace) = match fault {
        InvalidFlatbuffer::RangeOutOfBounds { range, error_trace } => {
            return Message::new("fault.flat-short")
                .count("length", length as u64)
                .count("end", range.end as u64)
                .text("field", field(error_trace.as_ref()));
        }
        InvalidFlatbuffer::TooManyTables
        | InvalidFlatbuffer::ApparentSizeTooLarge
        | InvalidFlatbuffer::DepthLimitReached => return Message::new("fault.flat-limit").count("tables", MAX_TABLES),
        InvalidFlatbuffer::MissingRequiredField { error_trace, .. } => ("a field is missing", error_trace),
        InvalidFlatbuffer::InconsistentUnion { error_trace, .. } => ("a value without its type", error_trace),
        InvalidFlatbuffer::Utf8Error { error_trace, .. } => ("a text is not UTF-8", error_trace),
        InvalidFlatbuffer::MissingNullTerminator { error_trace, .. } => ("a text without its end", error_trace),
        InvalidFlatbuffer::Unaligned { error_trace, .. } => ("a misaligned value", error_trace),
        InvalidFlatbuffer::SignedOffsetOutOfBounds { error_trace, .. } => ("an offset outside the file", error_trace),
    };
    Message::new("fault.flat-damaged").text("what", what).text("field", field(trace.as_ref()))
}

/// `subgraphs[0].tensors[3].name` of a trace, which begins at the innermost.
fn field(trace: &[ErrorTraceDetail]) -> String {
    let mut path = String::new();
    for detail in trace.iter().rev() {
        match detail {
            ErrorTraceDetail::VectorElement { index, .. } => path += &format!("[{index}]"),
            ErrorTraceDetail::TableField { field_name: name, .. }
            | ErrorTraceDetail::UnionVariant { variant: name, .. } => {
                if !path.is_empty() {
                    path.push('.');
                }
                path += name;
            }
        }
    }
    if path.is_empty() { "root".to_string() } else { path }
}
