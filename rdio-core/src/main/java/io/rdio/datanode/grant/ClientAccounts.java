// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.util.HashMap;
import java.util.Map;

/**
 * The clients that hold leases, by the name that each gives itself: its name once for all its
 * leases, and those of them that were recalled. Only {@link LeaseTable} touches it, under its lock.
 */
final class ClientAccounts {
  private final Map<String, Client> clients = new HashMap<>();
  private long heapBytes;

  /** A client with at least one lease. */
  static final class Client {
    private final String id;
    private int leases;
    final LinkedDeque<HeldLease> recalled = new LinkedDeque<>(HeldLease.RECALLED);

    private Client(String id) {
      this.id = id;
    }

    String id() {
      return id;
    }
  }

  /** The client that gets a lease. */
  Client enter(String id) {
    Client client = clients.get(id);
    if (client == null) {
      client = new Client(id);
      long bytes = HeapBytes.client(id);
      clients.put(id, client);
      heapBytes += bytes;
    }
    client.leases++;
    return client;
  }

  /** One lease of the client is gone. */
  void leave(Client client) {
    client.leases--;
    if (client.leases == 0) {
      clients.remove(client.id);
      heapBytes -= HeapBytes.client(client.id);
    }
  }

  /** Leases that a client was, or should have been, told to return. */
  long[] recalled(String id) {
    Client client = clients.get(id);
    return client == null
        ? new long[0]
        : client.recalled.stream().mapToLong(lease -> lease.id).toArray();
  }

  long heapBytes() {
    return heapBytes;
  }

  /** What it would be if this client had a lease. */
  long heapBytesWith(String id) {
    return clients.containsKey(id) ? heapBytes : heapBytes + HeapBytes.client(id);
  }
}
