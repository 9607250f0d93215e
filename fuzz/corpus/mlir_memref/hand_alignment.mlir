func.func @f() {
  %a = memref.alloc() : memref<10xi8>
  "t.def"(%a) {n = "a"} : (memref<10xi8>) -> ()
  %p = memref.alloc() alignment = 16 : memref<100xi8>
  "t.def"(%p) {n = "p"} : (memref<100xi8>) -> ()
  memref.dealloc %a : memref<10xi8>
  %b = memref.alloc() alignment = 4 : memref<10xi8>
  "t.def"(%b) {n = "b"} : (memref<10xi8>) -> ()
  %c = memref.alloc() : memref<7xi8>
  "t.def"(%c) {n = "c"} : (memref<7xi8>) -> ()
  %d = memref.alloc() alignment = 8 : memref<3xi8>
  "t.def"(%d) {n = "d"} : (memref<3xi8>) -> ()
  memref.dealloc %p : memref<100xi8>
  %e = memref.alloc() alignment = 32 : memref<64xi8>
  "t.def"(%e) {n = "e"} : (memref<64xi8>) -> ()
  memref.dealloc %b : memref<10xi8>
  memref.dealloc %c : memref<7xi8>
  memref.dealloc %d : memref<3xi8>
  memref.dealloc %e : memref<64xi8>
  return
}
