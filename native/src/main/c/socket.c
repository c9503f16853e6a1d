/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "socket.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
  NANOS_PER_SECOND = 1000000000,
  NANOS_PER_MICRO = 1000,
  /* More than one is a mistake at the other end; so that these can be closed and not be lost. */
  RECEIVABLE_FDS = 4
};

/* Room for so many descriptors, aligned as the kernel wants it. */
union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(RECEIVABLE_FDS * sizeof(int))];
};

static int address_of(const char *path, struct sockaddr_un *address) {
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address->sun_path) {
    return length == 0 ? -EINVAL : -ENAMETOOLONG;
  }
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  return 0;
}

static int new_socket(void) {
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  return fd < 0 ? -errno : fd;
}

static int close_with(int fd, int error) {
  (void)close(fd);
  return error;
}

int rdio_socket_listen(const char *path, mode_t mode, int backlog) {
  struct sockaddr_un address;
  int error = address_of(path, &address);
  int fd = error < 0 ? error : new_socket();
  if (fd < 0) {
    return fd;
  }
  /* Before anybody can connect: the file's mode would else be the umask's for a moment. */
  if (fchmod(fd, mode) != 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    return close_with(fd, -errno);
  }
  if (chmod(path, mode) != 0 || listen(fd, backlog) != 0) {
    error = -errno;
    (void)unlink(path);
    return close_with(fd, error);
  }
  return fd;
}

int rdio_socket_accept(int listener, int timeout_millis) {
  struct pollfd connection = {.fd = listener, .events = POLLIN};
  int ready = poll(&connection, 1, timeout_millis);
  if (ready <= 0) {
    return ready < 0 && errno != EINTR ? -errno : -EAGAIN;
  }
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

static int64_t now_nanos(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * NANOS_PER_SECOND + now.tv_nsec;
}

int rdio_socket_connect(const char *path, int64_t patience) {
  struct sockaddr_un address;
  int error = address_of(path, &address);
  int fd = error < 0 ? error : new_socket();
  if (fd < 0) {
    return fd;
  }
  int64_t end = now_nanos() + patience;
  do {
    int64_t left = end - now_nanos();
    /* A time limit of 0 would be none. */
    error = rdio_socket_set_timeout(fd, patience < 0 ? patience : left > 0 ? left : 1);
    if (error == 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
      error = -errno; /* behind EINTR it is not connected, and may be tried again */
    }
  } while (error == -EINTR);
  if (error < 0) {
    return close_with(fd, error);
  }
  error = rdio_socket_set_timeout(fd, 0);
  return error < 0 ? close_with(fd, error) : fd;
}

int rdio_socket_send_to(const char *address, const void *message, size_t length) {
  struct sockaddr_un to;
  int error = address_of(address, &to);
  if (error < 0) {
    return error;
  }
  /* An abstract name is as long as the address says; a path ends with its zero. */
  size_t name = strlen(address);
  if (address[0] == '@') {
    to.sun_path[0] = 0;
  } else {
    name++;
  }
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) {
    return -errno;
  }
  socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + name);
  ssize_t sent = sendto(fd, message, length, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&to,
                        bytes);
  return close_with(fd, sent < 0 ? -errno : (int)sent);
}

int rdio_socket_peer(int fd, struct rdio_peer *peer) {
  struct ucred credentials;
  socklen_t length = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) {
    return -errno;
  }
  peer->uid = credentials.uid;
  peer->gid = credentials.gid;
  peer->pid = credentials.pid;
  return 0;
}

int rdio_socket_set_timeout(int fd, int64_t nanos) {
  if (nanos < 0) {
    return -EINVAL;
  }
  /* A time above zero must not become zero, which is none. */
  int64_t micros = (nanos % NANOS_PER_SECOND + NANOS_PER_MICRO - 1) / NANOS_PER_MICRO;
  struct timeval limit = {.tv_sec = nanos / NANOS_PER_SECOND, .tv_usec = micros};
  if (limit.tv_usec == NANOS_PER_SECOND / NANOS_PER_MICRO) {
    limit.tv_sec++;
    limit.tv_usec = 0;
  }
  if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
      setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0) {
    return -errno;
  }
  return 0;
}

int rdio_socket_send(int fd, const void *message, size_t length, int passed) {
  struct iovec part = {.iov_base = (void *)message, .iov_len = length};
  struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
  union control control;
  if (passed != RDIO_NO_FD) {
    memset(&control, 0, sizeof control);
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(sizeof(int));
    struct cmsghdr *along = CMSG_FIRSTHDR(&header);
    along->cmsg_level = SOL_SOCKET;
    along->cmsg_type = SCM_RIGHTS;
    along->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(along), &passed, sizeof passed);
  }
  ssize_t sent;
  do {
    sent = sendmsg(fd, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : (int)sent;
}

/* The descriptors of a message; how many there are, of which the first RECEIVABLE_FDS are told. */
static size_t descriptors_of(struct msghdr *header, int *fds) {
  size_t count = 0;
  for (struct cmsghdr *along = CMSG_FIRSTHDR(header); along != NULL;
       along = CMSG_NXTHDR(header, along)) {
    if (along->cmsg_level == SOL_SOCKET && along->cmsg_type == SCM_RIGHTS) {
      size_t here = (along->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t i = 0; i < here && count < RECEIVABLE_FDS; i++) {
        memcpy(&fds[count++], CMSG_DATA(along) + i * sizeof(int), sizeof(int));
      }
    }
  }
  return count;
}

int rdio_socket_receive(int fd, void *message, size_t max, int wait, int *passed) {
  struct iovec part = {.iov_base = message, .iov_len = max};
  union control control;
  struct msghdr header = {.msg_iov = &part,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof control.bytes};
  *passed = RDIO_NO_FD;
  ssize_t received;
  int resets = 0;
  do {
    received = recvmsg(fd, &header, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    /* That the other end left something unread is told once, before what it said itself. */
    resets += received < 0 && errno == ECONNRESET;
  } while (received < 0 && (errno == EINTR || (errno == ECONNRESET && resets == 1)));
  if (received < 0) {
    return -errno;
  }
  int fds[RECEIVABLE_FDS];
  size_t count = descriptors_of(&header, fds);
  int error = (header.msg_flags & MSG_TRUNC) != 0                       ? -EMSGSIZE
              : count > 1 || (header.msg_flags & MSG_CTRUNC) != 0 ? -EPROTO
                                                                  : 0;
  if (error == 0 && count == 1) {
    *passed = fds[0];
    return (int)received;
  }
  for (size_t i = 0; i < count; i++) {
    (void)close(fds[i]);
  }
  return error < 0 ? error : (int)received;
}

int rdio_socket_shutdown(int fd) { return shutdown(fd, SHUT_RDWR) == 0 ? 0 : -errno; }

int rdio_socket_close(int fd) { return close(fd) == 0 ? 0 : -errno; }
