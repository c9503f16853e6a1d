// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.client.Output;
import io.rdio.bench.hdfs.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is written, so that no pass takes more slots than a pool has. Immutable.
 *
 * @param replications of files, each measured by itself
 * @param streamBytes of all streams of a pass together
 * @param arrays in bytes, that streams are handed over in
 * @param objects in bytes
 * @param blockBytes of a full block
 * @param isFitted whether objects have blocks of the least length that holds them
 * @param poolBytes of the slots that each DataNode keeps free
 * @param smallBytes below which the agent is not asked
 * @param threads that write at the same time
 * @param rounds that are measured
 * @param seconds in which objects are begun
 */
record WritePlan(
    List<Integer> replications,
    long streamBytes,
    List<Integer> arrays,
    List<Long> objects,
    long blockBytes,
    boolean isFitted,
    long poolBytes,
    long smallBytes,
    int threads,
    int rounds,
    double seconds) {
  private static final long MEBIBYTE = 1L << 20;

  /** That HDFS names for a block at most, as far as we have volumes for. */
  private static final int REPLICATION_MAX = 6;

  private static final int OBJECT_ARRAY_BYTES_MAX = 1 << 20;

  /** At least this part of a pool is slots of a full block's length. */
  private static final int FULL_PART = 2;

  /** Of one pass: enough for percentiles, and soon removed. */
  private static final int OBJECTS_MAX = 500;

  WritePlan {
    replications = List.copyOf(replications);
    arrays = List.copyOf(arrays);
    objects = List.copyOf(objects);
  }

  /**
   * Refuses what cannot be measured.
   *
   * @return this
   * @throws IllegalArgumentException naming option and value
   */
  WritePlan checked() {
    Checks.requireOneOrMore("--threads", threads);
    Checks.requireOneOrMore("--rounds", rounds);
    Checks.requirePositive("--seconds", seconds);
    for (int replication : replications) {
      if (replication < 1 || replication > REPLICATION_MAX) {
        throw new IllegalArgumentException(
            "--replication " + replication + ": must be 1 to " + REPLICATION_MAX);
      }
    }
    if (blockBytes % MEBIBYTE != 0 || blockBytes > 1 << 30) {
      throw new IllegalArgumentException(
          "--block-size " + blockBytes + ": must be a multiple of 1m, of 1g at most");
    }
    for (int array : arrays) {
      if (array > Output.ARRAY_BYTES_MAX) {
        throw new IllegalArgumentException(
            "--arrays " + array + ": must be " + Output.ARRAY_BYTES_MAX + " or less");
      }
    }
    if (fileBytes() < MEBIBYTE) {
      throw new IllegalArgumentException(
          "--size " + streamBytes + ": less than 1m for each of " + threads + " threads");
    }
    requireSlots("--size " + streamBytes, threads * blocks(fileBytes(), blockBytes));
    for (long object : objects.stream().filter(each -> each >= smallBytes).toList()) {
      requireSlots("--sizes " + object, threads * blocks(object, blockBytes));
    }
    return this;
  }

  private void requireSlots(String option, long slots) {
    if (slots > slots()) {
      throw new IllegalArgumentException(
          String.format(
              "%s: %d slots of %d bytes are taken by %d threads at once, and --pool %d keeps %d;"
                  + " take --pool %d",
              option,
              slots,
              blockBytes,
              threads,
              poolBytes,
              slots(),
              FULL_PART * slots * blockBytes));
    }
  }

  /** Of a full block's length in a pool, at least. */
  private long slots() {
    return poolBytes / FULL_PART / blockBytes;
  }

  private static long blocks(long bytes, long blockBytes) {
    return (bytes + blockBytes - 1) / blockBytes;
  }

  private long fileBytes() {
    return streamBytes / threads / MEBIBYTE * MEBIBYTE;
  }

  /** Streams and then objects, of each replication. */
  List<Load> loads() {
    return replications.stream()
        .flatMap(replication -> Stream.concat(streams(replication), objects(replication)))
        .toList();
  }

  private Stream<Load> streams(int replication) {
    return arrays.stream()
        .map(
            array ->
                new Load(true, new Output(fileBytes(), array, blockBytes, replication), threads));
  }

  private Stream<Load> objects(int replication) {
    List<Load> loads = new ArrayList<>();
    for (long object : objects) {
      long fitting = Math.min(blockBytes, blocks(object, MEBIBYTE) * MEBIBYTE);
      int array = (int) Math.min(object, OBJECT_ARRAY_BYTES_MAX);
      Output output = new Output(object, array, isFitted ? fitting : blockBytes, replication);
      loads.add(new Load(false, output, files(output)));
    }
    return loads.stream();
  }

  /** As many as one pool has slots for: the NameNode may put all of them on one DataNode. */
  private int files(Output output) {
    long files =
        output.bytes() < smallBytes ? poolBytes / output.bytes() : slots() / output.blocks();
    return (int) Math.max(threads, Math.min(OBJECTS_MAX, files));
  }

  /** Bytes of all files of a pass, at most. */
  long largestPassBytes() {
    return loads().stream().mapToLong(load -> load.files() * load.output().bytes()).max().orElse(0);
  }
}
