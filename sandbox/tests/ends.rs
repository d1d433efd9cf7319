//! How a run ended is told truthfully.
use redraft_sandbox::{Command, End};
#[test]
fn hello() {
    let mut c = Command::new("/usr/bin/python3");
    c.system_libraries().readable("/usr/bin/python3").arg("-c").arg("print(6*7); import os; print(os.getpid(), os.getuid(), os.listdir('/'), open('/proc/self/mountinfo').read())");
    let o = c.run().unwrap();
    println!("{o:?} {}", o.stdout.text());
    assert_eq!(o.end, End::Exited(0));
}
