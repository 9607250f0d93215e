util.func public @known() -> (index, index, index, index) {
  %c100 = arith.constant 100 : index
  %c300 = arith.constant 300 : index
  %0:4 = stream.resource.pack slices({
    [0, 2] = %c100,
    [1, 3] = %c300,
    [3, 5] = %c100
  }) : index
  util.return %0#0, %0#1, %0#2, %0#3 : index, index, index, index
}
