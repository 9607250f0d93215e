//! Operators by their number in the file, and what the interpreter lets them do to an input.

use super::schema::OperatorCode;

/// `BuiltinOperator` in the order of its numbers, names as in the schema.
///
/// **From**: tensorflow/tensorflow, `tensorflow/lite/schema/schema.fbs`, numbers 0 to 209.
const BUILTIN: &str = "\
    ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR \
    FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION \
    LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH \
    CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER \
    BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE \
    BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM \
    ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE \
    TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK \
    LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL \
    FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL \
    REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND \
    HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM \
    BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS \
    HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE \
    ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU \
    DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 \
    UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE \
    STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP STABLEHLO_CONCATENATE \
    STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE STABLEHLO_CUSTOM_CALL STABLEHLO_REDUCE \
    STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG \
    STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER STABLEHLO_REMAINDER STABLEHLO_RSQRT \
    STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT \
    STABLEHLO_DYNAMIC_SLICE STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA STABLEHLO_DOT_GENERAL \
    STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE STABLEHLO_GATHER STABLEHLO_TRANSPOSE DILATE \
    STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT STABLEHLO_CBRT STABLEHLO_CASE";

const CUSTOM: i32 = 32;

/// The names of operators: the custom name, or the number of an unknown operator.
pub fn names<'a>(codes: impl Iterator<Item = OperatorCode<'a>>) -> Vec<String> {
    let builtin: Vec<&str> = BUILTIN.split_ascii_whitespace().collect();
    let name = |code: OperatorCode| {
        // Old files have only the first number, new ones both; where the old field is too small it holds 127.
        let number = code.builtin_code().max(i32::from(code.deprecated_builtin_code()));
        if number == CUSTOM {
            return code.custom_code().filter(|name| !name.is_empty()).unwrap_or("CUSTOM").to_string();
        }
        let known = usize::try_from(number).ok().and_then(|number| builtin.get(number));
        known.map_or_else(|| format!("BUILTIN_{number}"), |name| name.to_string())
    };
    codes.map(name).collect()
}

/// What `TfLiteRegistration.inplace_operator` of a built-in operator permits for its first output.
///
/// **From**: tensorflow/tensorflow v2.21.0, the `Register_*` functions in `tensorflow/lite/kernels/`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    No,
    /// The output holds the very bytes of the first input.
    Same,
    /// The output may overwrite one of so many first inputs.
    Overwrite(usize),
}

pub fn sharing(operator: &str) -> Sharing {
    match operator {
        "RESHAPE" | "SQUEEZE" | "EXPAND_DIMS" | "BITCAST" => Sharing::Same,
        "ADD" | "SUB" | "MUL" | "DIV" => Sharing::Overwrite(2),
        "SOFTMAX" | "DYNAMIC_UPDATE_SLICE" => Sharing::Overwrite(1),
        _ => Sharing::No,
    }
}

/// Whether an operator runs other subgraphs of the file, whose memory is planned apart.
pub fn runs_subgraphs(operator: &str) -> bool {
    matches!(
        operator,
        "CALL" | "IF" | "WHILE" | "CALL_ONCE" | "STABLEHLO_WHILE" | "STABLEHLO_COMPOSITE" | "STABLEHLO_CASE"
    )
}
