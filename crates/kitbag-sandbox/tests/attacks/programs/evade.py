"""Starts perl in the ways that a tracer of calls does not see, or not by that name."""
import ctypes, os, platform, signal, sys

library = ctypes.CDLL(None, use_errno=True)
execve, execveat, clone = {"x86_64": (59, 322, 56), "aarch64": (221, 281, 220)}[platform.machine()]
path, script = sys.argv[2].encode(), b'print "perl ran\\n"'
arguments = (ctypes.c_char_p * 4)(b"perl", b"-e", script, None)
environment = (ctypes.c_char_p * 1)(None)


def start():
    if sys.argv[1] == "execveat":
        library.syscall(execveat, -100, path, arguments, environment, 0)
    else:
        library.syscall(execve, path, arguments, environment)
    os._exit(9)


CLONE_UNTRACED = 0x00800000
child = library.syscall(clone, CLONE_UNTRACED | signal.SIGCHLD, 0, 0, 0, 0) if sys.argv[1] == "untraced" else os.fork()
if child == 0:
    start()
elif child > 0:
    os.waitpid(child, 0x40000000)
print("done")
