// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What an application on a compute node reads.
 *
 * @param data a file; or a folder of files as {@link PieceFiles} has them
 * @param blocks of the data set
 * @param files in the folder; 0 for a file
 * @param pieceBlocks of each piece of the files in a folder; 0 for a file
 * @param workload a label of {@link RealWorkloads}
 * @param node the compute node's number, from 0 on
 * @param bytesPerSecond no more is read
 */
record ReaderTask(
    Path data,
    int blocks,
    int files,
    int pieceBlocks,
    String workload,
    int node,
    long bytesPerSecond) {
  private static final int ARGUMENTS = 7;

  /** For a JVM to start on a busy machine. */
  private static final Duration START = Duration.ofMinutes(5);

  /** A disk that has to seek for each block is as much slower than the rates that are asked for. */
  private static final int SLOWER = 100;

  /** One that reads a file. */
  static ReaderTask ofFile(
      Path data, int blocks, Workload workload, int node, long bytesPerSecond) {
    return new ReaderTask(data, blocks, 0, 0, workload.label(), node, bytesPerSecond);
  }

  /** One that reads many files. */
  static ReaderTask ofPieces(PieceFiles pieces, Workload workload, long bytesPerSecond) {
    return new ReaderTask(
        pieces.folder(),
        Math.multiplyExact(pieces.files(), pieces.blocksPerFile()),
        pieces.files(),
        pieces.pieceBlocks(),
        workload.label(),
        0,
        bytesPerSecond);
  }

  /** For the command line of a JVM. */
  List<String> arguments() {
    return List.of(
        data.toString(),
        Integer.toString(blocks),
        Integer.toString(files),
        Integer.toString(pieceBlocks),
        workload,
        Integer.toString(node),
        Long.toString(bytesPerSecond));
  }

  /**
   * Reads the first of a command line's arguments, which {@link #arguments} made.
   *
   * @throws IllegalArgumentException if they are others
   */
  static ReaderTask ofArguments(List<String> arguments) {
    if (arguments.size() < ARGUMENTS) {
      throw new IllegalArgumentException("too few arguments: " + arguments);
    }
    return new ReaderTask(
        Path.of(arguments.get(0)),
        Integer.parseInt(arguments.get(1)),
        Integer.parseInt(arguments.get(2)),
        Integer.parseInt(arguments.get(3)),
        arguments.get(4),
        Integer.parseInt(arguments.get(5)),
        Long.parseLong(arguments.get(6)));
  }

  /** Its reads, this node's own. */
  Workload reads() {
    return RealWorkloads.named(workload).ofNode(node);
  }

  /** Bytes to read before anything counts. */
  long warmUpBytes() {
    return (long) RealWorkloads.WARM_UP * blocks * Workload.BLOCK_BYTES;
  }

  /**
   * How long to wait for the next word of who reads so: much longer than its warm-up takes by the
   * rate, of which what follows is some times, and none of it for ever.
   */
  Duration patience() {
    return START.plus(Duration.ofSeconds(warmUpBytes() / bytesPerSecond).multipliedBy(SLOWER));
  }

  /** Opens what is read, until the process ends. */
  ReadableData open() throws IOException {
    return files == 0
        ? new ScannedFile(data)
        : new OpenPieces(new PieceFiles(data, files, blocks / files, pieceBlocks));
  }
}
