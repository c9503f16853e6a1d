// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.HashMap;
import java.util.Map;

/**
 * What each user's processes have of the agent, so that no user takes it from the others. Users are
 * those that the kernel names. Thread-safe.
 */
final class UserAccounts {
  private final AgentLimits limits;
  private final AgentCounters counters;

  @GuardedBy("this")
  private final Map<Long, Account> accounts = new HashMap<>();

  private static final class Account {
    int lanes;
    long segmentBytes;

    boolean isEmpty() {
      return lanes == 0 && segmentBytes == 0;
    }
  }

  UserAccounts(AgentLimits limits, AgentCounters counters) {
    this.limits = limits;
    this.counters = counters;
  }

  /**
   * Counts a lane.
   *
   * @throws FallbackException AGENT_BUSY, and then it is not counted
   */
  synchronized void addLane(long uid) throws FallbackException {
    Account account = accounts.computeIfAbsent(uid, user -> new Account());
    if (counters.lanes.get() >= limits.lanes() || account.lanes >= limits.lanesPerUser()) {
      remove(uid, account);
      throw new FallbackException(
          FallbackReason.AGENT_BUSY,
          account.lanes
              + " of "
              + limits.lanesPerUser()
              + " lanes are user "
              + uid
              + "'s, "
              + counters.lanes
              + " of "
              + limits.lanes()
              + " are in use");
    }
    account.lanes++;
    counters.lanes.incrementAndGet();
  }

  synchronized void removeLane(long uid) {
    Account account = accounts.computeIfAbsent(uid, user -> new Account());
    account.lanes--;
    counters.lanes.decrementAndGet();
    remove(uid, account);
  }

  /**
   * Counts a segment's memory.
   *
   * @throws FallbackException AGENT_BUSY, and then it is not counted
   */
  synchronized void addSegment(long uid, long bytes) throws FallbackException {
    Account account = accounts.computeIfAbsent(uid, user -> new Account());
    if (account.segmentBytes + bytes > limits.segmentBytesPerUser()) {
      remove(uid, account);
      throw new FallbackException(
          FallbackReason.AGENT_BUSY,
          "the processes of user "
              + uid
              + " share "
              + account.segmentBytes
              + " bytes with the agent, of "
              + limits.segmentBytesPerUser());
    }
    account.segmentBytes += bytes;
    counters.segmentBytes.addAndGet(bytes);
  }

  synchronized void removeSegment(long uid, long bytes) {
    Account account = accounts.computeIfAbsent(uid, user -> new Account());
    account.segmentBytes -= bytes;
    counters.segmentBytes.addAndGet(-bytes);
    remove(uid, account);
  }

  @GuardedBy("this")
  private void remove(long uid, Account account) {
    if (account.isEmpty()) {
      accounts.remove(uid);
    }
  }
}
