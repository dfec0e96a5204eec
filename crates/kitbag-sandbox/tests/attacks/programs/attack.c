/* One attack per call: `attack NAME [ARGUMENT...]`. Says `open` when it went through, `errno N` when the kernel refused,
   or what it found. The same program runs outside, where each attack must work, and inside, where none may. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

extern char **environ;

static int say(long result) {
  if (result < 0) printf("errno %d\n", errno);
  else printf("open\n");
  return 0;
}

static int forced(const char *what) { fprintf(stderr, "no attack: %s\n", what); return 99; }

/* Files */

static int read_file(char **a) {
  char text[256];
  int fd = open(a[0], O_RDONLY);
  if (fd < 0) return say(-1);
  long count = read(fd, text, sizeof text - 1);
  if (count < 0) return say(-1);
  text[count] = 0;
  printf("open\n%s", text);
  return 0;
}
static int list(char **a) {
  DIR *dir = opendir(a[0]);
  if (!dir) return say(-1);
  struct dirent *entry;
  int count = 0;
  while ((entry = readdir(dir))) count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
  printf(count ? "open\n" : "empty\n");
  return 0;
}
static int exists(char **a) { struct stat found; return say(stat(a[0], &found)); }
static int create(char **a) {
  int fd = open(a[0], O_CREAT | O_WRONLY, 0600);
  if (fd >= 0) unlink(a[0]);
  return say(fd);
}
static int keep(char **a) { return say(open(a[0], O_CREAT | O_WRONLY, 0600)); }
static int through_link(char **a) {
  unlink(a[1]);
  if (symlink(a[0], a[1]) < 0) return forced("symlink");
  char *path[] = {a[1], 0};
  return read_file(path);
}
static int hard_link(char **a) {
  int done = link(a[0], a[1]);
  int error = errno;
  unlink(a[1]);
  errno = error;
  return say(done);
}
static int device(char **a) {
  int done = mknod(a[0], S_IFCHR | 0600, makedev(1, 3));
  int error = errno;
  unlink(a[0]);
  errno = error;
  return say(done);
}
static int descriptors(char **a) {
  (void)a;
  for (int fd = 0; fd < 1024; fd++)
    if (fcntl(fd, F_GETFD) >= 0) printf("%d ", fd);
  printf("\n");
  return 0;
}
static int handle(char **a) {
  struct { struct file_handle head; char room[128]; } h;
  int mount_id;
  h.head.handle_bytes = sizeof h.room;
  if (syscall(SYS_name_to_handle_at, AT_FDCWD, a[0], &h, &mount_id, 0) < 0) return say(-1);
  int top = open("/", O_RDONLY);
  return say(syscall(SYS_open_by_handle_at, top, &h, O_RDONLY));
}

/* Mounts: in a mount namespace of our own when we may have one, to leave the host alone. */

static int mount_call(char **a) {
  unshare(CLONE_NEWNS);
  mount(0, "/", 0, MS_REC | MS_PRIVATE, 0);
  const char *what = a[0];
  if (!strcmp(what, "mount")) return say(mount("none", a[1], "tmpfs", 0, 0));
  if (!strcmp(what, "remount")) return say(mount(0, "/usr", 0, MS_REMOUNT | MS_BIND, 0));
  if (!strcmp(what, "umount")) {
    mount("none", a[1], "tmpfs", 0, 0);
    return say(umount2(a[1], MNT_DETACH));
  }
  if (!strcmp(what, "chroot")) return say(chroot(a[1]));
  if (!strcmp(what, "pivot")) {
    if (mount("none", a[1], "tmpfs", 0, 0) == 0 && chdir(a[1]) < 0) return forced("chdir");
    return say(syscall(SYS_pivot_root, ".", "."));
  }
  if (!strcmp(what, "open_tree")) return say(syscall(SYS_open_tree, AT_FDCWD, "/", 1));
  if (!strcmp(what, "fsopen")) return say(syscall(SYS_fsopen, "tmpfs", 0));
  if (!strcmp(what, "move_mount")) {
    int tree = syscall(SYS_open_tree, AT_FDCWD, "/usr", 1);
    return say(syscall(SYS_move_mount, tree, "", AT_FDCWD, a[1], 4));
  }
  return forced(what);
}

/* Network */

