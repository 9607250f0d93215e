//! Sizes of tensors: numbers, or expressions over symbols that have no upper bound.

use std::collections::BTreeMap;

use memplan_core::graph::Expr;

/// Bytes of a storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Size {
    /// A number.
    Bytes(u64),
    /// An expression over symbols.
    Symbolic(Expr),
}

/// An extent of a shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extent {
    /// A number.
    Number(u64),
    /// An expression over symbols.
    Symbolic(Expr),
}

/// Least and greatest value of each symbol that has a bound: `(0, u64::MAX)` for one that is known
/// to be at least 0, but has no upper bound.
pub type Bounds = BTreeMap<String, (u64, u64)>;

/// What texture memory rounds the bytes of a row up to (`image_base_address_alignment`).
const ROW: u64 = 64;

/// Numbers at which expressions are compared: primes, different ones for each symbol.
const POINTS: [u64; 8] = [2, 3, 5, 7, 11, 13, 17, 1009];

/// Bytes of a tensor, `GetUpperBoundShape` and `StorageToken` of the original: extents at their
/// greatest values where bounds give such, times bytes of an element. `texture`: the memory scope
/// if it is one of textures. None if it is beyond 2^64 or not understood.
pub fn size(shape: &[Extent], element: u64, bounds: &Bounds, texture: Option<&str>) -> Option<Size> {
    let greatest: Vec<Extent> = shape.iter().map(|extent| greatest(extent, bounds)).collect();
    let number = |extent: &Extent| match extent {
        Extent::Number(number) => Some(*number),
        Extent::Symbolic(_) => None,
    };
    if let (Some(scope), Some(numbers)) = (texture, greatest.iter().map(number).collect::<Option<Vec<u64>>>()) {
        // Times bytes of an element once more: a fault of the original.
        return texture_bytes(&numbers, scope, element)?.checked_mul(element).map(Size::Bytes);
    }
    let mut bytes = element;
    let mut symbolic: Vec<&str> = Vec::new();
    for extent in &greatest {
        match extent {
            Extent::Number(number) => bytes = bytes.checked_mul(*number)?,
            Extent::Symbolic(expr) => symbolic.push(expr.source()),
        }
    }
    if bytes == 0 || symbolic.is_empty() {
        return Some(Size::Bytes(bytes));
    }
    let product = symbolic.iter().fold(bytes.to_string(), |product, source| format!("{product}*({source})"));
    Expr::parse(&product).ok().map(Size::Symbolic)
}

/// An extent at its greatest value, or with the symbols that have bounds at theirs. One without a
/// greatest value stays as it is.
fn greatest(extent: &Extent, bounds: &Bounds) -> Extent {
    let Extent::Symbolic(expr) = extent else { return extent.clone() };
    match expr.greatest(bounds) {
        Some(number) => Extent::Number(number),
        None => expr.greatest_over_free(bounds).map_or_else(|| extent.clone(), Extent::Symbolic),
    }
}

/// The expression with every symbol below 0 where it is above 0.
fn mirrored(expr: &Expr) -> Option<Expr> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
    let symbols = expr.symbols();
    let mut text = String::with_capacity(expr.source().len());
    let mut rest = expr.source();
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| is_word(letter) != is_word(first)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let is_symbol = symbols.contains(&word);
        text.push_str(&if is_symbol { format!("(0-{word})") } else { word.to_string() });
        rest = behind;
    }
    Expr::parse(&text).ok()
}

/// Bytes of rows of a texture: the extents before an axis are rows, the others make up a row, which
/// is rounded up.
fn texture_bytes(shape: &[u64], scope: &str, element: u64) -> Option<u64> {
    let axis = match scope {
        "global.texture-weight" => 1,
        "global.texture-nhwc" if shape.len() == 3 => 1,
        "global.texture-nhwc" => 2,
        _ => shape.len().saturating_sub(2),
    };
    let product = |extents: &[u64]| extents.iter().try_fold(1u64, |product, &extent| product.checked_mul(extent));
    let (rows, row) = shape.split_at(axis.min(shape.len().saturating_sub(1)));
    let bytes = product(row)?.checked_mul(element)?.checked_next_multiple_of(ROW)?;
    product(rows)?.checked_mul(bytes)
}

/// Whether two expressions have the same value whatever the symbols are. Symbols may be below 0, so
/// `Max(64*b, 0)` and `64*b` are not the same.
pub fn is_same(a: &Expr, b: &Expr) -> bool {
    let below_0 = || mirrored(a).zip(mirrored(b)).is_some_and(|(a, b)| is_same_above_0(&a, &b));
    a.normal() == b.normal() || is_same_above_0(a, b) && below_0()
}

