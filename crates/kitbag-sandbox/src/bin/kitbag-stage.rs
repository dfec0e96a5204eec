//! The inner part of a sandbox, for programs that do not lend themselves: to be named in `Settings::stage`.

fn main() {
    kitbag_sandbox::inner_stage();
}
