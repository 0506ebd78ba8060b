// SPDX-License-Identifier: ISC
// sym_panic [MSECS]
//
// Rust: scenes as in sym_frames.c, among them a drop while a panic unwinds the
// stack.  Built without frame pointers.
use std::hint::black_box;
use std::panic;
use std::time::{Duration, Instant};

fn spin() {
    let mut x: u32 = 1;
    for _ in 0..200_000 {
        x = black_box(x.wrapping_mul(7));
    }
}

macro_rules! spinners {
    ($($name:ident)*) => { $(
        #[no_mangle]
        #[inline(never)]
        pub extern "C" fn $name() {
            spin();
            black_box(stringify!($name));
        }
    )* };
}

spinners! { plain_spin iter_spin drop_spin thread_spin }

#[inline(never)]
fn deep(n: u32) -> u32 {
    if n == 0 {
        plain_spin();
        return 1;
    }
    let x = black_box([n; 20]);
    deep(n - 1) + x[n as usize % 20]
}

#[inline(never)]
fn plain_scene() {
    black_box(deep(10));
}

#[inline(never)]
fn iter_scene() {
    let mut v: Vec<u32> = (0..4).map(|x| black_box(x) * 7 % 5).collect();
    v.sort_by(|a, b| {
        iter_spin();
        a.cmp(b)
    });
    black_box(v);
}

struct Guard;

impl Drop for Guard {
    #[inline(never)]
    fn drop(&mut self) {
        drop_spin();
        black_box(());
    }
}

#[inline(never)]
fn drop_frame() {
    let _g = Guard;
    if black_box(true) {
        panic!("expected");
    }
}

#[inline(never)]
fn drop_scene() {
    let _ = panic::catch_unwind(drop_frame);
}

#[inline(never)]
fn thread_work() {
    thread_spin();
    black_box(());
}

#[inline(never)]
fn thread_scene() {
    let t = std::thread::spawn(|| {
        for _ in 0..20 {
            thread_work();
        }
    });
    t.join().unwrap();
}

fn main() {
    let msecs = std::env::args().nth(1).map_or(100, |s| s.parse().unwrap());
    let scenes: [(fn(), &str); 4] = [
        (plain_scene, "plain_spin .*;main;.*;sym_panic::main;sym_panic::plain_scene;(sym_panic::deep;)*sym_panic::deep"),
        (iter_scene, "iter_spin .*;main;.*;sym_panic::main;sym_panic::iter_scene;.*"),
        (drop_scene, "drop_spin .*;main;.*;sym_panic::main;sym_panic::drop_scene;.*sym_panic::drop_frame;.*drop[^;]*"),
        (thread_scene, "thread_spin [^;]*clone[^;]*;.*;sym_panic::thread_work"),
    ];
    panic::set_hook(Box::new(|_| ()));
    eprintln!("depth sym_panic::deep 11");
    for (_, stack) in scenes {
        eprintln!("stack {stack}");
    }
    for (scene, _) in scenes {
        let end = Instant::now() + Duration::from_millis(msecs);
        while Instant::now() < end {
            scene();
        }
    }
}