static int make_socket(char **a) { return say(socket(atoi(a[0]), atoi(a[1]), 0)); }
static int pair(char **a) { int two[2]; (void)a; return say(socketpair(AF_UNIX, SOCK_STREAM, 0, two)); }
static int local(char **a) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return say(-1);
  strncpy(address.sun_path, a[0], sizeof address.sun_path - 1);
  socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(a[0]);
  if (a[0][0] == '@') address.sun_path[0] = 0;
  return say(connect(fd, (struct sockaddr *)&address, length));
}
/* One of a pair of datagram sockets, turned to somebody else. */
static int turned(char **a) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int two[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, two) < 0) return say(-1);
  strncpy(address.sun_path, a[0], sizeof address.sun_path - 1);
  return say(connect(two[0], (struct sockaddr *)&address, sizeof address));
}
static int ring(char **a) { char room[256] = {0}; (void)a; return say(syscall(SYS_io_uring_setup, 4, room)); }

/* Changing a file of the user's without writing to it, or learning of it. */
static int change(char **a) {
  const char *path = a[1];
  struct timespec times[2] = {{1, 0}, {1, 0}};
  char room[8];
  if (!strcmp(a[0], "mode")) return say(chmod(path, 0644));
  if (!strcmp(a[0], "mode2")) return say(syscall(452, AT_FDCWD, path, 0644, 0));
  if (!strcmp(a[0], "owner")) return say(chown(path, geteuid(), -1));
  if (!strcmp(a[0], "times")) return say(utimensat(AT_FDCWD, path, times, 0));
  if (!strcmp(a[0], "attribute")) return say(setxattr(path, "user.kitbag", "x", 1, 0));
  if (!strcmp(a[0], "look")) { long done = getxattr(path, "user.kitbag", room, sizeof room); return say(done < 0 && errno == ENODATA ? 0 : done); }
  if (!strcmp(a[0], "watch")) return say(inotify_add_watch(inotify_init(), path, IN_ALL_EVENTS));
  if (!strcmp(a[0], "cut")) return say(truncate(path, 10));
  if (!strcmp(a[0], "cut-open")) return say(open(path, O_RDONLY | O_TRUNC));
  if (!strcmp(a[0], "neither")) return say(open(path, O_ACCMODE));
  int file = open(path, a[0][0] == 'p' ? O_PATH : O_RDONLY);
  if (file < 0) return say(-1);
  if (!strcmp(a[0], "open-mode")) return say(fchmod(file, 0644));
  if (!strcmp(a[0], "open-times")) return say(futimens(file, times));
  if (!strcmp(a[0], "open-attribute")) return say(fsetxattr(file, "user.kitbag", "x", 1, 0));
  if (!strcmp(a[0], "path-mode")) return say(syscall(452, file, "", 0644, AT_EMPTY_PATH));
  return forced(a[0]);
}
/* Reaching another process of the user's. */
static int reach(char **a) {
  pid_t process = strcmp(a[1], "parent") ? atoi(a[1]) : getppid();
  struct rlimit limit = {1, 1};
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(0, &set);
  int two[2];
  if (!strcmp(a[0], "signal")) return say(kill(process, SIGCONT));
  if (!strcmp(a[0], "thread")) return say(syscall(SYS_tgkill, process, process, SIGCONT));
  if (!strcmp(a[0], "queue")) { siginfo_t told = {.si_code = SI_QUEUE}; return say(syscall(SYS_rt_sigqueueinfo, process, SIGCONT, &told)); }
  if (!strcmp(a[0], "descriptor")) return say(syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, process, 0), SIGCONT, 0, 0));
  if (!strcmp(a[0], "limit")) return say(prlimit(process, RLIMIT_CORE, &limit, 0));
  if (!strcmp(a[0], "priority")) return say(setpriority(PRIO_PROCESS, process, 10));
  if (!strcmp(a[0], "processor")) return say(sched_setaffinity(process, sizeof set, &set));
  if (!strcmp(a[0], "disk")) return say(syscall(SYS_ioprio_set, 1, process, 2 << 13 | 7));
  /* Whoever is told of input by a signal is told by this one. */
  if (!strcmp(a[0], "told")) {
    if (pipe(two) < 0 || fcntl(two[0], F_SETOWN, process) < 0) return say(-1);
    fcntl(two[0], F_SETSIG, SIGKILL);
    fcntl(two[0], F_SETFL, O_ASYNC);
    return say(write(two[1], "x", 1) == 1 ? 0 : -1);
  }
  return forced(a[0]);
}
static int message(char **a) { (void)a; int id = msgget(IPC_PRIVATE, IPC_CREAT | 0600); if (id >= 0) msgctl(id, IPC_RMID, 0); return say(id); }

