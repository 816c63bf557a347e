//! `cargo xtask bench python`: the Python module as people install it, beside its peers, each in an environment of its own.
//!
//! The tasks are in `benches/python`, the same for everybody who can do them; every task runs in its own process, so that its
//! peak of memory is its own. Processor time is compared, because a busy machine does not change it much.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::{peer, python};

const FOLDER: &str = "benches/python";
const PEERS: [&str; 4] =
    ["peer_opendp.py", "peer_dp_accounting.py", "peer_diffprivlib.py", "peer_smartnoise.py"];
const ROWS: &str = "10000000";

/// Builds the wheel, makes the rows, runs everybody and prints one table. `--rows N` makes another number of rows.
pub fn run(root: &Path, options: &[&str]) -> Result<(), String> {
    let rows = match options {
        [] => ROWS,
        ["--rows", rows] => rows,
        _ => return Err("`cargo xtask bench python` takes `--rows N` alone".to_owned()),
    };
    let packages = python::installed_wheel(root)?.0;
    let scripts = root.join(FOLDER);
    let data = root.join("target/bench-python");
    // Ledgers of an earlier run would have the answers already.
    let _ = std::fs::remove_dir_all(&data);
    std::fs::create_dir_all(&data).map_err(|error| format!("target cannot be written: {error}"))?;
    let file = data.join("rows.parquet");
    let maker = scripts.join("make_rows.py");
    let made = Command::new(peer::python_for(root, &maker)?).arg(&maker).arg(&file).arg(rows).status();
    if !made.is_ok_and(|status| status.success()) {
        return Err("the rows could not be made".to_owned());
    }
    let mut figures: Vec<Value> = Vec::new();
    for script in std::iter::once("ours.py").chain(PEERS) {
        let path = scripts.join(script);
        let python = match peer::python_for(root, &path) {
            Ok(python) => python,
            Err(reason) => {
                println!("!!! {script}: SKIPPED, {reason}");
                continue;
            }
        };
        let mut command = Command::new(python);
        command.arg(&path).env("POINTILLIST_PACKAGES", &packages).env("POINTILLIST_ROWS", &file);
        command.current_dir(&scripts).stdin(Stdio::null()).env("PYTHONDONTWRITEBYTECODE", "1");
        let output = command.output().map_err(|error| format!("{script} could not be started: {error}"))?;
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        figures.extend(lines.lines().filter_map(|line| serde_json::from_str(line).ok()));
    }
    print!("{}", table(&figures));
    Ok(())
}

/// Tasks in our order, everybody's figures under each other, and how many times ours is contained in theirs.
fn table(figures: &[Value]) -> String {
    let text = |figure: &Value, key: &str| figure[key].as_str().unwrap_or_default().to_owned();
    let mut lines = vec![
        "| task | by | CPU s | clock s | peak MiB | CPU, times ours |".to_owned(),
        "| --- | --- | --- | --- | --- | --- |".to_owned(),
    ];
    for ours in figures.iter().filter(|figure| figure["by"] == "Pointillist") {
        for figure in figures.iter().filter(|figure| figure["task"] == ours["task"]) {
            let (task, by) = (text(figure, "task"), text(figure, "by"));
            let Some(cpu) = figure["cpu"].as_f64() else {
                lines.push(format!("| {task} | {by} | failed: {} | | | |", text(figure, "failed")));
                continue;
            };
            let number = |key: &str| figure[key].as_f64().unwrap_or_default();
            let ratio = ours["cpu"].as_f64().filter(|_| by != "Pointillist").map(|ours| cpu / ours);
            let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.1}"));
            let (wall, mib) = (number("wall"), number("mib"));
            lines.push(format!("| {task} | {by} | {cpu:.4} | {wall:.4} | {mib:.0} | {ratio} |"));
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_stand_under_ours_with_their_ratio() {
        let figures = [
            json!({"task": "t", "by": "Pointillist", "cpu": 0.5, "wall": 0.5, "mib": 10.0}),
            json!({"task": "t", "by": "Peer", "cpu": 5.0, "wall": 4.0, "mib": 100.0}),
            json!({"task": "t", "by": "Other", "failed": "it fell"}),
        ];
        let table = table(&figures);
        assert!(table.contains("| t | Peer | 5.0000 | 4.0000 | 100 | 10.0 |"), "{table}");
        assert!(table.contains("| t | Other | failed: it fell |"), "{table}");
    }
}