/// Whether two expressions have the same value for all symbols above 0.
pub fn is_same_above_0(a: &Expr, b: &Expr) -> bool {
    let mut symbols: Vec<&str> = a.symbols();
    symbols.extend(b.symbols());
    symbols.sort_unstable();
    symbols.dedup();
    (0..POINTS.len()).all(|shift| {
        let value = |(at, name): (usize, &&str)| (name.to_string(), POINTS[(at * 3 + shift) % POINTS.len()]);
        let values: BTreeMap<String, u64> = symbols.iter().enumerate().map(value).collect();
        matches!((a.value(&values), b.value(&values)), (Ok(a), Ok(b)) if a == b)
    })
}

/// Bytes of an element of a type, `bits * lanes / 8` rounded up: `float32x4` has 16, `int4` has 1.
/// None for a name that is no type.
pub fn element_bytes(dtype: &str) -> Option<u64> {
    let (name, lanes) = match dtype.rsplit_once('x') {
        Some((name, lanes)) => (name, lanes.parse().ok()?),
        None => (dtype, 1),
    };
    let bits: u64 = match name {
        "bool" => 8,
        _ => {
            let digits = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
            digits.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()?
        }
    };
    bits.checked_mul(lanes).map(|bits| bits.div_ceil(8))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(text: &str) -> Extent {
        text.parse().map_or_else(|_| Extent::Symbolic(Expr::parse(text).expect("an expression")), Extent::Number)
    }

    fn bytes(shape: &[&str], element: u64, bounds: &[(&str, (u64, u64))]) -> String {
        let shape: Vec<Extent> = shape.iter().map(|text| extent(text)).collect();
        let bounds = bounds.iter().map(|&(name, bounds)| (name.to_string(), bounds)).collect();
        match size(&shape, element, &bounds, None).expect("small") {
            Size::Bytes(bytes) => bytes.to_string(),
            Size::Symbolic(expr) => expr.normal(),
        }
    }

    #[test]
    fn extents_are_taken_at_their_greatest_values() {
        let n = [("n", (0, 64))];
        assert_eq!(bytes(&["n", "4"], 4, &n), "1024");
        assert_eq!(bytes(&["100-n"], 1, &n), "100");
        assert_eq!(bytes(&["n%10"], 1, &n), "9");
        assert_eq!(bytes(&["n+m"], 4, &n), Expr::parse("4*m + 256").expect("an expression").normal());
        assert_eq!(bytes(&["n", "0"], 4, &[]), "0");
        assert_eq!(bytes(&[], 4, &[]), "4");
        // Without bounds a symbol may be below 0.
        assert_eq!(bytes(&["n-m"], 1, &n), Expr::parse("64 - m").expect("an expression").normal());
        assert_eq!(bytes(&["n*m"], 4, &n), Expr::parse("4*Max(64*m, 0)").expect("an expression").normal());
        let n_and_m = [("n", (0, 64)), ("m", (0, u64::MAX))];
        assert_eq!(bytes(&["n*m"], 4, &n_and_m), Expr::parse("256*m").expect("an expression").normal());
    }

    #[test]
    fn rows_of_a_texture_are_rounded_up_and_counted_too_often() {
        let shape = [1, 8, 8, 15, 4].map(Extent::Number);
        assert_eq!(size(&shape, 4, &Bounds::new(), Some("global.texture")), Some(Size::Bytes(4 * 64 * 256)));
        let shape = [8, 3, 4].map(Extent::Number);
        assert_eq!(size(&shape, 4, &Bounds::new(), Some("global.texture-weight")), Some(Size::Bytes(4 * 8 * 64)));
    }

    #[test]
    fn types_have_whole_bytes_an_element() {
        for (dtype, expected) in [
            ("float32", 4),
            ("float32x4", 16),
            ("int4", 1),
            ("int1", 1),
            ("bool", 1),
            ("bfloat16", 2),
            ("float8_e4m3fn", 1),
        ] {
            assert_eq!(element_bytes(dtype), Some(expected), "{dtype}");
        }
        assert_eq!(element_bytes("object"), None);
    }

    #[test]
    fn expressions_are_compared_by_value() {
        let same = |a: &str, b: &str| is_same(&Expr::parse(a).expect("a"), &Expr::parse(b).expect("b"));
        assert!(same("4*(n*2)", "n*8") && same("n+n", "2*n") && same("(n+m)*2", "2*m + 2*n"));
        assert!(!same("n", "m") && !same("n*n", "n") && !same("n//2*2", "n"));
        assert!(!same("4*Max(64*n, 0)", "256*n") && same("4*Max(64*n, 0)", "Max(n*64, 0)*4"));
    }
}
