// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import io.rdio.bench.client.Crew.Effort;
import io.rdio.bench.client.ReadWay.RandomFile;
import io.rdio.bench.client.ReadWay.Stream;
import io.rdio.hdfs.demo.RandomContent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/** Does what {@link Task.Kind} names, by one way of reading. */
final class Loads {
  private static final int STREAM_READ_BYTES = 1 << 20;
  private static final double NANOS = 1e9;

  /** What came of one; the rest of an {@link Answer} is the same for all. */
  record Outcome(
      long bytes,
      long reads,
      Effort effort,
      Histogram latencies,
      List<String> sha256,
      Map<Phase, Long> phases,
      long writtenBytes) {
    /** One whose phases nobody timed, and which only read or only wrote. */
    Outcome(long bytes, long reads, Effort effort, Histogram latencies, List<String> sha256) {
      this(bytes, reads, effort, latencies, sha256, Map.of(), 0);
    }
  }

  /** Returns when a task that is {@link Task#told} may begin. */
  interface Start {
    void await() throws IOException;
  }

  private final ReadWay way;
  private final Start start;

  Loads(ReadWay way, Start start) {
    this.way = way;
    this.start = start;
  }

  Outcome run(Task task) throws IOException {
    return switch (task.kind()) {
      case VERIFY -> verify(task);
      case SEQUENTIAL -> sequential(task);
      case POSITIONAL, IN_ORDER -> positional(task);
      case STREAM -> new Streams(way, task).run();
      case FIRST_BYTE -> firstByte(task);
      case OBJECTS -> objects(task);
      case RECORDS -> records(task);
      case COLUMNS -> columns(task, false);
      case COLUMNS_VECTORED -> columns(task, true);
      case ROUND_TRIP -> roundTrips(task);
      case CRC_BY_LIBRARY, CRC_BY_JAVA -> Crcs.of(way, task).run();
      case WRITE -> new Writes(way, task).run();
    };
  }

  private Outcome verify(Task task) throws IOException {
    List<String> sums = new ArrayList<>();
    LongAdder bytes = new LongAdder();
    Effort effort =
        Crew.run(
            1,
            thread -> {
              for (String file : task.files()) {
                sums.add(sha256(file, bytes));
              }
            });
    return new Outcome(bytes.sum(), task.files().size(), effort, Latencies.histogram(), sums);
  }

  private String sha256(String file, LongAdder bytes) throws IOException {
    MessageDigest digest = RandomContent.sha256();
    try (Stream stream = way.stream(file, STREAM_READ_BYTES)) {
      for (ByteBuffer read = stream.next(); read != null; read = stream.next()) {
        bytes.add(read.remaining());
        digest.update(read);
      }
    }
    return RandomContent.hex(digest);
  }

  private Outcome sequential(Task task) throws IOException {
    LongAdder bytes = new LongAdder();
    LongAdder reads = new LongAdder();
    Effort effort =
        Crew.run(
            task.threads(),
            thread -> {
              long got = 0;
              try (Stream stream = way.stream(task.files().get(thread), STREAM_READ_BYTES)) {
                for (ByteBuffer read = stream.next(); read != null; read = stream.next()) {
                  got += read.remaining();
                  reads.increment();
                }
              }
              bytes.add(got);
            });
    return new Outcome(bytes.sum(), reads.sum(), effort, Latencies.histogram(), List.of());
  }

  private Outcome positional(Task task) throws IOException {
    List<RandomFile> files = new ArrayList<>();
    try {
      for (String file : task.files()) {
        files.add(way.open(file));
      }
      return positional(task, files);
    } finally {
      for (RandomFile file : files) {
        file.close();
      }
    }
  }

