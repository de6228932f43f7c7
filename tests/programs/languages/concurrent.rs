// Rust's library under load: threads, channels, scoped borrowing, mutexes and
// condition variables, unwinding, hash maps with random state, big
// allocations, 128-bit and floating-point arithmetic, processes, files.
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{Read, Seek, SeekFrom, Write};
use std::panic;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc, Barrier, Condvar, Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};

fn channels() {
    let (send, receive) = mpsc::channel::<(usize, u64)>();
    for id in 0..16 {
        let send = send.clone();
        thread::spawn(move || {
            for i in 0..200u64 {
                send.send((id, i * i)).unwrap();
            }
        });
    }
    drop(send);
    let mut sums = BTreeMap::new();
    for (id, value) in receive {
        *sums.entry(id).or_insert(0u64) += value;
    }
    println!("channels {} {:?}", sums.len(), sums[&7]);
    let (send, receive) = mpsc::sync_channel::<Vec<u8>>(2);
    let producer = thread::spawn(move || {
        for i in 0..50u8 {
            send.send(vec![i; 1000]).unwrap();
        }
    });
    let total: usize = receive.iter().map(|v| v.len() * v[0] as usize).sum();
    producer.join().unwrap();
    println!("sync channel {}", total);
}

fn locks() {
    let total = Arc::new(Mutex::new(0u64));
    let atomic = Arc::new(AtomicU64::new(0));
    let table = Arc::new(RwLock::new(HashMap::new()));
    let barrier = Arc::new(Barrier::new(8));
    let threads: Vec<_> = (0..8u64)
        .map(|id| {
            let (total, atomic, table, barrier) =
                (total.clone(), atomic.clone(), table.clone(), barrier.clone());
            thread::Builder::new()
                .name(format!("worker-{}", id))
                .stack_size(256 << 10)
                .spawn(move || {
                    barrier.wait();
                    for i in 0..300 {
                        *total.lock().unwrap() += i;
                        atomic.fetch_add(id, Ordering::SeqCst);
                        if i % 50 == 0 {
                            table.write().unwrap().insert(id * 1000 + i, i);
                        } else {
                            let _ = table.read().unwrap().get(&i).copied();
                        }
                    }
                    thread::current().name().unwrap().len()
                })
                .unwrap()
        })
        .collect();
    let names: usize = threads.into_iter().map(|t| t.join().unwrap()).sum();
    println!(
        "locks {} {} {} {}",
        total.lock().unwrap(),
        atomic.load(Ordering::SeqCst),
        table.read().unwrap().len(),
        names
    );
    let pair = Arc::new((Mutex::new(0), Condvar::new()));
    let other = pair.clone();
    let ping = thread::spawn(move || {
        let (lock, changed) = &*other;
        for _ in 0..100 {
            let mut turn = changed.wait_while(lock.lock().unwrap(), |t| *t % 2 == 0).unwrap();
            *turn += 1;
            changed.notify_all();
        }
    });
    let (lock, changed) = &*pair;
    for _ in 0..100 {
        let mut turn = changed.wait_while(lock.lock().unwrap(), |t| *t % 2 == 1).unwrap();
        *turn += 1;
        changed.notify_all();
    }
    ping.join().unwrap();
    println!("ping-pong {}", lock.lock().unwrap());
}

