// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.twolevel.TwoLevels.Counts;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Compute nodes, each with a page cache and reads of its own, over one storage cache for all of
 * them. They read at the same pace: next is always the one that has read least. For one thread.
 */
final class ComputeNodes {
  /** The reads of one node, in order. */
  private static final class Reads implements Workload.Reader {
    private int[] firsts = new int[1024];
    private int[] blocks = new int[1024];
    private int size;
    private int done;

    @Override
    public void read(int first, int count) {
      if (size == firsts.length) {
        firsts = Arrays.copyOf(firsts, 2 * size);
        blocks = Arrays.copyOf(blocks, 2 * size);
      }
      firsts[size] = first;
      blocks[size++] = count;
    }

    boolean areDone() {
      return done == size;
    }

    void next(TwoLevels node) {
      node.read(firsts[done], blocks[done]);
      done++;
    }
  }

  private final StorageCache level2;
  private final List<TwoLevels> nodes = new ArrayList<>();
  private long read;

  /**
   * @param count of compute nodes, at least 1
   * @param blocks of the data set, the same for all
   * @param level1Blocks of each node's page cache
   * @param level2 made for as many nodes
   */
  ComputeNodes(
      int count, int blocks, PageCache.Model model, int level1Blocks, StorageCache level2) {
    this.level2 = level2;
    for (int node = 0; node < count; node++) {
      nodes.add(new TwoLevels(blocks, model, level1Blocks, level2.forNode(node)));
    }
  }

  /**
   * Does all reads of all nodes.
   *
   * @param blocks of the data set
   * @param warmUp counted is from when so many blocks were read by all nodes together
   * @return what happened from then on; nothing if they do not read as many
   */
  Counts replay(Workload workload, int blocks, long warmUp) throws IOException {
    List<Reads> reads = new ArrayList<>();
    for (int node = 0; node < nodes.size(); node++) {
      Reads its = new Reads();
      workload.ofNode(node).replay(blocks, its);
      reads.add(its);
    }
    Counts warm = read >= warmUp ? counts() : null;
    for (int node = next(reads); node >= 0; node = next(reads)) {
      TwoLevels reader = nodes.get(node);
      read -= reader.read();
      reads.get(node).next(reader);
      read += reader.read();
      if (warm == null && read >= warmUp) {
        warm = counts();
      }
    }
    return counts().since(warm == null ? counts() : warm);
  }

  /** Who reads next; -1 if nobody has a read left. */
  private int next(List<Reads> reads) {
    int next = -1;
    for (int node = 0; node < nodes.size(); node++) {
      if (!reads.get(node).areDone()
          && (next < 0 || nodes.get(node).read() < nodes.get(next).read())) {
        next = node;
      }
    }
    return next;
  }

  /** What happened so far, of all nodes together. */
  Counts counts() {
    long asked = 0;
    long hits = 0;
    for (TwoLevels node : nodes) {
      Counts its = node.counts();
      asked += its.asked();
      hits += its.hits();
    }
    return new Counts(
        read,
        asked,
        hits,
        asked * Workload.BLOCK_BYTES + level2.extraNetworkBytes(),
        level2.prefetched(),
        level2.unreadPrefetches());
  }
}
