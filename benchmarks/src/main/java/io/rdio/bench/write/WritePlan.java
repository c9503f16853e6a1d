// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import io.rdio.bench.client.Output;
import io.rdio.bench.hdfs.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.jspecify.annotations.Nullable;

/**
 * What is written, so that no pass takes more slots than a pool has. Immutable.
 *
 * @param redundancies of files, each measured by itself
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
 * @param warmUp what is stored before the rounds
 */
record WritePlan(
    List<Redundancy> redundancies,
    long streamBytes,
    List<Integer> arrays,
    List<Long> objects,
    long blockBytes,
    boolean isFitted,
    long poolBytes,
    long smallBytes,
    int threads,
    int rounds,
    double seconds,
    WarmUp warmUp) {
  private static final long MEBIBYTE = 1L << 20;

  private static final int OBJECT_ARRAY_BYTES_MAX = 1 << 20;

  /** At least this part of a pool is slots of a full block's length. */
  private static final int FULL_PART = 2;

  /** The least pool, in bytes, that nobody named. */
  private static final long POOL_MIN = 512 * MEBIBYTE;

  private static final int WARM_UP_FILES_MAX = 16;

  /** Files of a pass that warms up are one part of so many of a pool's bytes, at most. */
  private static final int WARM_UP_POOL_PART = 16;

  /** Of one pass: enough for percentiles, and soon removed. */
  private static final int OBJECTS_MAX = 500;

  WritePlan {
    redundancies = List.copyOf(redundancies);
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
    requireSlots("--size " + streamBytes, slotsAtOnce(fileBytes()));
    for (long object : objectsOfAgent()) {
      requireSlots("--sizes " + object, slotsAtOnce(object));
    }
    return this;
  }

  /** The same with pools as small as may be: there is one for each block of a group. */
  WritePlan withLeastPool() {
    Checks.requireOneOrMore("--threads", threads);
    long slots = slotsAtOnce(fileBytes());
    for (long object : objectsOfAgent()) {
      slots = Math.max(slots, slotsAtOnce(object));
    }
    return new WritePlan(
        redundancies,
        streamBytes,
        arrays,
        objects,
        blockBytes,
        isFitted,
        Math.max(POOL_MIN, FULL_PART * slots * blockBytes),
        smallBytes,
        threads,
        rounds,
        seconds,
        warmUp);
  }

  private List<Long> objectsOfAgent() {
    return objects.stream().filter(each -> each >= smallBytes).toList();
  }

  /** That all threads take of one pool for files of so many bytes. */
  private long slotsAtOnce(long bytes) {
    return threads
        * redundancies.stream().mapToLong(each -> each.groups(bytes, blockBytes)).max().orElse(0);
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

  private long fileBytes() {
    return streamBytes / threads / MEBIBYTE * MEBIBYTE;
  }

  /** Streams and then objects, of each redundancy. */
  List<Load> loads() {
    return redundancies.stream()
        .flatMap(each -> Stream.concat(streams(each), objects(each)))
        .toList();
  }

  private Stream<Load> streams(Redundancy redundancy) {
    int replication = redundancy.replication();
    return arrays.stream()
        .map(array -> new Output(fileBytes(), array, blockBytes, replication))
        .map(output -> new Load(true, redundancy, output, threads));
  }

  private Stream<Load> objects(Redundancy redundancy) {
    List<Load> loads = new ArrayList<>();
    for (long object : objects) {
      long fitting = Math.min(blockBytes, redundancy.fittingBlock(object, MEBIBYTE));
      int array = (int) Math.min(object, OBJECT_ARRAY_BYTES_MAX);
      Output output =
          new Output(object, array, isFitted ? fitting : blockBytes, redundancy.replication());
      loads.add(new Load(false, redundancy, output, files(redundancy, output)));
    }
    return loads.stream();
  }

  /**
   * A pass that warms up: the smallest files that are RDIO's and of which every DataNode stores a
   * block, as many as any pool has small slots for. Coded ones are full groups, for only those have
   * deferred parity.
   */
  Load warmUpLoad() {
    Redundancy all = redundancies.get(0);
    for (Redundancy each : redundancies) {
      all = each.units() > all.units() ? each : all;
    }
    long block = all.fittingBlock(Math.max(MEBIBYTE, smallBytes), MEBIBYTE);
    long files = Math.max(1, Math.min(WARM_UP_FILES_MAX, poolBytes / WARM_UP_POOL_PART / block));
    Output output =
        new Output(all.dataUnits() * block, OBJECT_ARRAY_BYTES_MAX, block, all.replication());
    return new Load(false, all, output, (int) Math.max(threads, files));
  }

  /** As many as one pool has slots for: the NameNode may put all of them on one DataNode. */
  private int files(Redundancy redundancy, Output output) {
    long files =
        output.bytes() < smallBytes
            ? poolBytes / output.bytes()
            : slots() / redundancy.groups(output.bytes(), output.blockBytes());
    return (int) Math.max(threads, Math.min(OBJECTS_MAX, files));
  }

  /** What one DataNode has of all files of a pass, at most. */
  long largestPassBytes() {
    return loads().stream().mapToLong(WritePlan::bytesOfOne).max().orElse(0);
  }

  private static long bytesOfOne(Load load) {
    Output output = load.output();
    return load.files() * load.redundancy().bytesOfUnit(output.bytes(), output.blockBytes());
  }

  /** DataNodes that the files need. */
  int dataNodes() {
    return redundancies.stream().mapToInt(Redundancy::units).max().orElse(1);
  }

  /** Of all files; null where they have replicas. */
  @Nullable ErasureCodingPolicy policy() {
    return redundancies.get(0).policy();
  }
}
