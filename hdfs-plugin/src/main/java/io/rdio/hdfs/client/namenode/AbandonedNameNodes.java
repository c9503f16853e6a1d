// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes the clients of owners that nobody closes, once these are garbage: a process may make a
 * configuration for each of its users. No thread waits for that; who makes another owner looks.
 * Thread-safe.
 */
public final class AbandonedNameNodes {
  private static final Logger LOG = LoggerFactory.getLogger(AbandonedNameNodes.class);
  private static final ReferenceQueue<Object> GARBAGE = new ReferenceQueue<>();
  private static final Set<Owned> OWNED = ConcurrentHashMap.newKeySet();

  private AbandonedNameNodes() {}

  private static final class Owned extends PhantomReference<Object> {
    final NameNodes clients;

    Owned(Object owner, NameNodes clients) {
      super(owner, GARBAGE);
      this.clients = clients;
    }
  }

  /**
   * Has clients closed when their owner is garbage.
   *
   * @param owner which everybody can reach who uses the clients, and they cannot
   */
  public static void closeAfter(Object owner, NameNodes clients) {
    OWNED.add(new Owned(owner, clients));
  }

  /** Closes those whose owners are garbage by now. */
  public static void close() {
    for (Reference<?> next = GARBAGE.poll(); next != null; next = GARBAGE.poll()) {
      Owned owned = (Owned) next;
      OWNED.remove(owned);
      try {
        owned.clients.close();
      } catch (RuntimeException | Error e) { // Hadoop's; who looks here has nothing to do with them
        LOG.debug("RDIO: closing clients that nobody uses any more", e);
      }
    }
  }
}