struct Noisy(&'static str);
impl Drop for Noisy {
    fn drop(&mut self) {
        println!("drop {} panicking {}", self.0, thread::panicking());
    }
}

fn deep(n: u32) -> u32 {
    let _guard = if n % 1000 == 0 { Some(Noisy("deep")) } else { None };
    if n == 0 {
        panic!("bottom");
    }
    deep(n - 1) + 1
}

fn unwinding() {
    panic::set_hook(Box::new(|info| println!("hook {}", info.location().unwrap().line() > 0)));
    let caught = panic::catch_unwind(|| {
        let _a = Noisy("a");
        let _b = Noisy("b");
        let list = vec![1, 2, 3];
        let index = list.len() + std::env::args().count();
        list[index]
    });
    println!("caught {}", caught.is_err());
    let bottom = panic::catch_unwind(|| deep(3000)).unwrap_err();
    println!("caught {:?}", bottom.downcast_ref::<&str>());
    let joined = thread::spawn(|| {
        let _c = Noisy("thread");
        let zero = std::env::args().count() as i32 - 1;
        100 / zero
    })
    .join();
    println!("thread panicked {}", joined.is_err());
    let text = "12x".parse::<i32>();
    println!("{:?}", text);
}

fn maps() {
    let mut map = HashMap::new();
    for i in 0..5000u64 {
        *map.entry(format!("key-{}", i * 7919 % 3001)).or_insert(0) += i;
    }
    let mut keys: Vec<_> = map.iter().collect();
    keys.sort();
    println!("maps {} {:?}", keys.len(), keys[17]);
    let set: HashSet<u64> = (0..1000).map(|i| i * i % 997).collect();
    println!("set {}", set.len());
}

fn numbers() {
    let mut a: u128 = 1;
    for i in 1..=34u128 {
        a *= i;
    }
    println!("u128 {} {} {}", a, a / 12345678901234567u128, a % 998244353);
    println!("i128 {}", (-170141183460469231731687303715884105728i128).checked_neg().is_none());
    let mut sum = 0.0f64;
    for i in 1..5000 {
        let x = i as f64;
        sum += x.sin() * x.ln() / x.powf(0.3) + (x / 3.0).floor();
    }
    println!("floats {:?} {:?} {:e} {}", sum, 0.1f32 + 0.2f32, 1.0e-310f64, f64::NAN);
    println!("saturating {} {} {}", 300.7f32 as u8, -1e30f64 as i64, f64::NAN as i32);
    println!("bits {} {} {}", 0x00ff00u32.leading_zeros(), u64::MAX.count_ones(), 40u8.trailing_zeros());
    let mut list: Vec<u64> = (0..20000u64).map(|i| i.wrapping_mul(6364136223846793005) >> 20).collect();
    list.sort_unstable();
    println!("sorted {} {}", list[0], list[9999]);
    let text: String = "ünïcödé ".repeat(200);
    println!("text {} {} {}", text.len(), text.chars().count(), text.to_uppercase().chars().nth(3).unwrap());
}

fn memory() {
    let mut big = vec![0u8; 96 << 20];
    for i in (0..big.len()).step_by(4096) {
        big[i] = (i >> 12) as u8;
    }
    let sum: u64 = big.iter().step_by(4096).map(|&b| b as u64).sum();
    big.resize(128 << 20, 1);
    println!("memory {} {}", sum, big[100 << 20]);
    let boxes: Vec<Box<[u64; 4]>> = (0..20000).map(|i| Box::new([i; 4])).collect();
    println!("boxes {}", boxes.iter().map(|b| b[2]).sum::<u64>());
}

fn system() {
    let start = Instant::now();
    thread::sleep(Duration::from_millis(5));
    println!("slept {}", start.elapsed() >= Duration::from_millis(5));
    let mut file = std::fs::OpenOptions::new().read(true).write(true).create(true).truncate(true).open("one.txt").unwrap();
    file.write_all(b"first\nsecond\n").unwrap();
    file.seek(SeekFrom::Start(6)).unwrap();
    let mut rest = String::new();
    file.read_to_string(&mut rest).unwrap();
    println!("file {:?} {:?}", rest, std::fs::metadata("one.txt").unwrap().len());
    println!("missing {:?}", std::fs::read("none").unwrap_err().kind());
    let output = std::process::Command::new("/bin/sh").arg("-c").arg("echo out; echo err >&2; kill -9 $$").output().unwrap();
    println!("process {:?} {:?}", output.status, String::from_utf8_lossy(&output.stdout));
}

fn main() {
    channels();
    locks();
    unwinding();
    maps();
    numbers();
    memory();
    system();
    let total = thread::scope(|scope| {
        let parts: Vec<_> = (0..4u64).map(|p| scope.spawn(move || (p * 1000..p * 1000 + 1000).sum::<u64>())).collect();
        parts.into_iter().map(|p| p.join().unwrap()).sum::<u64>()
    });
    println!("scope {}", total);
    std::process::exit(9);
}
