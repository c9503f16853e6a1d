// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;

/**
 * What the pins of one block are to clients, one step after the other: the least that can be said,
 * without leases, terms, volumes and limits.
 */
public class SequentialPins {
  private static final class OnePin {
    final Set<Integer> holders = new HashSet<>();
    boolean recalled;
  }

  private final Set<Integer> clientsWithLease = new HashSet<>();
  private final Queue<OnePin> unlinking = new ArrayDeque<>();
  private OnePin live;

  public String grant(int client) {
    if (clientsWithLease.contains(client)) {
      return "has one";
    }
    boolean recallPending =
        (live != null && live.recalled) || unlinking.stream().anyMatch(pin -> pin.recalled);
    if (recallPending) {
      return "refused";
    }
    clientsWithLease.add(client);
    boolean shared = live != null;
    if (!shared) {
      live = new OnePin();
    }
    live.holders.add(client);
    return shared ? "shared" : "pinned";
  }

  public boolean giveBack(int client) {
    clientsWithLease.remove(client);
    if (live == null || !live.holders.remove(client) || !live.holders.isEmpty()) {
      return false;
    }
    unlinking.add(live);
    live = null;
    return true;
  }

  public boolean renew(int client) {
    return live != null && !live.recalled && live.holders.contains(client);
  }

  public int recall() {
    if (live == null || live.recalled) {
      return 0;
    }
    live.recalled = true;
    return live.holders.size();
  }

  public void unlink() {
    unlinking.poll();
  }

  public int pinned() {
    return unlinking.size() + (live == null ? 0 : 1);
  }
}
