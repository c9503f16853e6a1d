// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackPolicy;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * What follows when reads of one block fail: what becomes of the map that one failed by, whether
 * another map may help, and which maps gave wrong bytes. Safe for any number of threads.
 */
final class FailedReads {
  /** With one map, and once more with another. */
  private static final int MAX_READ_TRIES = 2;

  private final ReadContext context;
  private final BlockRequest request;
  private final boolean verify;
  private final long length;
  private final Queue<FileMap> suspects = new ConcurrentLinkedQueue<>();

  /**
   * @param verify whether bytes are checked against their CRCs
   * @param length bytes that the reader means to see
   */
  FailedReads(ReadContext context, BlockRequest request, boolean verify, long length) {
    this.context = context;
    this.request = request;
    this.verify = verify;
    this.length = length;
  }

  /**
   * Draws the conclusions from a try that failed.
   *
   * @param failed what it was read by last
   * @param tries of the same read by now
   * @return whether another one, by a new map, may help
   */
  boolean leaveHope(MappedReplica failed, FallbackReason reason, int tries) {
    return rejects(failed, reason) && tries < mostTries(reason);
  }

  /** Each replica may fail, but whoever has waited for two devices has waited long enough. */
  private int mostTries(FallbackReason reason) {
    boolean hung = reason.policy().mapVerdict() == FallbackPolicy.MapVerdict.DEVICE_HANGS;
    return hung ? MAX_READ_TRIES : MAX_READ_TRIES + context.maxBeside();
  }

  /** False if a new map would not help. */
  private boolean rejects(MappedReplica failed, FallbackReason reason) {
    switch (context.reject(failed.map(), reason)) {
      case SUSPECT, GREW_OLD, DEVICE_FAILED -> {
        return true;
      }
      case DEVICE_HANGS -> {
        // The caller has waited long enough: stock HDFS reads this, another replica what follows;
        // unless that one is at hand.
        return context.beside(request, failed, verify, length).length > 0;
      }
      case STANDS, USELESS_HERE -> {
        return false;
      }
    }
    throw new IllegalStateException(reason.toString());
  }

  /** Maps that gave wrong bytes, with one more if that is why its read failed. */
  static List<FileMap> with(List<FileMap> wrong, FileMap failed, FallbackReason reason) {
    if (reason.policy().mapVerdict() != FallbackPolicy.MapVerdict.SUSPECT) {
      return wrong;
    }
    List<FileMap> all = new ArrayList<>(wrong);
    all.add(failed);
    return all;
  }

  /** These gave wrong bytes of a read that another one has served. */
  void suspect(List<FileMap> wrong) {
    if (!wrong.isEmpty()) {
      suspects.addAll(wrong);
    }
  }

  /** One of those, each once; null if there is none. */
  @Nullable FileMap takeSuspect() {
    return suspects.poll();
  }
}
