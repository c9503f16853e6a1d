// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.bench.client.Mix.Operation;
import io.rdio.bench.client.ReadWay.Stream;
import io.rdio.bench.workload.Zipf;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Records of a store of objects, a file each. Objects are not changed: a record that is written
 * anew gets a new file, and whoever has the old one open reads that to its end. What was written is
 * deleted by {@link #clear}. Thread-safe.
 */
final class Records {
  /** Most records that are added; then the oldest of them are written anew. */
  private static final int ADDED_MAX = 1 << 16;

  private final ReadWay way;
  private final Mix mix;
  private final int bytes;
  private final int atFirst;
  private final Zipf zipf;
  private final int[] byRank;
  private final AtomicReferenceArray<String> names;
  private final AtomicInteger count;
  private final Queue<String> written = new ConcurrentLinkedQueue<>();
  private final AtomicInteger versions = new AtomicInteger();
  private final String prefix;
  private final Output output;
  private final LongAdder bytesRead = new LongAdder();
  private final LongAdder bytesWritten = new LongAdder();

  /**
   * Begins with these records.
   *
   * @param files of the records, at least one
   * @param bytes of each
   * @param zipfExponent how skewed the choice is; 0 for uniform
   */
  Records(ReadWay way, List<String> files, int bytes, Mix mix, double zipfExponent) {
    this.way = way;
    this.mix = mix;
    this.bytes = bytes;
    this.atFirst = files.size();
    this.zipf = new Zipf(atFirst, zipfExponent);
    this.byRank = Zipf.shuffled(atFirst, new SplittableRandom(0));
    this.names = new AtomicReferenceArray<>(atFirst + ADDED_MAX);
    for (int i = 0; i < atFirst; i++) {
      names.set(i, files.get(i));
    }
    this.count = new AtomicInteger(atFirst);
    // The NameNode sets space for a whole block aside, for each of many files at a time.
    this.output = new Output(bytes, bytes, Output.blockFor(bytes), 1);
    this.prefix = files.get(0) + "-written-";
  }

  /**
   * Does one operation, of the share that the workload has of it, to a record that is drawn.
   *
   * @param content what is written
   */
  void operate(SplittableRandom random, byte[] content) throws IOException {
    Operation operation = mix.operation(random.nextDouble());
    int record = operation == Operation.INSERT ? 0 : choose(random);
    switch (operation) {
      case READ -> read(record);
      case UPDATE -> update(record, content);
      case MODIFY -> {
        read(record);
        update(record, content);
      }
      case INSERT -> insert(content);
    }
  }

  private int choose(SplittableRandom random) {
    int rank = zipf.rank(random);
    return mix.latest() ? latest(rank) : byRank[rank];
  }

  /** The record that came so many before the last one; such as are there. */
  private int latest(int rank) {
    int record = Math.max(0, count.get() - 1 - rank);
    while (names.get(record) == null) {
      record--; // It is still being written.
    }
    return record;
  }

  private void read(int record) throws IOException {
    long got = 0;
    try (Stream stream = way.stream(names.get(record), bytes)) {
      for (ByteBuffer read = stream.next(); read != null; read = stream.next()) {
        got += read.remaining();
      }
    }
    if (got != bytes) {
      throw new IOException(names.get(record) + " has " + got + " bytes, not " + bytes);
    }
    bytesRead.add(got);
  }

  private void update(int record, byte[] content) throws IOException {
    names.set(record, write(content));
  }

  private void insert(byte[] content) throws IOException {
    String name = write(content);
    int record = count.getAndUpdate(number -> Math.min(number + 1, names.length()));
    names.set(record < names.length() ? record : atFirst, name);
  }

  private String write(byte[] content) throws IOException {
    String name = prefix + versions.getAndIncrement();
    try (OutputStream out = way.create(name, output)) {
      out.write(content);
    }
    written.add(name);
    bytesWritten.add(content.length);
    return name;
  }

  /** Whether so much was written that it should come to its end. */
  boolean isFull() {
    return bytesWritten() >= Task.RECORDS_WRITTEN_MAX;
  }

  /** Bytes that were read so far. */
  long bytesRead() {
    return bytesRead.sum();
  }

  /** Bytes that were written so far. */
  long bytesWritten() {
    return bytesWritten.sum();
  }

  /** Deletes what was written. Nothing may be under way. */
  void clear() throws IOException {
    for (String name = written.poll(); name != null; name = written.poll()) {
      way.delete(name);
    }
  }
}
