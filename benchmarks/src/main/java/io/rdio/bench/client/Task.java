// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.util.JsonSerialization;
import org.jspecify.annotations.Nullable;

/**
 * What a client JVM is to do.
 *
 * @param files to read, or to write; of SEQUENTIAL one for each thread
 * @param threads that do so at the same time
 * @param sizes of positional reads in bytes, see {@link Items}; of OBJECTS and STREAM one, the most
 *     bytes to ask for at a time; of RECORDS one, that of each; else empty
 * @param zipfExponent how skewed the choice of positional reads is; 0 for uniform
 * @param seconds that positional reads, streams, operations on records, round trips or CRCs go on;
 *     behind which no file is begun any more that is to be written, but for one by each thread
 * @param seed of the choice of positional reads
 * @param columns to read of each file of COLUMNS, by their numbers; else empty
 * @param scans of COLUMNS, how often
 * @param told whether the client, with the files of positional reads open, says {@link
 *     ClientMain#READY} and waits for a line with the time to begin, in milliseconds since 1970; so
 *     that several clients begin together
 * @param output of WRITE, else null
 * @param mix of RECORDS, which operations; else null
 */
public record Task(
    Kind kind,
    List<String> files,
    int threads,
    List<Integer> sizes,
    double zipfExponent,
    double seconds,
    long seed,
    List<Integer> columns,
    int scans,
    boolean told,
    @Nullable Output output,
    @Nullable Mix mix) {

  /**
   * RECORDS ends before its time when so many bytes were written: a way that writes at the device's
   * speed would fill it.
   */
  public static final long RECORDS_WRITTEN_MAX = 256L << 20;

  /** More than there are threads, each of which takes the next one. */
  private static final long SEEDS_OF_A_ROUND = 10_000;

  public Task {
    files = List.copyOf(files);
    sizes = List.copyOf(sizes);
    columns = List.copyOf(columns);
  }

  /** What to do. */
  public enum Kind {
    /** Each file wholly, and take its SHA-256. */
    VERIFY,
    /** Each file wholly, by a thread of its own. */
    SEQUENTIAL,
    /** Positional reads all over the files. */
    POSITIONAL,
    /** The same, but each thread goes on in the files' order, from a place of its own. */
    IN_ORDER,
    /**
     * Files from start to end by a stream, one after the other and all of them again and again;
     * each thread begins with another one, where there are enough.
     */
    STREAM,
    /** The first byte of each file. */
    FIRST_BYTE,
    /** Each file wholly, opened and closed, and time each. */
    OBJECTS,
    /** Operations on records, which are files. */
    RECORDS,
    /** Columns of a Parquet file, one after the other. */
    COLUMNS,
    /** The same, those of a row group together. */
    COLUMNS_VECTORED,
    /** No file: a message to another thread and back, by a bare Unix domain socket. */
    ROUND_TRIP,
    /**
     * No file: 1 MiB in chunks of 512 bytes is checked against its CRC32Cs, and not copied, by
     * librdio in a direct buffer. Nothing is done where librdio is not available.
     */
    CRC_BY_LIBRARY,
    /** The same by Java's own class, in what this client reads to. */
    CRC_BY_JAVA,
    /** The files in their order, each thread the next one, from their creation to their close. */
    WRITE
  }

  /** Reads each file wholly and takes its SHA-256. */
  public static Task verify(List<String> files) {
    return new Task(Kind.VERIFY, files, 1, List.of(), 0, 0, 0, List.of(), 0, false, null, null);
  }

  /** Reads each file wholly, all at the same time. */
  public static Task sequential(List<String> files) {
    return new Task(
        Kind.SEQUENTIAL, files, files.size(), List.of(), 0, 0, 0, List.of(), 0, false, null, null);
  }

  /**
   * Reads files by streams for so many seconds; see {@link Kind#STREAM}.
   *
   * @param readBytes most bytes to ask for at a time
   */
  public static Task stream(List<String> files, int threads, int readBytes, double seconds) {
    List<Integer> sizes = List.of(readBytes);
    return new Task(
        Kind.STREAM, files, threads, sizes, 0, seconds, 0, List.of(), 0, false, null, null);
  }

  /** Reads the first byte of each file, one file after the other. */
  public static Task firstByte(List<String> files) {
    return new Task(Kind.FIRST_BYTE, files, 1, List.of(), 0, 0, 0, List.of(), 0, false, null, null);
  }

  /**
   * Reads columns of a Parquet file.
   *
   * @param vectored whether those of a row group are asked for by one call
   * @param scans how often
   */
  public static Task columns(String file, List<Integer> columns, boolean vectored, int scans) {
    Kind kind = vectored ? Kind.COLUMNS_VECTORED : Kind.COLUMNS;
    return new Task(kind, List.of(file), 1, List.of(), 0, 0, 0, columns, scans, false, null, null);
  }

  /** Sends messages there and back for so many seconds. */
  public static Task roundTrips(double seconds) {
    return new Task(
        Kind.ROUND_TRIP, List.of(), 1, List.of(), 0, seconds, 0, List.of(), 0, false, null, null);
  }

  /** Checks CRC32Cs for so many seconds, by librdio or by Java. */
  public static Task crcs(boolean byLibrary, double seconds) {
    Kind kind = byLibrary ? Kind.CRC_BY_LIBRARY : Kind.CRC_BY_JAVA;
    return new Task(kind, List.of(), 1, List.of(), 0, seconds, 0, List.of(), 0, false, null, null);
  }

  /**
   * Reads all over the files.
   *
   * @param round the same places in the same round
   */
  public static Task positional(
      List<String> files,
      int threads,
      List<Integer> sizes,
      double zipfExponent,
      double seconds,
      int round) {
    long seed = SEEDS_OF_A_ROUND * round;
    return new Task(
        Kind.POSITIONAL,
        files,
        threads,
        sizes,
        zipfExponent,
        seconds,
        seed,
        List.of(),
        0,
        false,
        null,
        null);
  }

  /**
   * Writes files.
   *
   * @param files at least one for each thread; the first ones are written, as many as are begun in
   *     time
   * @param seconds 0 for one by each thread
   */
  public static Task write(List<String> files, int threads, Output output, double seconds) {
    return new Task(
        Kind.WRITE, files, threads, List.of(), 0, seconds, 0, List.of(), 0, false, output, null);
  }

  /**
   * Reads each file wholly, by threads that share the files, and times each from open to close.
   *
   * @param readBytes most bytes to ask for at a time
   */
  public static Task objects(List<String> files, int threads, int readBytes) {
    return new Task(
        Kind.OBJECTS, files, threads, List.of(readBytes), 0, 0, 0, List.of(), 0, false, null, null);
  }

  /**
   * Reads all over the files, each thread in their order from a place of its own on.
   *
   * @param readBytes of each read
   */
  public static Task inOrder(
      List<String> files, int threads, int readBytes, double seconds, int round) {
    long seed = SEEDS_OF_A_ROUND * round;
    List<Integer> sizes = List.of(readBytes);
    return new Task(
        Kind.IN_ORDER, files, threads, sizes, 0, seconds, seed, List.of(), 0, false, null, null);
  }

  /**
   * What is done to records.
   *
   * @param mix which operations
   * @param threads that do them at the same time
   * @param zipfExponent how skewed their choice of records is; 0 for uniform
   */
  public record Operations(Mix mix, int threads, double zipfExponent) {}

  /**
   * Operations on records.
   *
   * @param files a record each
   * @param recordBytes of each of them
   * @param round the same operations, as far as time allows, in the same round
   */
  public static Task records(
      List<String> files, int recordBytes, Operations operations, double seconds, int round) {
    long seed = SEEDS_OF_A_ROUND * round;
    List<Integer> sizes = List.of(recordBytes);
    return new Task(
        Kind.RECORDS,
        files,
        operations.threads(),
        sizes,
        operations.zipfExponent(),
        seconds,
        seed,
        List.of(),
        0,
        false,
        null,
        operations.mix());
  }

  /** The same, begun when the client is told to. */
  public Task whenTold() {
    return new Task(
        kind,
        files,
        threads,
        sizes,
        zipfExponent,
        seconds,
        seed,
        columns,
        scans,
        true,
        output,
        mix);
  }

  /**
   * How long to wait for the next word of a client that does it: much longer than that takes, and
   * not for ever.
   *
   * @param once for a client to start, and to go through all files that there are
   */
  public Duration patience(Duration once) {
    return once.multipliedBy(Math.max(1, scans)).plusSeconds((long) Math.ceil(seconds));
  }

  /** As one line of text. */
  public String toLine() throws IOException {
    return new JsonSerialization<>(Task.class, true, false).toJson(this);
  }

  /** Reads what {@link #toLine} wrote. */
  public static Task ofLine(String line) throws IOException {
    return new JsonSerialization<>(Task.class, true, false).fromJson(line);
  }
}
