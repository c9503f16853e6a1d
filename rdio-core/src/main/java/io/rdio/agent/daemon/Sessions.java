// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.Protocol;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.security.SecureRandom;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions of all processes. Thread-safe. */
final class Sessions {
  private final AgentLimits limits;
  private final AgentCounters counters;
  private final UserAccounts accounts;
  private final SecureRandom random = new SecureRandom();
  private final ConcurrentHashMap<Long, ClientProcess> byId = new ConcurrentHashMap<>();

  Sessions(AgentLimits limits, AgentCounters counters) {
    this.limits = limits;
    this.counters = counters;
    this.accounts = new UserAccounts(limits, counters);
  }

  UserAccounts accounts() {
    return accounts;
  }

  /** Begins one, whose first lane has joined it. */
  ClientProcess begin(ClientProcess.Owner owner) throws FallbackException {
    byte[] key = new byte[Protocol.KEY_BYTES];
    random.nextBytes(key);
    OpenBlocks blocks = new OpenBlocks(limits.openPerProcess(), System::currentTimeMillis);
    while (true) {
      ClientProcess process =
          new ClientProcess(
              random.nextLong(), key, owner, accounts, blocks, limits.lanesPerProcess());
      if (byId.putIfAbsent(process.id(), process) == null) {
        process.join(owner.uid(), key);
        counters.sessions.increment();
        counters.processes.incrementAndGet();
        return process;
      }
    }
  }

  /** One more lane of a session; see {@link ClientProcess#join}. */
  ClientProcess join(long id, long uid, byte[] key) throws FallbackException {
    ClientProcess process = byId.get(id);
    if (process == null) {
      throw new FallbackException(
          FallbackReason.AGENT_UNAVAILABLE, "there is no such session of user " + uid);
    }
    process.join(uid, key);
    return process;
  }

  /** Ends a lane; see {@link ClientProcess#leave}. */
  void leave(ClientProcess process, boolean underWay) {
    if (process.leave(underWay)) {
      byId.remove(process.id());
      counters.processes.decrementAndGet();
    }
  }

  /** Takes the memory of idle sessions back. */
  void reclaim() {
    long now = System.nanoTime();
    for (ClientProcess process : byId.values()) {
      process.reclaim(now, limits.idle().toNanos());
    }
  }
}
