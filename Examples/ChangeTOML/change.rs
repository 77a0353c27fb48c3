use std::process::{exit, Command, Stdio};

/// Runs the command, and returns what it prints and its exit status.
fn settings(arguments: &[&str]) -> (String, i32) {
    let output = Command::new("settings-cli")
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .expect("settings-cli is installed");
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    (text, output.status.code().unwrap_or(1))
}

fn main() {
    let file = std::env::args().nth(1).expect("a file");
    loop {
        let (digest, status) = settings(&["get", &file, "--digest"]);
        if status != 0 {
            exit(status);
        }
        let (text, _) = settings(&["get", &file, "limits.open-files", "--default", "1024"]);
        let now: i64 = text.parse().expect("an integer");
        let number = format!("limits.open-files={}", now * 2);
        let (_, status) = settings(&[
            "set", &file, &number, "limits.raised-by=installer", "--if-unchanged", &digest,
        ]);
        // 9: someone was faster. Once more, from what is there now.
        if status != 9 {
            exit(status);
        }
    }
}
