//! Peak stack and heap of keygen, sign and verify, per row. The stack of a fresh thread is painted,
//! the operation runs, and the deepest overwritten byte is looked for.
use bench::{Row, message, rows, seed};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;
static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: defers to `System`; it only counts (Rust allocations; C code is not seen).
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, l: Layout) -> *mut u8 {
        PEAK.fetch_max(NOW.fetch_add(l.size(), Relaxed) + l.size(), Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(l) }
    }
    unsafe fn dealloc(&self, p: *mut u8, l: Layout) {
        NOW.fetch_sub(l.size(), Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(p, l) }
    }
}
#[global_allocator]
static A: Counting = Counting;

const SIZE: usize = 12 << 20;
const PAINT: u64 = 0xa5c3_96e1_5a3c_691e;

#[inline(never)]
fn painted(f: &mut dyn FnMut()) -> usize {
    let here = 0u8;
    let top = (&raw const here as usize - 4096) & !7;
    let low = top - SIZE + (256 << 10);
    // SAFETY: [low, top) is this thread's own stack, below every live frame.
    unsafe {
        let mut a = low;
        while a < top {
            (a as *mut u64).write_volatile(PAINT);
            a += 8;
        }
        f();
        let mut a = low;
        while a < top && (a as *const u64).read_volatile() == PAINT {
            a += 8;
        }
        top + 4096 - a
    }
}

fn main() {
    let filter = std::env::args().nth(1).unwrap_or_default();
    println!("lib\talg\tkeygen_stack\tsign_stack\tverify_stack\tkeygen_heap\tsign_heap\tverify_heap");
    let h = std::thread::Builder::new().stack_size(SIZE);
    h.spawn(move || {
        let list: Vec<Box<dyn Row>> = rows::all();
        for mut r in list {
            if !filter.is_empty()
                && !filter.split(',').any(|f| format!("{} {}", r.lib(), r.alg()).contains(f))
            {
                continue;
            }
            let mut heap = [0usize; 3];
            let mut stack = [0usize; 3];
            let mut run = |k: usize, f: &mut dyn FnMut()| {
                let before = NOW.load(Relaxed);
                PEAK.store(before, Relaxed);
                stack[k] = painted(f);
                heap[k] = PEAK.load(Relaxed) - before;
            };
            run(0, &mut || r.keygen(seed(1)));
            let m = message(5);
            let mut s = Vec::new();
            run(1, &mut || s = r.sign(&m));
            run(2, &mut || assert!(r.verify(&m, &s)));
            println!(
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                r.lib(),
                r.alg(),
                stack[0],
                stack[1],
                stack[2],
                heap[0],
                heap[1],
                heap[2]
            );
        }
    })
    .unwrap()
    .join()
    .unwrap();
}
