//! Which rows an operator needs: windows as every format states them, and what is not followed.

use memplan_core::problem::Scope;
use memplan_fit::transform::{Layout, Net, RowRule};

use super::graph_of;
use super::rules::of_nodes;

#[test]
fn channels_are_last_where_a_name_is_of_tflite_alone() {
    let layout = |ops: &[&str]| Layout::of(&of_nodes(&ops.iter().map(|op| (*op, "")).collect::<Vec<_>>()));
    assert_eq!(layout(&["Conv", "LRN", "LSTM"]), Layout::ChannelsFirst);
    assert_eq!(layout(&["GRU", "RNN", "Relu"]), Layout::ChannelsFirst);
    assert_eq!(layout(&["conv2d", "relu"]), Layout::ChannelsFirst);
    assert_eq!(layout(&["CONV_2D", "LSTM"]), Layout::ChannelsLast);
}

#[test]
fn a_window_that_does_not_explain_the_shapes_is_refused() {
    let rule = |h: u64, ho: u64, attrs: &str| {
        let graph = graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"window","tensors":[
            {{"name":"x","dtype":"int8","shape":[1,1,{h},8],"kind":"input"}},
            {{"name":"y","dtype":"int8","shape":[1,1,{ho},8],"kind":"output"}}],
            "nodes":[{{"name":"n","op":"max_pool2d","inputs":["x"],"outputs":["y"],"attrs":{{{attrs}}}}}]}}"#
        ));
        Net::of(&graph, &Scope::default(), &|_| true).expect("sizes").ops[0].rule
    };
    let pinned = RowRule::Pinned("fit.pinned-stride");
    let window = |stride, pad, kernel| RowRule::Window { stride, pad, kernel, dilation: 1 };
    let of = |kernel: u64, stride: u64, pad: u64| {
        format!(r#""kernel":[{kernel},1],"stride":[{stride},1],"padding":[{pad},0]"#)
    };
    assert_eq!(rule(8, 4, &of(2, 2, 0)), window(2, 0, 2));
    assert_eq!(rule(8, 5, &of(2, 2, 0)), pinned);
    assert_eq!(rule(9, 5, &of(2, 2, 0)), pinned);
    assert_eq!(rule(9, 5, &(of(2, 2, 0) + r#","ceil_mode":"true""#)), window(2, 0, 2));
    assert_eq!(rule(8, 4, &of(3, 2, 1)), window(2, 1, 3));
    assert_eq!(rule(8, 8, r#""kernel":[3,3],"stride":[2,2],"padding":"SAME""#), pinned);
    assert_eq!(rule(8, 6, r#""kernel":[3,3],"stride":[1,1],"padding":"VALID""#), window(1, 0, 3));
    // Before and after the rows, as ONNX states it.
    assert_eq!(rule(8, 4, r#""kernel_shape":[3,1],"strides":[2,1],"pads":[0,0,1,0]"#), window(2, 0, 3));
    // Figures beyond any image.
    assert_eq!(rule(8, 8, &of(3, u64::MAX, 1)), pinned);
    assert_eq!(
        rule(8, 8, r#""kernel":[3,3],"stride":[1,1],"padding":[1,1],"dilation":[9223372036854775807,1]"#),
        pinned
    );
}

/// The rule for rows of the first operator that reads an image and makes one, both of one channel
/// and one column.
fn rule_of_rows(op: &str, (h, ho): (u64, u64), weight: &str, attrs: &str) -> RowRule {
    let shape = |rows: u64| if op == op.to_uppercase() { [1, rows, 1, 1] } else { [1, 1, rows, 1] };
    let (inputs, tensor) = match weight {
        "" => (r#"["x"]"#, String::new()),
        _ => (r#"["x","w"]"#, format!(r#"{{"name":"w","dtype":"int8","shape":{weight},"kind":"weight"}},"#)),
    };
    let graph = graph_of(&format!(
        r#"{{"format":"memory-graph/1","name":"rows","tensors":[{tensor}
        {{"name":"x","dtype":"int8","shape":{:?},"kind":"input"}},
        {{"name":"y","dtype":"int8","shape":{:?},"kind":"output"}}],
        "nodes":[{{"name":"n","op":"{op}","inputs":{inputs},"outputs":["y"],"attrs":{{{attrs}}}}}]}}"#,
        shape(h),
        shape(ho)
    ));
    Net::of(&graph, &Scope::default(), &|_| true).expect("sizes").ops[0].rule
}

#[test]
fn an_output_row_of_one_input_row_is_believed_only_if_nothing_says_otherwise() {
    let pinned = RowRule::Pinned("fit.pinned-stride");
    for op in ["ConvTranspose", "conv_transpose2d", "TRANSPOSE_CONV"] {
        let weight = if op == "TRANSPOSE_CONV" { "[1,3,1,1]" } else { "[1,1,3,1]" };
        let rule = |attrs: &str| rule_of_rows(op, (4, 12), weight, attrs);
        assert_eq!(rule(""), RowRule::Scale, "{op}");
        assert_eq!(rule(r#""strides":[3,3],"pads":[0,0,0,0],"dilations":[1,1]"#), RowRule::Scale);
        assert_eq!(rule(r#""stride":3,"padding":0,"output_padding":"[0, 0]","dilation":1"#), RowRule::Scale);
        assert_eq!(rule(r#""strides":[3,3],"padding":"VALID""#), RowRule::Scale);
        // Output row 2 is made of input rows 0 and 1.
        assert_eq!(rule(r#""strides":[3,3],"pads":[1,1,1,1],"output_padding":[2,2]"#), pinned, "{op}");
        assert_eq!(rule(r#""strides":[3,3],"output_padding":[2,2]"#), pinned);
        assert_eq!(rule(r#""strides":[2,2]"#), pinned);
        assert_eq!(rule(r#""strides":[3,3],"pads":[0,0,1,1]"#), pinned);
        assert_eq!(rule(r#""strides":[3,3],"pads":[-1,0,0,0]"#), pinned, "no number that is understood");
        assert_eq!(rule(r#""strides":[3,3],"dilations":[2,2]"#), pinned);
        assert_eq!(rule(r#""strides":[3,3],"padding":"same as before""#), pinned);
    }
}

#[test]
fn a_convolution_that_is_either_is_transposed_where_it_says_so() {
    let pinned = RowRule::Pinned("fit.pinned-stride");
    let window = |stride| RowRule::Window { stride, pad: 0, kernel: 3, dilation: 1 };
    for op in ["convolution", "aten::convolution.out"] {
        let rule = |rows, attrs: &str| rule_of_rows(op, rows, "[1,1,3,1]", attrs);
        let wide = r#""stride":[3,1],"padding":[0,0],"dilation":[1,1],"output_padding":[0,0],"transposed":"#;
        assert_eq!(rule((4, 12), &format!("{wide}true")), RowRule::Scale, "{op}");
        assert_eq!(rule((12, 4), &format!("{wide}false")), window(3));
        assert_eq!(rule((4, 12), &format!("{wide}false")), pinned);
        assert_eq!(rule((4, 12), r#""stride":[2,1],"padding":[0,0],"transposed":true"#), pinned);
    }
}

#[test]
fn windows_are_read_as_every_format_states_them() {
    let window = |stride, pad, dilation| RowRule::Window { stride, pad, kernel: 3, dilation };
    let rule = |op: &str, rows, attrs: &str| rule_of_rows(op, rows, "[1,1,3,1]", attrs);
    // NNVM.
    assert_eq!(rule("Convolution", (9, 5), r#""kernel":"(3, 1)","stride":"(2, 1)","pad":"(1, 0)""#), window(2, 1, 1));
    let dilated = r#""kernel":"(3, 1)","stride":"(1, 1)","pad":"(2, 0)","dilate":"(2, 1)","layout":"None""#;
    assert_eq!(rule("Convolution", (9, 9), dilated), window(1, 2, 2));
    let pooled = |rest: &str| rule("Pooling", (8, 4), &format!(r#""kernel":"(3, 1)","stride":"(2, 1)"{rest}"#));
    assert_eq!(pooled(r#","pooling_convention":"full""#), window(2, 0, 1));
    assert_eq!(pooled(""), RowRule::Pinned("fit.pinned-stride"));
    let pinned = RowRule::Pinned("fit.pinned-stride");
    assert_eq!(rule("convolution", (9, 7), r#""stride":"[1, 1]","padding":"[-1, 0]""#), pinned);
    // XLA has its window elsewhere.
    assert_eq!(rule("convolution", (9, 9), ""), pinned);
    assert_eq!(rule("Convolution", (9, 9), r#""kernel":"(3, 1)""#), window(1, 1, 1));
    // Rows and columns of the image in another order.
    let turned = r#""strides":"[1, 1]","padding":"[1, 0]","data_layout":"NHWC""#;
    assert_eq!(rule("conv2d", (9, 9), turned), RowRule::Pinned("fit.pinned-layout"));
    assert_eq!(rule("conv2d", (9, 9), &turned.replace("NHWC", "NCHW")), window(1, 1, 1));
    // What is stated and cannot be read is not taken for the default.
    for open in [r#""dilation":"(2L, 1L)""#, r#""padding":"?""#, r#""stride":"?""#] {
        assert_eq!(rule("conv2d", (9, 9), open), pinned, "{open}");
    }
    // Batches whose mean is taken over all rows.
    assert_eq!(rule("BatchNormalization", (9, 9), r#""training_mode":1"#), RowRule::Pinned("fit.pinned-op"));
    assert_eq!(rule("batch_norm", (9, 9), r#""training":true"#), RowRule::Pinned("fit.pinned-op"));
    assert_eq!(rule("batch_norm", (9, 9), r#""training":false"#), RowRule::Same);
}

#[test]
fn a_weight_that_the_graph_computes_is_read_whole() {
    let graph = |op: &str, kind: &str| {
        let graph = graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"made","tensors":[
            {{"name":"x","dtype":"int8","shape":[1,1,8,1],"kind":"input"}},
            {{"name":"v","dtype":"int8","shape":[1,1,3,1],"kind":"input"}},
            {{"name":"w","dtype":"int8","shape":[1,1,3,1],"kind":"{kind}"}},
            {{"name":"y","dtype":"int8","shape":[1,1,8,1],"kind":"output"}}],
            "nodes":[{}
            {{"name":"c","op":"{op}","inputs":["x","w"],"outputs":["y"],"attrs":{{"kernel":[3,1],"stride":[1,1],"padding":[1,0]}}}}]}}"#,
            if kind == "input" { "" } else { r#"{"name":"r","op":"relu","inputs":["v"],"outputs":["w"]},"# }
        ));
        Net::of(&graph, &Scope::default(), &|_| true).expect("sizes").ops.last().expect("an operator").rule
    };
    assert_eq!(graph("conv2d", "intermediate"), RowRule::Pinned("fit.pinned-weight"));
    let window = RowRule::Window { stride: 1, pad: 1, kernel: 3, dilation: 1 };
    assert_eq!(graph("conv2d", "input"), window);
}

#[test]
fn a_resize_to_the_corners_needs_other_rows() {
    let pinned = RowRule::Pinned("fit.pinned-stride");
    let rule = |op: &str, attrs: &str| rule_of_rows(op, (4, 12), "", attrs);
    for op in ["RESIZE_NEAREST_NEIGHBOR", "upsample_nearest2d"] {
        assert_eq!(rule(op, ""), RowRule::Scale);
        // Row 2 is that of round(2 * 3 / 11), which is 1.
        assert_eq!(rule(op, r#""align_corners":true"#), pinned);
        assert_eq!(rule(op, r#""align_corners":"false","half_pixel_centers":"false""#), RowRule::Scale);
        // PyTorch writes factors with a point; one that is no whole number takes other rows.
        for stated in [r#""scale_factors":[3.0,3.0]"#, r#""scales_h":"3.0""#, r#""scale_factor":null"#] {
            assert_eq!(rule(op, stated), RowRule::Scale, "{stated}");
        }
        assert_eq!(rule(op, r#""scale_factors":[3.1,3.1]"#), pinned);
        // The centre of a row lies between its edges.
        assert_eq!(rule(op, r#""half_pixel_centers":true"#), RowRule::Scale);
    }
}

#[test]
fn a_window_of_any_size_is_explained_at_once() {
    let rule = |h: u64, kernel: u64, ho: u64| {
        let graph = graph_of(&format!(
            r#"{{"format":"memory-graph/1","name":"window","tensors":[
            {{"name":"x","dtype":"int8","shape":[1,1,{h},{h}],"kind":"input"}},
            {{"name":"w","dtype":"int8","shape":[1,1,{kernel},{kernel}],"kind":"weight"}},
            {{"name":"y","dtype":"int8","shape":[1,1,{ho},{ho}],"kind":"output"}}],
            "nodes":[{{"name":"n","op":"conv2d","inputs":["x","w"],"outputs":["y"]}}]}}"#
        ));
        Net::of(&graph, &Scope::default(), &|_| true).expect("sizes").ops[0].rule
    };
    let pinned = RowRule::Pinned("fit.pinned-stride");
    assert_eq!(rule(65_536, 65_535, 2), pinned);
    assert_eq!(rule(65_536, 32_767, 3), pinned);
    assert_eq!(rule(65_536, 3, 65_536), RowRule::Window { stride: 1, pad: 1, kernel: 3, dilation: 1 });
}
