func.func @f() {
  %a = memref.alloc() : memref<13xi1>
  "t.def"(%a) {n = "a"} : (memref<13xi1>) -> ()
  %c = memref.alloc() : memref<10xf64>
  "t.def"(%c) {n = "c"} : (memref<10xf64>) -> ()
  %d = memref.alloc() : memref<3x5xf16>
  "t.def"(%d) {n = "d"} : (memref<3x5xf16>) -> ()
  %e = memref.alloc() : memref<5xi4>
  "t.def"(%e) {n = "e"} : (memref<5xi4>) -> ()
  %f = memref.alloc() : memref<7xi64>
  "t.def"(%f) {n = "f"} : (memref<7xi64>) -> ()
  memref.dealloc %a : memref<13xi1>
  %g = memref.alloc() : memref<2xi1>
  "t.def"(%g) {n = "g"} : (memref<2xi1>) -> ()
  memref.dealloc %c : memref<10xf64>
  memref.dealloc %d : memref<3x5xf16>
  memref.dealloc %e : memref<5xi4>
  memref.dealloc %f : memref<7xi64>
  memref.dealloc %g : memref<2xi1>
  return
}
