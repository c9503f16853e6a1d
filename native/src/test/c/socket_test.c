/* SPDX-License-Identifier: Apache-2.0 */
/* Runs socket.c under AddressSanitizer and UBSan, with hostile messages too. */
#define _GNU_SOURCE
#include "socket.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "segment.h"

enum { MODE = 0660, BACKLOG = 2, SECOND = 1000000000, PATIENCE = SECOND / 20 };

static char path[100];

static int open_descriptors(void) {
  int count = 0;
  DIR *all = opendir("/proc/self/fd");
  while (readdir(all) != NULL) {
    count++;
  }
  closedir(all);
  return count;
}

static int64_t now_nanos(void) {
  struct timespec now;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
  return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

/* Both ends of a connection. */
static void connect_pair(int *listener, int *client, int *server) {
  *listener = rdio_socket_listen(path, MODE, BACKLOG);
  CHECK(*listener >= 0);
  *client = rdio_socket_connect(path, 0);
  CHECK(*client >= 0);
  *server = rdio_socket_accept(*listener, 1000);
  CHECK(*server >= 0);
  CHECK(rdio_socket_set_timeout(*client, SECOND) == 0);
  CHECK(rdio_socket_set_timeout(*server, SECOND) == 0);
}

static void close_all(int listener, int client, int server) {
  CHECK(rdio_socket_close(client) == 0);
  CHECK(rdio_socket_close(server) == 0);
  CHECK(rdio_socket_close(listener) == 0);
  CHECK(unlink(path) == 0);
}

static void carries_whole_messages_and_tells_who_sent_them(void) {
  int listener, client, server, passed;
  connect_pair(&listener, &client, &server);
  struct stat file;
  CHECK(stat(path, &file) == 0 && (file.st_mode & 07777) == MODE);
  struct rdio_peer peer = {0};
  CHECK(rdio_socket_peer(server, &peer) == 0);
  CHECK(peer.uid == (int64_t)geteuid() && peer.gid == (int64_t)getegid());
  CHECK(peer.pid == (int64_t)getpid());

  char got[64];
  CHECK(rdio_socket_receive(server, got, sizeof got, 0, &passed) == -EAGAIN);
  CHECK(rdio_socket_send(client, "one", 3, RDIO_NO_FD) == 3);
  CHECK(rdio_socket_send(client, "second", 6, RDIO_NO_FD) == 6);
  CHECK(rdio_socket_receive(server, got, sizeof got, 1, &passed) == 3);
  CHECK(passed == RDIO_NO_FD && memcmp(got, "one", 3) == 0);
  CHECK(rdio_socket_receive(server, got, sizeof got, 0, &passed) == 6);
  CHECK(rdio_socket_send(server, "back", 4, RDIO_NO_FD) == 4);
  CHECK(rdio_socket_receive(client, got, sizeof got, 1, &passed) == 4);
  close_all(listener, client, server);
}

static void passes_a_segment(void) {
  int before = open_descriptors();
  int listener, client, server, passed;
  connect_pair(&listener, &client, &server);
  int segment = rdio_segment_create(4096);
  char got[8];
  CHECK(rdio_socket_send(client, "mine", 4, segment) == 4);
  CHECK(rdio_socket_receive(server, got, sizeof got, 1, &passed) == 4);
  CHECK(passed >= 0 && passed != segment && rdio_segment_length(passed) == 4096);
  CHECK(close(passed) == 0 && close(segment) == 0);
  close_all(listener, client, server);
  CHECK(open_descriptors() == before);
}

/* More than one descriptor, as nobody but an attacker sends them. */
static void send_two(int client, int fd) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
  } control;
  struct iovec part = {.iov_base = "two", .iov_len = 3};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  memset(&control, 0, sizeof control);
  int fds[] = {fd, fd};
  struct cmsghdr *along = CMSG_FIRSTHDR(&message);
  along->cmsg_level = SOL_SOCKET;
  along->cmsg_type = SCM_RIGHTS;
  along->cmsg_len = CMSG_LEN(sizeof fds);
  memcpy(CMSG_DATA(along), fds, sizeof fds);
  CHECK(sendmsg(client, &message, 0) == 3);
}

