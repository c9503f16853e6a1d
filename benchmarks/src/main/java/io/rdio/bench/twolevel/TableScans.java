// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import io.rdio.bench.twolevel.Tables.Extent;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Table scans with reuse: TPC-H's throughput test (clause 5.3.4), as an engine without indexes runs
 * it on files. Each stream runs all 22 queries in an order of its own; a query scans the tables of
 * its FROM clauses one after the other, from start to end; all streams go on at the same pace.
 * Reuse comes from queries that share tables and from streams that follow each other over the same
 * one.
 *
 * @param streams how many there are; five is the least that TPC-H wants at scale factor 100
 * @param queries how many of the 22 each stream runs
 */
record TableScans(int streams, int queries, long seed) implements Workload {
  /** The largest read-ahead of Linux by default, 128 KB. */
  private static final int READ_BLOCKS = 32;

  @Override
  public String label() {
    return "tpch-scans";
  }

  @Override
  public Workload ofNode(int node) {
    return new TableScans(streams, queries, seed + node);
  }

  @Override
  public boolean isSequential() {
    return true;
  }

  @Override
  public void replay(int blocks, Reader reader) throws IOException {
    Tables tables = new Tables(blocks);
    Random random = new Random(seed);
    List<Stream> running = new ArrayList<>();
    for (int i = 0; i < streams; i++) {
      List<Integer> order = new ArrayList<>(IntStream.range(0, Tables.queries()).boxed().toList());
      Collections.shuffle(order, random);
      running.add(new Stream(tables, order.subList(0, queries)));
    }
    while (!running.isEmpty()) {
      for (Iterator<Stream> each = running.iterator(); each.hasNext(); ) {
        if (!each.next().readOn(reader)) {
          each.remove();
        }
      }
    }
  }

  /** One stream of queries, somewhere in a scan. */
  private static final class Stream {
    private final Deque<Extent> scans = new ArrayDeque<>();
    private int done; // Of the first scan, in blocks.

    Stream(Tables tables, List<Integer> queries) {
      queries.forEach(query -> scans.addAll(tables.scans(query)));
    }

    /** Reads what comes next; false if that was all. */
    boolean readOn(Reader reader) throws IOException {
      Extent scan = scans.peek();
      if (scan == null) {
        return false;
      }
      int blocks = Math.min(READ_BLOCKS, scan.blocks() - done);
      reader.read(scan.first() + done, blocks);
      done += blocks;
      if (done == scan.blocks()) {
        scans.remove();
        done = 0;
      }
      return true;
    }
  }
}