  private Outcome positional(Task task, List<RandomFile> files) throws IOException {
    long[] lengths = files.stream().mapToLong(RandomFile::length).toArray();
    Items items = new Items(lengths, task.sizes(), task.zipfExponent(), 0);
    boolean inOrder = task.kind() == Task.Kind.IN_ORDER;
    List<Histogram> latencies = new ArrayList<>();
    List<ByteBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < task.threads(); i++) {
      latencies.add(Latencies.histogram());
      buffers.add(way.buffer(items.itemBytes()));
    }
    LongAdder bytes = new LongAdder();
    long nanos = (long) (task.seconds() * NANOS);
    if (task.told()) {
      start.await();
    }
    Effort effort =
        Crew.run(
            task.threads(),
            thread -> {
              SplittableRandom random = new SplittableRandom(task.seed() + thread);
              Histogram histogram = latencies.get(thread);
              ByteBuffer buffer = buffers.get(thread);
              long end = System.nanoTime() + nanos;
              long next = inOrder ? random.nextLong(items.count()) : 0;
              do {
                long item = inOrder ? next++ % items.count() : items.choose(random);
                Items.Place place = items.place(item);
                RandomFile file = files.get(place.file());
                buffer.position(0).limit(place.bytes());
                long start = System.nanoTime();
                file.readFully(place.position(), buffer);
                Latencies.recordSince(histogram, start);
                bytes.add(place.bytes());
              } while (System.nanoTime() < end);
            });
    Histogram all = Latencies.histogram();
    latencies.forEach(all::add);
    return new Outcome(bytes.sum(), all.getTotalCount(), effort, all, List.of());
  }

  private Outcome firstByte(Task task) throws IOException {
    Histogram latencies = Latencies.histogram();
    Effort effort =
        Crew.run(
            1,
            thread -> {
              for (String file : task.files()) {
                long start = System.nanoTime();
                try (Stream stream = way.stream(file, 1)) {
                  if (stream.next() == null) {
                    throw new IOException(file + " has no first byte");
                  }
                  Latencies.recordSince(latencies, start);
                }
              }
            });
    int files = task.files().size();
    return new Outcome(files, files, effort, latencies, List.of());
  }

  private Outcome objects(Task task) throws IOException {
    List<Histogram> latencies = new ArrayList<>();
    for (int i = 0; i < task.threads(); i++) {
      latencies.add(Latencies.histogram());
    }
    LongAdder bytes = new LongAdder();
    PhaseTimes phases = new PhaseTimes();
    Effort effort =
        Crew.run(
            task.threads(),
            thread -> {
              for (int i = thread; i < task.files().size(); i += task.threads()) {
                long start = System.nanoTime();
                bytes.add(wholly(task.files().get(i), task.sizes().get(0), phases));
                Latencies.recordSince(latencies.get(thread), start);
              }
            });
    Histogram all = Latencies.histogram();
    latencies.forEach(all::add);
    return new Outcome(bytes.sum(), all.getTotalCount(), effort, all, List.of(), phases.nanos(), 0);
  }

  private long wholly(String file, int readBytes, PhaseTimes phases) throws IOException {
    long got = 0;
    long begun = System.nanoTime();
    try (Stream stream = way.stream(file, readBytes)) {
      begun = phases.addSince(Phase.OPEN, begun);
      for (ByteBuffer read = stream.next(); read != null; read = stream.next()) {
        got += read.remaining();
      }
      begun = phases.addSince(Phase.READ, begun);
    }
    phases.addSince(Phase.CLOSE, begun);
    return got;
  }

  private Outcome records(Task task) throws IOException {
    int recordBytes = task.sizes().get(0);
    Mix mix = Objects.requireNonNull(task.mix());
    Records records = new Records(way, task.files(), recordBytes, mix, task.zipfExponent());
    List<Histogram> latencies = new ArrayList<>();
    for (int i = 0; i < task.threads(); i++) {
      latencies.add(Latencies.histogram());
    }
    byte[] content = new byte[recordBytes];
    new SplittableRandom(task.seed()).nextBytes(content);
    long nanos = (long) (task.seconds() * NANOS);
    Effort effort;
    try {
      effort =
          Crew.run(
              task.threads(),
              thread -> {
                SplittableRandom random = new SplittableRandom(task.seed() + thread);
                long end = System.nanoTime() + nanos;
                do {
                  long start = System.nanoTime();
                  records.operate(random, content);
                  Latencies.recordSince(latencies.get(thread), start);
                } while (System.nanoTime() < end && !records.isFull());
              });
    } finally {
      records.clear();
    }
    Histogram all = Latencies.histogram();
    latencies.forEach(all::add);
    return new Outcome(
        records.bytesRead(),
        all.getTotalCount(),
        effort,
        all,
        List.of(),
        Map.of(),
        records.bytesWritten());
  }

  private Outcome columns(Task task, boolean vectored) throws IOException {
    List<String> sums = new ArrayList<>();
    LongAdder bytes = new LongAdder();
    Effort effort =
        Crew.run(
            1,
            thread -> {
              for (String file : task.files()) {
                ParquetColumns read = way.columns(file, task.columns(), vectored, task.scans());
                bytes.add(read.bytes());
                sums.add(read.crc());
              }
            });
    return new Outcome(bytes.sum(), task.scans(), effort, Latencies.histogram(), sums);
  }

  private static Outcome roundTrips(Task task) throws IOException {
    Histogram latencies = Latencies.histogram();
    long nanos = (long) (task.seconds() * NANOS);
    try (RoundTrips socket = RoundTrips.open()) {
      Effort effort =
          Crew.run(
              1,
              thread -> {
                long end = System.nanoTime() + nanos;
                do {
                  long start = System.nanoTime();
                  socket.go();
                  Latencies.recordSince(latencies, start);
                } while (System.nanoTime() < end);
              });
      long count = latencies.getTotalCount();
      return new Outcome(count * RoundTrips.BYTES, count, effort, latencies, List.of());
    }
  }
}
