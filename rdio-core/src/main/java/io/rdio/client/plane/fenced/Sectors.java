// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A set of sectors of 512 bytes, kept as runs. Not thread-safe. */
final class Sectors {
  /** {@code struct xfs_metablock}: magic, count, size and flags, and places of sectors. */
  private static final int DUMP_MAGIC = 0x5846534D; // "XFSM"

  private static final int DUMP_SECTOR_LOG = 9;
  private static final int DUMP_PLACES = 63;

  /** Behind it there would be bytes that have no number. */
  private static final long SECTOR_MAX = (Long.MAX_VALUE >> DUMP_SECTOR_LOG) - 1;

  /** From the first sector of a run to behind its last one; runs do not touch each other. */
  private final NavigableMap<Long, Long> runs = new TreeMap<>();

  /** Those that a dump of {@code xfs_metadump} has. */
  static Sectors ofDump(DataInputStream dump) throws IOException {
    Sectors sectors = new Sectors();
    int count = DUMP_PLACES;
    while (count == DUMP_PLACES) {
      int magic = readInt(dump);
      count = dump.readUnsignedShort();
      int log = dump.readUnsignedByte();
      dump.readUnsignedByte();
      if (magic != DUMP_MAGIC || log != DUMP_SECTOR_LOG || count > DUMP_PLACES) {
        throw new IOException("xfs_metadump wrote a form of dump that is not known");
      }
      for (int i = 0; i < DUMP_PLACES; i++) {
        long sector = dump.readLong();
        if (i < count && (sector < 0 || sector > SECTOR_MAX)) {
          throw new IOException("xfs_metadump has read sector " + Long.toUnsignedString(sector));
        }
        if (i < count) {
          sectors.add(sector, sector + 1);
        }
      }
      dump.skipNBytes((long) count << DUMP_SECTOR_LOG);
    }
    return sectors;
  }

  private static int readInt(DataInputStream dump) throws IOException {
    try {
      return dump.readInt();
    } catch (EOFException e) {
      throw new IOException("the dump of xfs_metadump ends early", e);
    }
  }

  /** The runs, from first to behind last. */
  Map<Long, Long> runs() {
    return runs;
  }

  void add(long from, long to) {
    long first = from;
    long end = to;
    Map.Entry<Long, Long> before = runs.floorEntry(first);
    if (before != null && before.getValue() >= first) {
      first = before.getKey();
      end = Math.max(end, before.getValue());
    }
    Map.Entry<Long, Long> next = runs.ceilingEntry(first);
    while (next != null && next.getKey() <= end) {
      end = Math.max(end, next.getValue());
      runs.remove(next.getKey());
      next = runs.ceilingEntry(first);
    }
    runs.put(first, end);
  }

  void addAll(Sectors others) {
    others.runs.forEach(this::add);
  }

  boolean has(long sector) {
    Map.Entry<Long, Long> run = runs.floorEntry(sector);
    return run != null && run.getValue() > sector;
  }

  /** Those of these that another set does not have. */
  Sectors without(Sectors others) {
    Sectors rest = new Sectors();
    runs.forEach(
        (first, end) -> {
          long at = first;
          while (at < end) {
            Map.Entry<Long, Long> run = others.runs.floorEntry(at);
            if (run != null && run.getValue() > at) {
              at = run.getValue();
            } else {
              Long next = others.runs.higherKey(at);
              long stop = next == null ? end : Math.min(end, next);
              rest.add(at, stop);
              at = stop;
            }
          }
        });
    return rest;
  }

  /** How many blocks of so many sectors have one of these in them, or more. */
  long blocks(int sectors) {
    long count = 0;
    long counted = 0; // the end of the last one
    for (Map.Entry<Long, Long> run : runs.entrySet()) {
      long first = Math.max(counted, run.getKey() / sectors);
      counted = (run.getValue() - 1) / sectors + 1;
      count += Math.max(0, counted - first);
    }
    return count;
  }

  boolean isEmpty() {
    return runs.isEmpty();
  }
}
