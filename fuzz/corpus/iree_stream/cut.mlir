util.func public @known() -> (index, index, index, index) {
  %c100 = arith.constant 100 : index
  %c300 = arith.constant 300 : index
  %0:4 = stream.resource.pack slices({
    [0,