/* Programs: the marker says RAN when it runs. */

static char *program;
static char *work;
static char *arguments[] = {"marker", 0};

static char *in_work(const char *name) {
  char *path;
  return asprintf(&path, "%s/%s", work, name) < 0 ? 0 : path;
}
/* What prepares an attack must work, or the attack would fail for another reason than the one that is tried. */
static void copy(const char *to) {
  char room[65536];
  long count;
  unlink(to);
  int from = open(program, O_RDONLY), out = open(to, O_CREAT | O_EXCL | O_WRONLY, 0755);
  if (from < 0 || out < 0) exit(forced("copy"));
  while ((count = read(from, room, sizeof room)) > 0)
    if (write(out, room, count) != count) exit(forced("copy"));
  close(from);
  close(out);
}
static int by_name(void) { return execve(program, arguments, environ); }
static int by_copy(void) { char *to = in_work("copy"); copy(to); return execve(to, arguments, environ); }
static int by_link(void) { char *to = in_work("link"); unlink(to); if (symlink(program, to) < 0) exit(forced("link")); return execve(to, arguments, environ); }
static int by_script(void) {
  char *to = in_work("script");
  unlink(to);
  FILE *file = fopen(to, "w");
  if (!file) exit(forced("script"));
  fprintf(file, "#!%s\n", program);
  fclose(file);
  chmod(to, 0755);
  return execve(to, arguments, environ);
}
static const char *loader(void) {
  return access("/lib64/ld-linux-x86-64.so.2", F_OK) == 0 ? "/lib64/ld-linux-x86-64.so.2" : "/lib/ld-linux-aarch64.so.1";
}
static int by_loader(void) { char *words[] = {"ld", program, 0}; return execve(loader(), words, environ); }
static int by_loader_copy(void) {
  char *to = in_work("copy2");
  copy(to);
  char *words[] = {"ld", to, 0};
  return execve(loader(), words, environ);
}
static int by_memory(void) {
  int memory = memfd_create("m", MFD_CLOEXEC), from = open(program, O_RDONLY);
  if (memory < 0 || from < 0) return -1;
  char room[65536];
  long count;
  while ((count = read(from, room, sizeof room)) > 0)
    if (write(memory, room, count) != count) return -1;
  return fexecve(memory, arguments, environ);
}
static int by_execveat(void) { return syscall(SYS_execveat, AT_FDCWD, program, arguments, environ, 0); }
static int by_empty_path(void) {
  int fd = open(program, O_PATH);
  return fd < 0 ? -1 : syscall(SYS_execveat, fd, "", arguments, environ, AT_EMPTY_PATH);
}
static int by_descriptor(void) {
  int fd = open(program, O_RDONLY);
  char path[64];
  if (fd < 0) return -1;
  sprintf(path, "/proc/self/fd/%d", fd);
  return execve(path, arguments, environ);
}
static int child_of(long process) {
  if (process < 0) return -1;
  if (process == 0) { by_name(); _exit(errno); }
  int status;
  waitpid(process, &status, __WALL);
  errno = WEXITSTATUS(status);
  return errno ? -1 : 0;
}
static int by_untraced(void) { return child_of(syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0)); }
static int by_clone3(void) {
  struct { uint64_t flags, pidfd, child, parent, signal, stack, size, tls, set, set_size, cgroup; } how = {0};
  how.flags = CLONE_UNTRACED;
  how.signal = SIGCHLD;
  return child_of(syscall(SYS_clone3, &how, sizeof how));
}
static volatile char flipped[256];
static char *allowed;
static void *flip(void *nothing) {
  for (;;) { strcpy((char *)flipped, allowed); strcpy((char *)flipped, program); }
  return nothing;
}
static int by_race(void) {
  for (int round = 0; round < 1000; round++) {
    pid_t process = fork();
    if (process == 0) {
      pthread_t thread;
      char *words[] = {"attack", "nothing", 0};
      strcpy((char *)flipped, allowed);
      pthread_create(&thread, 0, flip, 0);
      execve((char *)flipped, words, environ);
      _exit(0);
    }
    if (process < 0) return -1;
    waitpid(process, 0, 0);
  }
  errno = EACCES;
  return -1;
}
static int start(char **a) {
  struct { const char *name; int (*way)(void); } ways[] = {
    {"name", by_name}, {"copy", by_copy}, {"link", by_link}, {"script", by_script}, {"loader", by_loader},
    {"loader-copy", by_loader_copy}, {"memory", by_memory}, {"execveat", by_execveat}, {"empty-path", by_empty_path},
    {"descriptor", by_descriptor}, {"untraced", by_untraced}, {"clone3", by_clone3}, {"race", by_race}};
  program = a[1];
  work = a[2];
  allowed = a[3];
  for (unsigned at = 0; at < sizeof ways / sizeof *ways; at++)
    if (!strcmp(ways[at].name, a[0])) { int done = ways[at].way(); return done < 0 ? say(-1) : 0; }
  return forced(a[0]);
}
static int nothing(char **a) { (void)a; return 0; }

