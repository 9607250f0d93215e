#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    %0 = ttg.local_alloc {alignment = 8 : i32} : () -> !ttg.memdesc<32xi8, #shared, #smem, mutable>
    %1 = ttg.local_alloc {alignment = 256 : i32} : () -> !ttg.memdesc<256xi8, #shared, #smem, mutable>
    %2 = ttg.local_alloc {alignment = 1024 : i32} : () -> !ttg.memdesc<64xi8, #shared, #smem, mutable>
    %3 = ttg.local_alloc : () -> !ttg.memdesc<16xi8, #shared, #smem, mutable>
    ttg.local_dealloc %0 : !ttg.memdesc<32xi8, #shared, #smem, mutable>
    ttg.local_dealloc %1 : !ttg.memdesc<256xi8, #shared, #smem, mutable>
    ttg.local_dealloc %2 : !ttg.memdesc<64xi8, #shared, #smem, mutable>
    ttg.local_dealloc %3 : !ttg.memdesc<16xi8, #shared, #smem, mutable>
    tt.return
  }
}