static void what_is_too_much_leaves_no_descriptor_behind(void) {
  int before = open_descriptors();
  int listener, client, server, passed;
  connect_pair(&listener, &client, &server);
  char got[4];
  send_two(client, listener);
  CHECK(rdio_socket_receive(server, got, sizeof got, 1, &passed) == -EPROTO);
  CHECK(passed == RDIO_NO_FD);
  CHECK(rdio_socket_send(client, "longer", 6, listener) == 6);
  CHECK(rdio_socket_receive(server, got, sizeof got, 1, &passed) == -EMSGSIZE);
  CHECK(passed == RDIO_NO_FD);
  CHECK(rdio_socket_send(client, "next", 4, RDIO_NO_FD) == 4);
  CHECK(rdio_socket_receive(server, got, sizeof got, 1, &passed) == 4);
  close_all(listener, client, server);
  CHECK(open_descriptors() == before);
}

static void an_end_is_told_at_both_ends(void) {
  int listener, client, server, passed;
  char got[4];
  connect_pair(&listener, &client, &server);
  CHECK(rdio_socket_shutdown(client) == 0);
  CHECK(rdio_socket_receive(server, got, sizeof got, 1, &passed) == 0);
  CHECK(rdio_socket_send(server, "x", 1, RDIO_NO_FD) == -EPIPE);
  close_all(listener, client, server);
}

/* Who refuses a connection answers and closes it, whatever the other end says meanwhile. */
static void last_words_are_heard_though_the_question_was_left_unread(void) {
  int listener, client, server, passed;
  char got[8];
  connect_pair(&listener, &client, &server);
  CHECK(rdio_socket_send(client, "hello", 5, RDIO_NO_FD) == 5);
  CHECK(rdio_socket_send(server, "busy", 4, RDIO_NO_FD) == 4);
  CHECK(rdio_socket_close(server) == 0);
  CHECK(rdio_socket_receive(client, got, sizeof got, 1, &passed) == 4);
  CHECK(memcmp(got, "busy", 4) == 0);
  CHECK(rdio_socket_receive(client, got, sizeof got, 1, &passed) == 0);
  CHECK(rdio_socket_send(client, "x", 1, RDIO_NO_FD) == -EPIPE);
  CHECK(close(client) == 0 && close(listener) == 0 && unlink(path) == 0);
}

/* A socket that stands for systemd's. */
static int bind_datagrams(const char *name, size_t length) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  memcpy(address.sun_path, name, length);
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  CHECK(bind(fd, (struct sockaddr *)&address,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) == 0);
  return fd;
}

static void sends_datagrams_to_paths_and_to_abstract_names(void) {
  int before = open_descriptors();
  char got[32];
  int by_path = bind_datagrams(path, strlen(path) + 1);
  CHECK(rdio_socket_send_to(path, "READY=1", 7) == 7);
  CHECK(recv(by_path, got, sizeof got, 0) == 7 && memcmp(got, "READY=1", 7) == 0);
  int sent = 0;
  while (sent < 10000 && rdio_socket_send_to(path, "WATCHDOG=1", 10) == 10) {
    sent++; /* nobody reads */
  }
  CHECK(sent > 0 && sent < 10000 && rdio_socket_send_to(path, "x", 1) == -EAGAIN);
  CHECK(close(by_path) == 0 && rdio_socket_send_to(path, "x", 1) == -ECONNREFUSED);
  CHECK(unlink(path) == 0 && rdio_socket_send_to(path, "x", 1) == -ENOENT);

  char name[64];
  size_t length = (size_t)snprintf(name, sizeof name, "@rdio-socket-test-%d", (int)getpid());
  char bound[64];
  memcpy(bound, name, sizeof name);
  bound[0] = 0;
  int abstract = bind_datagrams(bound, length);
  CHECK(rdio_socket_send_to(name, "STOPPING=1", 10) == 10);
  CHECK(recv(abstract, got, sizeof got, 0) == 10 && memcmp(got, "STOPPING=1", 10) == 0);
  CHECK(close(abstract) == 0 && rdio_socket_send_to(name, "x", 1) == -ECONNREFUSED);
  CHECK(open_descriptors() == before);
}

