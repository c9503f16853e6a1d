// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.datanode.allocate.SlotDirectory.Kept;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of one volume's blocks that have a link of RDIO's, by which they are to be slots again when
 * HDFS has deleted the block (W15). Nothing depends on such a link: where it is, HDFS copies the
 * file before it changes it; where it is not, the file system frees the file as ever. Thread-safe.
 */
final class KeptFiles {
  private static final Logger LOG = LoggerFactory.getLogger(KeptFiles.class);

  /** Files of one volume at most; each takes some 200 bytes of the heap. */
  private static final int FILES_MAX = 100_000;

  private final SlotDirectory directory;

  /** In the order in which they are looked at. Of a block one file is kept. */
  private final Map<Long, Kept> byBlock = new LinkedHashMap<>();

  private final Map<Long, Integer> bySize = new HashMap<>();
  private boolean loaded;

  KeptFiles(SlotDirectory directory) {
    this.directory = directory;
  }

  /**
   * Takes over what earlier incarnations kept, unless that was done. Before it nothing is kept. For
   * one thread at a time; may be tried again after it failed.
   */
  void load() throws IOException {
    if (isLoaded()) {
      return;
    }
    for (Kept kept : directory.kept()) {
      if (!add(kept)) {
        Files.deleteIfExists(directory.link(kept));
      }
    }
    synchronized (this) {
      loaded = true;
    }
  }

  private synchronized boolean isLoaded() {
    return loaded;
  }

  /**
   * Gives a block's file a link, unless the block has one already, or there are as many as may be.
   *
   * @throws IOException if it gets none; then nothing of it is left
   */
  void keep(Kept kept, Path blockFile) throws IOException {
    if (!isLoaded()) {
      return;
    }
    Path link = directory.link(kept);
    boolean noted = false;
    try {
      Files.createLink(link, blockFile);
      noted = add(kept); // behind the link: whoever looks for one that is not there forgets it
    } finally {
      if (!noted) {
        Files.deleteIfExists(link);
      }
    }
  }

  /** Also true where it is noted already. */
  private synchronized boolean add(Kept kept) {
    Kept before = byBlock.get(kept.blockId());
    if (before != null || byBlock.size() >= FILES_MAX) {
      return kept.equals(before);
    }
    byBlock.put(kept.blockId(), kept);
    bySize.merge(kept.bytes(), 1, Integer::sum);
    return true;
  }

  /**
   * Takes the link of a block's file away, if it has one, be the block of this block pool or of
   * another one with the same number. Throws nothing.
   */
  void letGo(long blockId) {
    Kept kept = of(blockId);
    if (kept != null) {
      try {
        unlink(kept);
      } catch (IOException e) {
        LOG.warn("{} cannot be removed: HDFS copies the block first", directory.link(kept), e);
      }
    }
  }

  private synchronized @Nullable Kept of(long blockId) {
    return byBlock.get(blockId);
  }

  /** Takes a link away: who else has the file has it on, and else the file system frees it. */
  void unlink(Kept kept) throws IOException {
    Files.deleteIfExists(directory.link(kept));
    remove(kept);
  }

  /** Its link is not there any more. */
  synchronized void remove(Kept kept) {
    if (byBlock.remove(kept.blockId(), kept)) {
      bySize.computeIfPresent(kept.bytes(), (bytes, files) -> files > 1 ? files - 1 : null);
    }
  }

  /** Those that are to be looked at next: so many at most, all in turn. */
  synchronized List<Kept> next(int max) {
    List<Kept> turn = byBlock.values().stream().limit(max).toList();
    for (Kept kept : turn) {
      byBlock.remove(kept.blockId());
      byBlock.put(kept.blockId(), kept);
    }
    return turn;
  }

  synchronized int count() {
    return byBlock.size();
  }

  /** Those of so many bytes. */
  synchronized int count(long bytes) {
    return bySize.getOrDefault(bytes, 0);
  }
}
