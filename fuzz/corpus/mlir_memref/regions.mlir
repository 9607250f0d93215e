func.func @f(%p: i1) {
  %a = memref.alloc() : memref<100xi8>
  "t.def"(%a) {n = "a"} : (memref<100xi8>) -> ()
  %k = memref.alloc() : memref<40xi8>
  "t.def"(%k) {n = "k"} : (memref<40xi8>) -> ()
  %s = scf.if %p -> (memref<100xi8>) {
    scf.yield %a : memref<100xi8>
  } else {
    %x = memref.alloc() : memref<100xi8>
    "t.def"(%x) {n = "x"} : (memref<100xi8>) -> ()
    scf.yield %x : memref<100xi8>
  }
  memref.dealloc %s : memref<100xi8>
  memref.dealloc %k : memref<40xi8>
  return
}
