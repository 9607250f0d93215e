util.func public @unknown(%n: index, %base: index) -> (index, index, index) {
  %c64 = arith.constant 64 : index
  %0:3 = stream.resource.pack offset(%base) slices({
    [0, 1] = %n,
    [1, 2] = %c64
  }) : index
  util.return %0#0, %0#1, %0#2 : index, index, index
}
