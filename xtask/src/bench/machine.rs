//! What figures were measured on: the machine, the compiler, the day, and how busy the machine was.

use std::path::Path;
use std::process::Command;

/// The processor, its cores, the memory, the system and the compiler, in one line.
pub fn description(root: &Path) -> String {
    let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut parts = vec![format!("{}, {cores} cores", processor(&text("/proc/cpuinfo")))];
    parts.extend(memory(&text("/proc/meminfo")));
    parts.extend(printed(root, "uname", &["-sr"]));
    // Without the hash and the date in brackets, which say nothing to a reader.
    parts.extend(
        printed(root, "rustc", &["--version"]).and_then(|line| line.split(" (").next().map(str::to_owned)),
    );
    parts.join("; ")
}

/// The day, in UTC.
pub fn date(root: &Path) -> String {
    printed(root, "date", &["-u", "+%Y-%m-%d"]).unwrap_or_else(|| "on a day that is not known".to_owned())
}

/// How many processes wanted a core in the last minute.
pub fn load() -> Option<String> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next().map(str::to_owned)
}

fn processor(cpuinfo: &str) -> String {
    let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

fn memory(meminfo: &str) -> Option<String> {
    let kilobytes = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: f64 = kilobytes.split_whitespace().next()?.parse().ok()?;
    Some(format!("{:.0} GiB", kilobytes / 1024.0 / 1024.0))
}

fn printed(root: &Path, program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(root).output().ok()?;
    let line = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_named_as_it_names_itself() {
        assert_eq!(processor("processor\t: 0\nmodel name\t: AMD EPYC\nflags\t: fpu"), "AMD EPYC");
        assert_eq!(processor(""), std::env::consts::ARCH);
        assert_eq!(memory("MemTotal:       25165824 kB\n").as_deref(), Some("24 GiB"));
        assert_eq!(memory("nothing"), None);
    }
}
