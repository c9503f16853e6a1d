// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.client.write.WriteCounters;
import java.io.IOException;
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

  /** The step at which it is ready to begin; it is not counted. */
  static final String READY = "client-ready";

  static final String MARK = "STEPPED ";
  static final int BLOCK = 2 << 20;

  /** Less than a window has, and than the client keeps of a block before it begins it. */
  private static final int PIECE = 256 << 10;

  private static final int BUFFER = 4096;

  private final DistributedFileSystem fs;
  private final String folder;
  private final short replication;
  private final CountedSteps steps;

  /** What is done with a file; each has more than a block. */
  enum Kind {
    /** It is closed. */
    CLOSED(BLOCK + BLOCK / 2 + 777, 0),

    /** It is flushed, then stock HDFS writes more of it, and nobody closes it. */
    FLUSHED(BLOCK + BLOCK / 4 + 333, PIECE),

    /** All files are given up in the middle of its second block. */
    GIVEN_UP(BLOCK + BLOCK / 2 + PIECE, 0);

    /** Bytes that are written, and closed, flushed or given up then. */
    final int length;

    /** Bytes behind those. */
    final int more;

    Kind(int length, int more) {
      this.length = length;
      this.more = more;
    }

    /** The file in a folder. */
    Path in(String folder) {
      return new Path(folder, name());
    }
  }

  /** What a file's {@link SoakBytes} are made of. */
  static long seed(Path path) {
    return path.toString().hashCode();
  }

  private SteppedClient(
      DistributedFileSystem fs, String folder, short replication, CountedSteps steps) {
    this.fs = fs;
    this.folder = folder;
    this.replication = replication;
    this.steps = steps;
  }

  /** Arguments: a folder; the number of replicas; kinds of files with commas between. */
  public static void main(String[] args) throws IOException {
    try (DistributedFileSystem fs =
        (DistributedFileSystem) FileSystem.newInstance(new Configuration())) {
      Steps.ofThisJvm().pass(READY);
      CountedSteps steps = CountedSteps.ofThisJvm(PROCESS);
      SteppedSockets.count(steps);
      SteppedClient client = new SteppedClient(fs, args[0], Short.parseShort(args[1]), steps);
      for (String kind : args[2].split(",", -1)) {
        client.write(Kind.valueOf(kind));
      }
      say("ENDED", "ALL", 0);
    }
  }

  private void write(Kind kind) {
    Path path = kind.in(folder);
    FSDataOutputStream out = null;
    try {
      out = fs.create(path, false, BUFFER, replication, BLOCK);
      put(out, path, 0, kind.length);
      switch (kind) {
        case CLOSED -> {
          out.close();
          say("PROMISED", kind.name(), kind.length);
        }
        case FLUSHED -> {
          out.hsync();
          say("PROMISED", kind.name(), kind.length);
          put(out, path, kind.length, kind.more);
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
