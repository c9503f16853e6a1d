/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local sockets of whole messages (SOCK_SEQPACKET) that carry descriptors and tell who is at the
 * other end: what the JDK has not. Every function answers a value >= 0, or -errno.
 */
#ifndef RDIO_SOCKET_H
#define RDIO_SOCKET_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What stands for no descriptor. */
enum { RDIO_NO_FD = -1 };

/* Who is at the other end, as the kernel knows it from when the connection was made. */
struct rdio_peer {
  int64_t uid;
  int64_t gid;
  int64_t pid;
};

/* Listens at a path that does not exist yet, and gives the socket's file this mode. */
int rdio_socket_listen(const char *path, mode_t mode, int backlog);

/*
 * A connection that somebody made; waits for one so many milliseconds, below zero without limit.
 * -EAGAIN when none came.
 */
int rdio_socket_accept(int listener, int timeout_millis);

/*
 * A connection to whoever listens at a path. -ENOENT or -ECONNREFUSED where nobody does, -EAGAIN
 * where, for so many nanoseconds, more wait to be accepted than the listener lets wait.
 */
int rdio_socket_connect(const char *path, int64_t patience);

int rdio_socket_peer(int fd, struct rdio_peer *peer);

/*
 * Sends one datagram to whoever has bound a socket to an address, as NOTIFY_SOCKET gives one: a
 * path, or a name in the abstract namespace behind an "@". Waits for nobody: -EAGAIN where the
 * receiver's queue is full.
 */
int rdio_socket_send_to(const char *address, const void *message, size_t length);

/* How long a send and a receive wait before they answer -EAGAIN; 0 without limit. */
int rdio_socket_set_timeout(int fd, int64_t nanos);

/*
 * Sends one message, with a descriptor unless that is RDIO_NO_FD. -EPIPE or -ECONNRESET where
 * nobody reads any more.
 */
int rdio_socket_send(int fd, const void *message, size_t length, int passed);

/*
 * Receives one message. Its length; 0 at the end of the connection, for there are no empty
 * messages; -EMSGSIZE for one that is longer than max, which is then lost; -EPROTO for one with
 * more than one descriptor. What the other end said before it closed is received first, also if it
 * left something unread.
 *
 * wait: 0 to answer -EAGAIN at once where none is there.
 * passed: the descriptor that came along, which is then the caller's; else RDIO_NO_FD.
 */
int rdio_socket_receive(int fd, void *message, size_t max, int wait, int *passed);

/* Ends both directions: whoever waits in a receive wakes with 0. */
int rdio_socket_shutdown(int fd);

int rdio_socket_close(int fd);

#endif