/* Processes: the target is a child of our own, which anybody may look into. */

static int target_pipe[2];
static char target_memory[8] = "secret";
static pid_t target(void) {
  if (pipe(target_pipe) < 0) exit(forced("pipe"));
  pid_t process = fork();
  if (process == 0) { pause(); _exit(0); }
  return process;
}
static int look(char **a) {
  pid_t process = target();
  long done = -1;
  char room[8];
  struct iovec here = {room, 8}, there = {target_memory, 8};
  if (!strcmp(a[0], "attach")) done = ptrace(PTRACE_ATTACH, process, 0, 0);
  if (!strcmp(a[0], "seize")) done = ptrace(PTRACE_SEIZE, process, 0, 0);
  if (!strcmp(a[0], "read")) done = process_vm_readv(process, &here, 1, &there, 1, 0);
  if (!strcmp(a[0], "write")) done = process_vm_writev(process, &here, 1, &there, 1, 0);
  if (!strcmp(a[0], "take")) done = syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, process, 0), target_pipe[0], 0);
  if (!strcmp(a[0], "compare")) done = syscall(SYS_kcmp, getpid(), process, 1, 0, 0);
  int error = errno;
  kill(process, SIGKILL);
  errno = error;
  return say(done);
}
static int forked(long process) { if (process == 0) _exit(0); return say(process); }
static int namespaces(char **a) {
  if (!strcmp(a[0], "unshare")) return say(unshare(CLONE_NEWUSER));
  if (!strcmp(a[0], "clone")) return forked(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
  if (!strcmp(a[0], "setns")) return say(setns(open("/proc/self/ns/uts", O_RDONLY), 0));
  if (!strcmp(a[0], "clone3")) {
    struct { uint64_t flags, pidfd, child, parent, signal, stack, size, tls; } how = {0};
    how.signal = SIGCHLD;
    return forked(syscall(SYS_clone3, &how, sizeof how));
  }
  return forced(a[0]);
}
static int kernel(char **a) {
  char room[256] = {0};
  if (!strcmp(a[0], "keyctl")) return say(syscall(SYS_keyctl, 0, -3, 1));
  if (!strcmp(a[0], "add_key")) return say(syscall(SYS_add_key, "user", "kitbag-test", "x", 1, -2));
  if (!strcmp(a[0], "bpf")) { *(uint32_t *)room = 2; ((uint32_t *)room)[1] = 4; ((uint32_t *)room)[2] = 4; ((uint32_t *)room)[3] = 1; return say(syscall(SYS_bpf, 0, room, 72)); }
  if (!strcmp(a[0], "perf")) { uint32_t *attr = (uint32_t *)room; attr[0] = 1; attr[1] = 112; return say(syscall(SYS_perf_event_open, room, 0, -1, -1, 0)); }
  if (!strcmp(a[0], "userfaultfd")) return say(syscall(SYS_userfaultfd, 0));
  if (!strcmp(a[0], "personality")) return say(syscall(SYS_personality, 0x0040000));
  if (!strcmp(a[0], "fanotify")) return say(syscall(SYS_fanotify_init, 0, 0));
  if (!strcmp(a[0], "hostname")) { unshare(CLONE_NEWUTS); return say(sethostname("x", 1)); }
  if (!strcmp(a[0], "syslog")) return say(syscall(SYS_syslog, 10, 0, 0));
  return forced(a[0]);
}
static int terminal(char **a) {
  if (!strcmp(a[0], "type")) return say(ioctl(0, TIOCSTI, "x"));
  if (!strcmp(a[0], "open")) return say(open("/dev/tty", O_RDWR));
  if (!strcmp(a[0], "new")) return say(open("/dev/ptmx", O_RDWR));
  if (!strcmp(a[0], "input")) { char byte; printf("%ld\n", (long)read(0, &byte, 1)); return 0; }
  if (!strcmp(a[0], "session")) { printf(getsid(0) == getpid() ? "leader\n" : "member\n"); return 0; }
  return forced(a[0]);
}
static int numbers(char **a) {
#if defined(__x86_64__)
  if (!strcmp(a[0], "x32")) { long done = syscall(0x40000000L | SYS_getpid); return say(done); }
  if (!strcmp(a[0], "int80")) {
    int done;
    __asm__ volatile("int $0x80" : "=a"(done) : "a"(20) : "memory");
    return say(done);
  }
#endif
  if (!strcmp(a[0], "newer")) return say(syscall(9999));
  return forced(a[0]);
}

/* Limits */

static int forks(char **a) {
  int wanted = atoi(a[0]), made = 0;
  pid_t *children = calloc(wanted, sizeof *children);
  for (; made < wanted; made++) {
    children[made] = fork();
    if (children[made] == 0) { pause(); _exit(0); }
    if (children[made] < 0) break;
  }
  int error = errno;
  for (int at = 0; at < made; at++) { kill(children[at], SIGKILL); waitpid(children[at], 0, 0); }
  if (made == wanted) printf("open\n");
  else printf("errno %d\nmade %d\n", error, made);
  return 0;
}
static int memory(char **a) {
  size_t size = (size_t)atol(a[0]) << 20;
  void *room = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return say(room == MAP_FAILED ? -1 : 0);
}
/* A file in memory of MEBIBYTES that nobody maps. */
static int unmapped(char **a) {
  static char block[1 << 20];
  int file = memfd_create("m", MFD_CLOEXEC);
  if (file < 0) return say(-1);
  for (int left = atoi(a[0]); left; left--)
    if (write(file, block, sizeof block) != sizeof block) return say(-1);
  return say(0);
}
/* COUNT processes that each hold MEBIBYTES, for a moment (`leave`) or for long. */
static int hold(char **a) {
  int count = atoi(a[0]), ready[2];
  size_t size = (size_t)atol(a[1]) << 20;
  char byte = 0;
  pid_t children[64];
  if (count > 64 || pipe(ready) < 0) return forced("pipe");
  for (int at = 0; at < count; at++) {
    children[at] = fork();
    if (children[at] < 0) return say(-1);
    if (children[at]) continue;
    int kind = strcmp(a[2], "shared") ? MAP_PRIVATE : MAP_SHARED;
    void *room = mmap(0, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) _exit(1);
    memset(room, 1, size);
    if (write(ready[1], &byte, 1) == 1) pause();
    _exit(0);
  }
  for (int at = 0; at < count; at++)
    if (read(ready[0], &byte, 1) != 1) return say(-1);
  if (strcmp(a[3], "leave")) sleep(600);
  for (int at = 0; at < count; at++) { kill(children[at], SIGKILL); waitpid(children[at], 0, 0); }
  return say(0);
}
static int segment(char **a) { (void)a; int id = shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600); if (id >= 0) shmctl(id, IPC_RMID, 0); return say(id); }
static int file(char **a) {
  int fd = open(a[0], O_CREAT | O_WRONLY, 0600);
  if (fd < 0) return say(-1);
  if (a[2]) signal(SIGXFSZ, SIG_IGN);
  int done = ftruncate(fd, atol(a[1]) << 20);
  int error = errno;
  unlink(a[0]);
  errno = error;
  return say(done);
}
static int fill(char **a) {
  static char room[1 << 20];
  memset(room, 'x', sizeof room);
  int fd = open(a[0], O_CREAT | O_WRONLY, 0600);
  if (fd < 0) return say(-1);
  for (long at = 0; at < atol(a[1]); at++)
    if (write(fd, room, sizeof room) != sizeof room) return say(-1);
  unlink(a[0]);
  return say(0);
}
static int files(char **a) {
  for (int at = 0; at < atoi(a[0]); at++)
    if (dup(1) < 0) return say(-1);
  return say(0);
}
static int flood(char **a) {
  static char room[65536];
  memset(room, a[1][0] == 'l' ? '\n' : 'x', sizeof room);
  long left = atol(a[2]) << 20;
  while (left > 0) { long count = write(atoi(a[0]), room, sizeof room); if (count < 0) return 1; left -= count; }
  return 0;
}
static int spin(char **a) {
  signal(SIGXCPU, a[0] ? SIG_IGN : SIG_DFL);
  for (volatile long at = 0; at >= 0; at++) {}
  return 0;
}
static int daemons(char **a) {
  for (int at = 0; at < atoi(a[0]); at++)
    if (fork() == 0) {
      setsid();
      signal(SIGTERM, SIG_IGN);
      signal(SIGHUP, SIG_IGN);
      if (fork() == 0) {
        /* Nothing that the caller waits for is held open. */
        for (int fd = 0; fd < 3; fd++) close(fd);
        sleep(600);
      }
      _exit(0);
    }
  while (wait(0) > 0) {}
  if (a[2]) close(open(a[2], O_CREAT | O_WRONLY, 0666));
  if (!strcmp(a[1], "wait")) sleep(600);
  return 0;
}
static int limits(char **a) {
  struct { const char *name; int resource; } all[] = {
    {"core", RLIMIT_CORE}, {"queues", RLIMIT_MSGQUEUE}, {"locked", RLIMIT_MEMLOCK}, {"realtime", RLIMIT_RTPRIO},
    {"nice", RLIMIT_NICE}, {"signals", RLIMIT_SIGPENDING}, {"stack", RLIMIT_STACK}};
  struct rlimit limit, more = {100000, 100000};
  (void)a;
  for (unsigned at = 0; at < sizeof all / sizeof *all; at++) {
    getrlimit(all[at].resource, &limit);
    printf("%s %lu\n", all[at].name, (unsigned long)limit.rlim_max);
  }
  return say(setrlimit(RLIMIT_NOFILE, &more));
}
static int mode(char **a) {
  const char *path = a[1];
  unlink(path);
  if (!strcmp(a[0], "open")) { int done = open(path, O_CREAT | O_WRONLY, 04755); return say(done); }
  if (!strcmp(a[0], "group")) { int done = open(path, O_CREAT | O_WRONLY, 02755); return say(done); }
  if (!strcmp(a[0], "unnamed")) return say(open(".", O_TMPFILE | O_WRONLY, 04755));
  if (!strcmp(a[0], "node")) return say(mknod(path, S_IFREG | 04755, 0));
  int file = open(path, O_CREAT | O_WRONLY, 0755);
  if (file < 0) return forced("open");
  if (!strcmp(a[0], "plain")) return say(fchmod(file, 0700));
  if (!strcmp(a[0], "descriptor")) return say(fchmod(file, 04755));
  if (!strcmp(a[0], "path")) return say(chmod(path, 04755));
  if (!strcmp(a[0], "at")) return say(fchmodat(AT_FDCWD, path, 02755, 0));
  if (!strcmp(a[0], "at2")) return say(syscall(452, AT_FDCWD, path, 04755, 0));
  return forced("unknown");
}
static int variables(char **a) { (void)a; for (char **at = environ; *at; at++) puts(*at); return 0; }
static int who(char **a) { (void)a; printf("%d %d %d\n", getuid(), getgid(), getgroups(0, 0)); return 0; }

