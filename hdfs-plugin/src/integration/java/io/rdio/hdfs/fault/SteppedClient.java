// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.client.write.WriteCounters;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.io.IOUtils;

/**
 * A client in a JVM of its own whose steps are counted: its messages to the NameNode, and each
 * piece that it writes. It writes a few files one after the other, whatever becomes of those
 * before, and says on its standard output what it was promised.
 */
final class SteppedClient {
  /** What {@link CountedSteps} calls it. */
  static final String PROCESS = "client";

  private static final String READY = "client-ready";

  static final String MARK = "STEPPED ";

  /** Less than a window has, and than the client keeps of a block before it begins it. */
  private static final int PIECE = 256 << 10;

  private static final int BUFFER = 4096;

  private final DistributedFileSystem fs;
  private final String folder;
  private final SteppedShape shape;
  private final CountedSteps steps;

  /** What is done with a file; each has more than a block, or a group. */
  enum Kind {
    /** It is closed. */
    CLOSED,

    /** It is flushed, then stock HDFS writes more of it, and nobody closes it. */
    FLUSHED,

    /** All files are given up in the middle of its second block. */
    GIVEN_UP;

    /** Bytes that are written, and closed, flushed or given up then. */
    int length(SteppedShape shape) {
      int block = shape.blockData();
      return switch (this) {
        case CLOSED -> block + block / 2 + 777;
        case FLUSHED -> block + block / 4 + 333;
        case GIVEN_UP -> block + block / 2 + PIECE;
      };
    }

    /** Bytes that are written in all. */
    int written(SteppedShape shape) {
      return this == FLUSHED ? length(shape) + PIECE : length(shape);
    }

    /** Bytes of those that the agent writes, where nothing fails. */
    int byAgent(SteppedShape shape) {
      return this == GIVEN_UP ? shape.blockData() : length(shape);
    }

    /** The file in a folder. */
    Path in(String folder) {
      return new Path(folder, name());
    }
  }

  /**
   * The step at which one is ready to begin; it is not counted. The next client gets there while
   * the one before is still at work.
   *
   * @param folder of its files
   */
  static String ready(String folder) {
    return READY + folder.replace('/', '-');
  }

  /** What a file's {@link SoakBytes} are made of. */
  static long seed(Path path) {
    return path.toString().hashCode();
  }

  private SteppedClient(
      DistributedFileSystem fs, String folder, SteppedShape shape, CountedSteps steps) {
    this.fs = fs;
    this.folder = folder;
    this.shape = shape;
    this.steps = steps;
  }

  /** Its arguments behind the name of its class. */
  static List<String> arguments(String folder, SteppedShape shape, Set<Kind> kinds) {
    return List.of(
        folder,
        Integer.toString(shape.replication()),
        Integer.toString(shape.block()),
        Integer.toString(shape.dataUnits()),
        kinds.stream().map(Kind::name).collect(Collectors.joining(",")));
  }

  /** As {@link #arguments} has them. */
  public static void main(String[] args) throws IOException {
    try (DistributedFileSystem fs =
        (DistributedFileSystem) FileSystem.newInstance(new Configuration())) {
      Steps.ofThisJvm().pass(ready(args[0]));
      CountedSteps steps = CountedSteps.ofThisJvm(PROCESS);
      SteppedSockets.count(steps);
      SteppedShape shape =
          new SteppedShape(
              Integer.parseInt(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]));
      SteppedClient client = new SteppedClient(fs, args[0], shape, steps);
      for (String kind : args[4].split(",", -1)) {
        client.write(Kind.valueOf(kind));
      }
      say("ENDED", "ALL", 0);
    }
  }

  private void write(Kind kind) {
    Path path = kind.in(folder);
    int length = kind.length(shape);
    FSDataOutputStream out = null;
    try {
      out = fs.create(path, false, BUFFER, (short) shape.replication(), shape.block());
      put(out, path, 0, length);
      switch (kind) {
        case CLOSED -> {
          out.close();
          say("PROMISED", kind.name(), length);
        }
        case FLUSHED -> {
          out.hsync();
          say("PROMISED", kind.name(), length);
          put(out, path, length, kind.written(shape) - length);
        }
        case GIVEN_UP -> fs.getClient().closeAllFilesBeingWritten(true);
      }
    } catch (IOException | IllegalArgumentException e) {
      // The latter from Hadoop's output stream, whose close() throws what its write() threw.
      System.err.println(path + ": " + e);
      IOUtils.closeStream(out);
    }
  }

  private void put(FSDataOutputStream out, Path path, int from, int count) throws IOException {
    for (int at = from; at < from + count; at += PIECE) {
      out.write(SoakBytes.of(seed(path), at, Math.min(PIECE, from + count - at)));
      steps.pass("behind a piece of " + path.getName());
    }
  }

  /** A line of which whoever is killed in the middle of it leaves no end. */
  private static void say(String what, String of, int length) {
    long bytes = WriteCounters.OF_THIS_JVM.bytes.sum();
    System.out.println(MARK + what + " " + of + " " + length + " " + bytes + " .");
  }
}
