/* One conversation per call, byte by byte as it is wanted: `speaker WAY HOST PORT [TEXT] [MORE]`. Says what came of it:
   `said TEXT`, `closed`, `errno N`, or `code N` when a name has no address. TEXT may hold \r, \n and \xHH. The host is an
   address, or a name that is looked up at 127.0.0.1 by hand. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static char text[1 << 17];

static size_t unescaped(const char *from, char *to) {
  char *begin = to;
  while (*from) {
    if (*from != '\\') { *to++ = *from++; continue; }
    if (from[1] == 'x') { char digits[3] = {from[2], from[3], 0}; *to++ = (char)strtol(digits, 0, 16); from += 4; continue; }
    *to++ = from[1] == 'r' ? '\r' : from[1] == 'n' ? '\n' : from[1];
    from += 2;
  }
  return to - begin;
}
static void show(const char *bytes, size_t count) {
  for (size_t at = 0; at < count; at++) {
    unsigned char byte = bytes[at];
    if (byte == '\n') printf("\\n");
    else if (byte == '\r') printf("\\r");
    else if (isprint(byte)) putchar(byte);
    else printf("\\x%02x", byte);
  }
}
static int failed(void) { printf("errno %d\n", errno); return 0; }
static void patient(int fd) {
  struct timeval time = {20, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
}

/* The address of a name: nought and ADDRESS, or the server's code, or -1. Dots in a label are written \x2e. */
static int look_up(const char *name, const char *server, struct in_addr *address) {
  unsigned char query[600] = {0x12, 0x34, 1, 0, 0, 1}, answer[600];
  size_t at = 12;
  char copy[1024];
  snprintf(copy, sizeof copy, "%s", name);
  for (char *label = strtok(copy, "."); label; label = strtok(0, ".")) {
    char bytes[512];
    size_t count = unescaped(label, bytes);
    query[at++] = count;
    memcpy(query + at, bytes, count);
    at += count;
  }
  query[at++] = 0;
  memcpy(query + at, "\0\1\0\1", 4);
  at += 4;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(53)};
  inet_pton(AF_INET, server, &to.sin_addr);
  int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0) return -1;
  patient(fd);
  if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0 || send(fd, query, at, 0) < 0) return -1;
  ssize_t count = recv(fd, answer, sizeof answer, 0);
  close(fd);
  if (count < 12) return -1;
  if (answer[3] & 15) return answer[3] & 15;
  if (answer[7] == 0) return 100;
  memcpy(address, answer + count - 4, 4);
  return 0;
}
static int place(const char *host, const char *port, struct sockaddr_storage *to, socklen_t *length) {
  struct sockaddr_in *four = (void *)to;
  struct sockaddr_in6 *six = (void *)to;
  memset(to, 0, sizeof *to);
  *length = sizeof *four;
  four->sin_family = AF_INET;
  four->sin_port = htons(atoi(port));
  if (inet_pton(AF_INET, host, &four->sin_addr) == 1) return 0;
  if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
    six->sin6_family = AF_INET6;
    *length = sizeof *six;
    return 0;
  }
  return look_up(host, "127.0.0.1", &four->sin_addr);
}
static int reached(char **a, int kind) {
  struct sockaddr_storage to;
  socklen_t length;
  int code = place(a[0], a[1], &to, &length);
  if (code < 0) return -1;
  if (code) { printf("code %d\n", code); exit(0); }
  int fd = socket(to.ss_family, kind, 0);
  if (fd < 0) return -1;
  patient(fd);
  return connect(fd, (struct sockaddr *)&to, length) < 0 ? -1 : fd;
}
/* Everything that is answered, to the end. */
static int answer(int fd) {
  size_t count = 0;
  for (;;) {
    ssize_t more = recv(fd, text + count, sizeof text - count, 0);
    if (more < 0 && count == 0) return failed();
    if (more <= 0) break;
    count += more;
  }
  if (count == 0) { printf("closed\n"); return 0; }
  printf("said ");
  show(text, count);
  printf("\n");
  return 0;
}
static int name(char **a) {
  struct in_addr address;
  int code = look_up(a[0], a[1], &address);
  if (code < 0) return failed();
  if (code) printf("code %d\n", code);
  else printf("address %s\n", inet_ntoa(address));
  return 0;
}
static int say(char **a) {
  int fd = reached(a, SOCK_STREAM);
  if (fd < 0) return failed();
  size_t count = unescaped(a[2], text);
  if (send(fd, text, count, MSG_NOSIGNAL) < 0) return failed();
  return answer(fd);
}
/* In two pieces: the second is said when the first was answered. */
static int twice(char **a) {
  int fd = reached(a, SOCK_STREAM);
  if (fd < 0) return failed();
  size_t count = unescaped(a[2], text);
  if (send(fd, text, count, MSG_NOSIGNAL) < 0) return failed();
  ssize_t first = recv(fd, text, sizeof text, 0);
  if (first <= 0) { printf("closed\n"); return 0; }
  printf("first ");
  show(text, first);
  printf("\n");
  count = unescaped(a[3], text);
  if (send(fd, text, count, MSG_NOSIGNAL) < 0) return failed();
  return answer(fd);
}
static int listen_first(char **a) {
  int fd = reached(a, SOCK_STREAM);
  if (fd < 0) return failed();
  ssize_t count = recv(fd, text, sizeof text, 0);
  if (count < 0) return failed();
  printf("heard ");
  show(text, count);
  printf("\n");
  count = unescaped(a[2], text);
  if (send(fd, text, count, MSG_NOSIGNAL) < 0) return failed();
  shutdown(fd, SHUT_WR);
  return answer(fd);
}
static int datagram(char **a) {
  int fd = reached(a, SOCK_DGRAM);
  if (fd < 0 || send(fd, "x", 1, 0) < 0 || recv(fd, text, sizeof text, 0) < 0) return failed();
  printf("said\n");
  return 0;
}
/* So many connections, one after the other, and nothing said on any. */
static int many(char **a) {
  for (int at = 0; at < atoi(a[2]); at++) {
    int fd = reached(a, SOCK_STREAM);
    if (fd < 0) return failed();
    close(fd);
  }
  sleep(60);
  return 0;
}
/* A head, and then so many MiB. */
static int flood(char **a) {
  int fd = reached(a, SOCK_STREAM);
  if (fd < 0) return failed();
  size_t count = unescaped(a[2], text);
  if (send(fd, text, count, MSG_NOSIGNAL) < 0) return failed();
  memset(text, 'x', sizeof text);
  for (long left = atol(a[3]) << 20; left > 0; ) {
    ssize_t sent = send(fd, text, sizeof text, MSG_NOSIGNAL);
    if (sent < 0) return failed();
    left -= sent;
  }
  return answer(fd);
}

int main(int count, char **words) {
  struct { const char *name; int (*way)(char **); } all[] = {
    {"name", name}, {"say", say}, {"twice", twice}, {"listen", listen_first}, {"datagram", datagram}, {"many", many},
    {"flood", flood}};
  for (unsigned at = 0; count > 2 && at < sizeof all / sizeof *all; at++)
    if (!strcmp(all[at].name, words[1])) return all[at].way(words + 2);
  fprintf(stderr, "no conversation\n");
  return 99;
}
