//! How long a sandbox takes to start and end, beside the programs people use for it, in turns of one run.
//!
//! `cargo bench -p kitbag-sandbox` prints medians and, as what lasts, ratios. Nothing is asserted.

#![expect(clippy::print_stdout, reason = "the table is the product")]
#![expect(clippy::expect_used, reason = "a measurement that cannot be made is none")]

#[cfg(sandbox)]
fn main() {
    linux::main();
}

#[cfg(not(sandbox))]
fn main() {}

#[cfg(sandbox)]
mod linux {
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use kitbag_sandbox::egress::Hosts;
    use kitbag_sandbox::{Auditing, Ending, Limits, Network, Plan, Programs, System, run};

    const ROUNDS: usize = 101;
    const PROGRAM: &str = "/usr/bin/true";

    /// A plan without limits that control groups keep: bubblewrap has none.
    fn plan(system: System) -> Plan {
        let plan = Plan::new(PROGRAM, system.items, system.programs);
        let limits = Limits { memory_in_all: None, cpu_in_all: None, processes: None, ..plan.limits };
        Plan { limits, ..plan }
    }

    fn sandboxed(plan: &Plan) {
        let outcome = run(plan).expect("a sandbox").outcome;
        assert_eq!(outcome.ending, Ending::Exited(0));
    }

    fn started(command: &[&str]) {
        let (program, arguments) = command.split_first().expect("a program");
        let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().expect(program);
        assert!(output.status.success(), "{command:?}: {output:?}");
    }

    type Row = (&'static str, Box<dyn Fn()>);

    pub(super) fn main() {
        let whole = plan(System::whole());
        let listed = plan(System::with_programs(&[PROGRAM.into()]).expect("the program"));
        assert!(matches!(listed.programs, Programs::Listed(_)));
        // What a plan of the whole system lists, in bubblewrap's words.
        let mut bubblewrap =
            vec!["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"];
        bubblewrap.extend([
            "--cap-drop",
            "ALL",
            "--ro-bind",
            "/usr",
            "/usr",
            "--proc",
            "/proc",
            "--dev",
            "/dev",
        ]);
        for folder in ["/bin", "/sbin", "/lib", "/lib64"] {
            if Path::new(folder).is_symlink() {
                bubblewrap.extend(["--symlink", Box::leak(format!("usr{folder}").into_boxed_str()), folder]);
            }
        }
        for settings in ["/etc/ld.so.cache", "/etc/alternatives", "/etc/ssl", "/etc/localtime"] {
            bubblewrap.extend(["--ro-bind-try", settings, settings]);
        }
        bubblewrap.push(PROGRAM);
        let traced = [
            &["strace", "-f", "-e", "trace=execve,clone,clone3,fork,vfork", "-o", "/dev/null"],
            &*bubblewrap,
        ]
        .concat();
        let hosts = Hosts::parse(["good.test"]).expect("a host");
        let networked = Plan { network: Network::Listed(hosts), ..listed.clone() };
        let grouped = Plan { limits: Limits::default(), ..networked.clone() };
        let audited = Plan { audit: Auditing::Programs, ..listed.clone() };
        let mut rows: Vec<Row> = vec![
            ("plain", Box::new(|| started(&[PROGRAM]))),
            ("kitbag, any program", Box::new(move || sandboxed(&whole))),
            ("kitbag, listed programs", Box::new(move || sandboxed(&listed))),
            ("and listed hosts", Box::new(move || sandboxed(&networked))),
            ("and control groups", Box::new(move || sandboxed(&grouped))),
            ("listed and audited", Box::new(move || sandboxed(&audited))),
        ];
        for (name, program, command) in
            [("bwrap", "bwrap", bubblewrap), ("strace and bwrap", "strace", traced)]
        {
            let there = std::env::var_os("PATH").is_some_and(|path| {
                std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
            });
            if there {
                rows.push((name, Box::new(move || started(&command))));
            } else {
                println!("{program} is not installed");
            }
        }
        table(&rows);
    }

    fn table(rows: &[Row]) {
        let mut times: Vec<Vec<Duration>> = vec![Vec::with_capacity(ROUNDS); rows.len()];
        for _ in 0..ROUNDS {
            for ((_, action), times) in rows.iter().zip(&mut times) {
                let begun = Instant::now();
                action();
                times.push(begun.elapsed());
            }
        }
        let medians: Vec<f64> = times
            .iter_mut()
            .map(|times| {
                times.sort_unstable();
                times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64() * 1e3
            })
            .collect();
        for ((name, _), median) in rows.iter().zip(&medians) {
            let ratios: Vec<String> = medians.iter().map(|other| format!("{:6.2}", median / other)).collect();
            println!("{name:<26}{median:8.2} ms   ratio to each row: {}", ratios.join(" "));
        }
    }
}