static void waits_no_longer_than_told(void) {
  int listener, client, server, passed;
  char got[4];
  connect_pair(&listener, &client, &server);
  CHECK(rdio_socket_accept(listener, 1) == -EAGAIN);
  CHECK(rdio_socket_set_timeout(client, 1) == 0);
  CHECK(rdio_socket_receive(client, got, sizeof got, 1, &passed) == -EAGAIN);
  char bytes[4096] = {0};
  int sent = 0;
  while (sent < 10000 && rdio_socket_send(client, bytes, sizeof bytes, RDIO_NO_FD) > 0) {
    sent++; /* nobody reads: the kernel keeps so many and no more */
  }
  CHECK(sent > 0 && sent < 10000);
  CHECK(rdio_socket_set_timeout(client, -1) == -EINVAL);
  CHECK(rdio_socket_shutdown(listener) == 0);
  CHECK(rdio_socket_accept(listener, 10 * 1000) == -EINVAL);
  close_all(listener, client, server);
}

static void nobody_waits_long_for_a_listener_that_does_not_accept(void) {
  int listener = rdio_socket_listen(path, MODE, 0);
  int first = rdio_socket_connect(path, 0);
  CHECK(first >= 0);
  int refused = 0;
  int others[8];
  for (int i = 0; i < 8; i++) {
    others[i] = rdio_socket_connect(path, 0);
    refused += others[i] == -EAGAIN;
  }
  CHECK(refused >= 6);
  int64_t before = now_nanos();
  CHECK(rdio_socket_connect(path, PATIENCE) == -EAGAIN);
  CHECK(now_nanos() - before >= PATIENCE);
  CHECK(rdio_socket_connect(path, -1) == -EINVAL);
  for (int i = 0; i < 8; i++) {
    CHECK(others[i] < 0 || close(others[i]) == 0);
  }
  CHECK(close(first) == 0 && close(listener) == 0);
  CHECK(rdio_socket_connect(path, 0) == -ECONNREFUSED);
  CHECK(rdio_socket_listen(path, MODE, BACKLOG) == -EADDRINUSE);
  CHECK(unlink(path) == 0);
  CHECK(rdio_socket_connect(path, 0) == -ENOENT);
}

static void refuses_paths_that_no_socket_can_have(void) {
  char longest[200];
  memset(longest, 'x', sizeof longest);
  longest[sizeof longest - 1] = 0;
  CHECK(rdio_socket_connect(longest, 0) == -ENAMETOOLONG);
  CHECK(rdio_socket_listen(longest, MODE, BACKLOG) == -ENAMETOOLONG);
  CHECK(rdio_socket_connect("", 0) == -EINVAL);
  CHECK(rdio_socket_send_to(longest, "x", 1) == -ENAMETOOLONG);
  CHECK(rdio_socket_send_to("", "x", 1) == -EINVAL);
  CHECK(rdio_socket_accept(-1, 0) < 0);
}

int main(void) {
  /* Not in the build's folder, whose path may be longer than a socket's can be. */
  snprintf(path, sizeof path, "/tmp/rdio-socket-test-%d", (int)getpid());
  carries_whole_messages_and_tells_who_sent_them();
  passes_a_segment();
  what_is_too_much_leaves_no_descriptor_behind();
  an_end_is_told_at_both_ends();
  last_words_are_heard_though_the_question_was_left_unread();
  sends_datagrams_to_paths_and_to_abstract_names();
  waits_no_longer_than_told();
  nobody_waits_long_for_a_listener_that_does_not_accept();
  refuses_paths_that_no_socket_can_have();
  return failures == 0 ? 0 : 1;
}
