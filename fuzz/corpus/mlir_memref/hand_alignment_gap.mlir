func.func @f() {
  %p = memref.alloc() : memref<10xi8>
  "t.def"(%p) {n = "p"} : (memref<10xi8>) -> ()
  %a = memref.alloc() : memref<60xi8>
  "t.def"(%a) {n = "a"} : (memref<60xi8>) -> ()
  %q = memref.alloc() : memref<10xi8>
  "t.def"(%q) {n = "q"} : (memref<10xi8>) -> ()
  memref.dealloc %a : memref<60xi8>
  %x = memref.alloc() alignment = 32 : memref<40xi8>
  "t.def"(%x) {n = "x"} : (memref<40xi8>) -> ()
  %y = memref.alloc() alignment = 64 : memref<8xi8>
  "t.def"(%y) {n = "y"} : (memref<8xi8>) -> ()
  memref.dealloc %p : memref<10xi8>
  memref.dealloc %q : memref<10xi8>
  memref.dealloc %x : memref<40xi8>
  memref.dealloc %y : memref<8xi8>
  return
}