int main(int count, char **words) {
  struct { const char *name; int (*attack)(char **); } all[] = {
    {"read", read_file}, {"list", list}, {"exists", exists}, {"create", create}, {"keep", keep}, {"through-link", through_link},
    {"hard-link", hard_link}, {"device", device}, {"descriptors", descriptors}, {"handle", handle},
    {"mount", mount_call}, {"socket", make_socket}, {"pair", pair}, {"local", local}, {"turned", turned}, {"ring", ring},
    {"change", change}, {"reach", reach}, {"message", message}, {"start", start}, {"nothing", nothing}, {"look", look}, {"namespace", namespaces}, {"kernel", kernel},
    {"terminal", terminal}, {"number", numbers}, {"forks", forks}, {"memory", memory}, {"unmapped", unmapped}, {"hold", hold}, {"segment", segment}, {"file", file}, {"fill", fill},
    {"files", files}, {"flood", flood}, {"spin", spin}, {"daemons", daemons}, {"limits", limits},
    {"mode", mode}, {"variables", variables}, {"who", who}};
  setvbuf(stdout, 0, _IOLBF, 0);
  for (unsigned at = 0; count > 1 && at < sizeof all / sizeof *all; at++)
    if (!strcmp(all[at].name, words[1])) return all[at].attack(words + 2);
  return forced("unknown");
}
