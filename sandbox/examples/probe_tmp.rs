use redraft_sandbox::{Command, Level};
use std::time::Instant;
fn main() {
    redraft_sandbox::prepare().unwrap();
    for level in [Level::Strict, Level::Standard] {
        for alone in [true, false] {
            for sleep in [0u64, 100] {
                let mut c = Command::new("/usr/bin/python3");
                c.system_libraries()
                    .readable("/usr/bin/python3")
                    .arg("-c")
                    .arg("pass")
                    .isolation(level);
                if alone {
                    c.alone();
                }
                let mut v = vec![];
                let mut u = vec![];
                let mut f = vec![];
                for _ in 0..40 {
                    let t = Instant::now();
                    let o = c.run().unwrap();
                    v.push(t.elapsed().as_micros());
                    u.push(o.usage.wall.as_micros());
                    f.push(o.usage.cpu.as_micros());
                    std::thread::sleep(std::time::Duration::from_millis(sleep));
                }
                v.sort();
                u.sort();
                f.sort();
                println!(
                    "{level} alone {alone} sleep {sleep}: total {} wall {} cpu {}",
                    v[20], u[20], f[20]
                );
            }
        }
    }
}
