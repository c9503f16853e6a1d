// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A device with a volatile write cache that is told what a {@link DeviceLog} has. When it loses its
 * power it has any of the sectors that were not flushed, each as it was at any moment since. A
 * flush is of what came by the same way: whether a flush by one controller covers what another one
 * wrote, nobody should have to know. Only the first 4 KiB stay together: there is ext4's
 * superblock, of two sectors with one checksum, and a mount looks at no other. For one thread.
 */
public final class ReplayedCache {
  private static final int SECTOR = 512;
  private static final int TOGETHER = 4096;

  private final FileChannel medium;
  private final Set<String> deaf;

  /** Of sectors that may be lost, by their offsets: what they were told, the oldest first. */
  private final Map<Long, List<Version>> cached = new TreeMap<>();

  private record Version(String way, ByteBuffer bytes) {}

  /**
   * @param medium what is durable, now and whenever it was told more; it stays the caller's
   * @param deaf ways by which flushes do nothing
   */
  public ReplayedCache(FileChannel medium, Set<String> deaf) {
    this.medium = medium;
    this.deaf = Set.copyOf(deaf);
  }

  /** Has it do the next of the log's entries. */
  public void tell(DeviceLog.Entry entry) throws IOException {
    if (entry instanceof DeviceLog.Write write) {
      cache(write);
    } else if (entry instanceof DeviceLog.Flush flush && !deaf.contains(flush.way())) {
      flush(flush.way());
    }
  }

  private void cache(DeviceLog.Write write) {
    ByteBuffer bytes = write.bytes();
    if (write.offset() % SECTOR != 0 || bytes.remaining() % SECTOR != 0) {
      throw new IllegalArgumentException(
          bytes.remaining() + " bytes at " + write.offset() + " are no sectors");
    }
    for (int at = 0; at < bytes.remaining(); at += SECTOR) {
      cached
          .computeIfAbsent(write.offset() + at, offset -> new ArrayList<>())
          .add(new Version(write.way(), bytes.slice(bytes.position() + at, SECTOR)));
    }
  }

  private void flush(String way) throws IOException {
    Iterator<Map.Entry<Long, List<Version>>> sectors = cached.entrySet().iterator();
    while (sectors.hasNext()) {
      Map.Entry<Long, List<Version>> sector = sectors.next();
      List<Version> versions = sector.getValue();
      int covered = covered(versions, way);
      if (covered > 0) {
        put(versions.get(covered - 1), sector.getKey(), medium);
        versions.subList(0, covered).clear();
      }
      if (versions.isEmpty()) {
        sectors.remove();
      }
    }
  }

  /** How many versions the last one of a way is the end of. */
  private static int covered(List<Version> versions, String way) {
    int covered = versions.size();
    while (covered > 0 && !versions.get(covered - 1).way().equals(way)) {
      covered--;
    }
    return covered;
  }

  /**
   * Loses the power, as far as a copy of the medium is concerned: all that was not flushed, none of
   * it, or any of its sectors.
   *
   * @param copy gets what else is there
   * @param random which of these; where it gives zeros alone, all that was not flushed is lost
   */
  public void losePower(FileChannel copy, RandomGenerator random) throws IOException {
    int how = random.nextInt(4);
    long together = random.nextLong();
    for (Map.Entry<Long, List<Version>> sector : cached.entrySet()) {
      List<Version> versions = sector.getValue();
      int kept =
          switch (how) {
            case 0 -> 0;
            case 1 -> versions.size();
            default -> {
              RandomGenerator choice = sector.getKey() < TOGETHER ? new Random(together) : random;
              yield choice.nextInt(versions.size() + 1);
            }
          };
      if (kept > 0) {
        put(versions.get(kept - 1), sector.getKey(), copy);
      }
    }
  }

  private static void put(Version version, long offset, FileChannel to) throws IOException {
    ByteBuffer bytes = version.bytes().duplicate();
    while (bytes.hasRemaining()) {
      to.write(bytes, offset + bytes.position());
    }
  }
}
