// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.util.JsonSerialization;

/**
 * What a client JVM measured at one {@link Task}.
 *
 * @param latencies encoded; see {@link #histogram}; empty where single reads are not timed
 * @param sha256 of each file, of VERIFY; of COLUMNS one CRC32C of all that was read; else empty
 * @param phases of OBJECTS and WRITE what the time of all files went to, in nanoseconds; else empty
 * @param written of RECORDS, which have in {@code totals} only what was read
 */
public record Answer(
    Totals totals,
    Counters counters,
    String latencies,
    List<String> sha256,
    Map<Phase, Long> phases,
    Written written) {

  /**
   * What was done, and what it took.
   *
   * @param bytes that the application got, or wrote
   * @param reads that the application asked for, in whatever pieces; of WRITE files
   * @param seconds from the start of all threads to the end of the last
   * @param cpuSeconds user and system time that the process used meanwhile
   * @param threadCpuSeconds of that, what the threads used that read or wrote; 0 where nobody knows
   */
  public record Totals(
      long bytes, long reads, double seconds, double cpuSeconds, double threadCpuSeconds) {}

  /**
   * By which way it was done.
   *
   * @param rdioBytes bytes that came or went by RDIO, as its own counters say
   * @param shortCircuitBytes bytes that HDFS counts as short-circuit, RDIO's among them
   * @param vectoredRanges ranges of vectored reads that RDIO had under way together
   * @param togetherBytes bytes that a DataNode brought to runs while the device read them, too
   * @param cacheHits chunks that the block data cache had
   * @param cacheMisses chunks that it had not
   * @param fallbacks how often RDIO counted each reason, of reads and of files that were written,
   *     without those that it did not
   */
  public record Counters(
      long rdioBytes,
      long shortCircuitBytes,
      long vectoredRanges,
      long togetherBytes,
      long cacheHits,
      long cacheMisses,
      Map<String, Long> fallbacks) {

    public Counters {
      fallbacks = Map.copyOf(fallbacks);
    }

    /** Of whom nothing but bytes is known. */
    public static Counters ofBytes(long rdioBytes, long shortCircuitBytes) {
      return new Counters(rdioBytes, shortCircuitBytes, 0, 0, 0, 0, Map.of());
    }
  }

  public Answer {
    sha256 = List.copyOf(sha256);
    phases = Map.copyOf(phases);
  }

  /** One with no more than these. */
  public static Answer of(Totals totals, Counters counters) {
    return new Answer(totals, counters, "", List.of(), Map.of(), Written.NONE);
  }

  /** Encodes what {@link #histogram} decodes. */
  static String encode(Histogram histogram) {
    ByteBuffer target = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(target);
    byte[] bytes = new byte[length];
    target.get(0, bytes);
    return Base64.getEncoder().encodeToString(bytes);
  }

  /** How long each read took, in nanoseconds; without values where single reads are not timed. */
  public Histogram histogram() {
    if (latencies.isEmpty()) {
      return Latencies.histogram();
    }
    try {
      ByteBuffer encoded = ByteBuffer.wrap(Base64.getDecoder().decode(latencies));
      return Histogram.decodeFromCompressedByteBuffer(encoded, Latencies.LONGEST_NANOS);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("latencies are not what a client encoded", e);
    }
  }

  /** As one line of text. */
  public String toLine() throws IOException {
    return new JsonSerialization<>(Answer.class, true, false).toJson(this);
  }

  /** Reads what {@link #toLine} wrote. */
  public static Answer ofLine(String line) throws IOException {
    return new JsonSerialization<>(Answer.class, true, false).fromJson(line);
  }
}
