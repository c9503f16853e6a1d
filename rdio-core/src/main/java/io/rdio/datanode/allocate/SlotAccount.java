// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.HashMap;
import java.util.Map;

/**
 * How much of one volume is lent or in quarantine, and to whom: an agent that dies again and again
 * must not fill it. Also what the Commits under way there take. Thread-safe; memory only.
 */
final class SlotAccount {
  private final int slotsPerAddress;
  private final long lentBytesMax;
  private final String volume;
  private final Map<String, Integer> byAddress = new HashMap<>();
  private final Map<Long, Integer> bySize = new HashMap<>();
  private long bytes;
  private int commits;
  private long crcBytes;

  SlotAccount(String volume, int slotsPerAddress, long lentBytesMax) {
    this.volume = volume;
    this.slotsPerAddress = slotsPerAddress;
    this.lentBytesMax = lentBytesMax;
  }

  /**
   * Lends a slot.
   *
   * @throws FallbackException SLOTS_EXHAUSTED
   */
  synchronized void lend(String address, long slotBytes) throws FallbackException {
    int has = byAddress.getOrDefault(address, 0);
    if (has >= slotsPerAddress) {
      throw exhausted(address + " has " + has + " slots, quarantined ones among them, its share");
    }
    if (bytes > lentBytesMax - slotBytes) {
      throw exhausted(bytes + " bytes are lent or quarantined, of at most " + lentBytesMax);
    }
    take(address, slotBytes);
  }

  /** Counts one that was lent before the start, whoever had it. */
  synchronized void take(String address, long slotBytes) {
    byAddress.merge(address, 1, Integer::sum);
    bySize.merge(slotBytes, 1, Integer::sum);
    bytes += slotBytes;
  }

  /** It is free, gone, or a block. */
  synchronized void giveBack(String address, long slotBytes) {
    byAddress.computeIfPresent(address, (key, has) -> has > 1 ? has - 1 : null);
    bySize.computeIfPresent(slotBytes, (size, lent) -> lent > 1 ? lent - 1 : null);
    bytes -= slotBytes;
  }

  /** Those of so many bytes. */
  synchronized int count(long slotBytes) {
    return bySize.getOrDefault(slotBytes, 0);
  }

  private FallbackException exhausted(String what) {
    return new FallbackException(FallbackReason.SLOTS_EXHAUSTED, what + " on " + volume);
  }

  /**
   * Puts room for a Commit aside.
   *
   * @throws FallbackException DATANODE_BUSY
   */
  synchronized void beginCommit(long bytesOfCrcs) throws FallbackException {
    if (commits >= WriteRoom.COMMITS_AT_ONCE
        || crcBytes > WriteRoom.COMMIT_CRC_BYTES_MAX - bytesOfCrcs) {
      throw new FallbackException(
          FallbackReason.DATANODE_BUSY,
          commits + " commits of " + crcBytes + " bytes of CRCs are under way on " + volume);
    }
    commits++;
    crcBytes += bytesOfCrcs;
  }

  synchronized void endCommit(long bytesOfCrcs) {
    commits--;
    crcBytes -= bytesOfCrcs;
  }

  synchronized int commits() {
    return commits;
  }
}
