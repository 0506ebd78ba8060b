// SPDX-License-Identifier: ISC
// Rust's names: generic functions and a trait's method, demangled, without the
// hash at their end.
use std::hint::black_box;
use std::time::{Duration, Instant};

trait Burn {
    fn leaf(&self);
}

struct Rounds(u32);

impl Burn for Rounds {
    #[inline(never)]
    fn leaf(&self) {
        for i in 0..black_box(self.0) {
            black_box(i);
        }
    }
}

#[inline(never)]
fn middle<T: Burn>(b: &T) {
    b.leaf();
    black_box(());
}

#[inline(never)]
fn top() {
    middle(&Rounds(100_000));
    black_box(());
}

fn main() {
    let msecs = std::env::args().nth(1).map_or(300, |s| s.parse().unwrap());
    let end = Instant::now() + Duration::from_millis(msecs);
    while Instant::now() < end {
        top();
    }
}
