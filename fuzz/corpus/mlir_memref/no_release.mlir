func.func @f() {
  %a = memref.alloc() : memref<100xi8>
  "t.def"(%a) {n = "a"} : (memref<100xi8>) -> ()
  return
}
