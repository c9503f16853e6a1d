// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.client.write.WriteCounters;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IOUtils;

/**
 * A client of {@link WriteAttackIT} in a JVM of its own, which is killed: writes one file after the
 * other, keeps a few and deletes the others, and says on its standard output what became of them.
 */
final class AttackClient {
  static final Path FOLDER = new Path("/attack");
  static final int BLOCK = 4 << 20;
  static final String MARK = "ATTACK ";

  private static final int LONGEST = 2 * BLOCK + BLOCK / 2;
  private static final int LONGEST_PIECE = 300_000;
  private static final int KEPT = 6;

  private final FileSystem fs;
  private final String folder;
  private final Random random;
  private final String[] replications;

  /** Names of files, the oldest first. */
  private final Queue<String> kept = new ArrayDeque<>();

  private AttackClient(FileSystem fs, String folder, Random random, String[] replications) {
    this.fs = fs;
    this.folder = folder;
    this.random = random;
    this.replications = replications;
  }

  /**
   * Arguments: a folder of this client, and of those that were killed before; a seed; numbers of
   * replicas with commas between.
   */
  public static void main(String[] args) throws IOException {
    try (FileSystem fs = FileSystem.newInstance(new Configuration())) {
      AttackClient client =
          new AttackClient(
              fs, args[0], new Random(Long.parseLong(args[1])), args[2].split(",", -1));
      client.takeOver();
      while (true) {
        client.writeOne();
        client.deleteOldest();
      }
    }
  }

  /**
   * A file.
   *
   * @param name folder and seed of the content, with a slash between
   */
  static Path path(String name) {
    return new Path(FOLDER, name);
  }

  /** Its name, by which {@link #path} has it. */
  static String name(Path path) {
    return path.getParent().getName() + "/" + path.getName();
  }

  /** All files that are there, of whichever client. */
  static List<Path> files(FileSystem fs) throws IOException {
    List<Path> files = new ArrayList<>();
    for (FileStatus folder : fs.listStatus(FOLDER)) {
      for (FileStatus file : fs.listStatus(folder.getPath())) {
        files.add(file.getPath());
      }
    }
    return files;
  }

  static long seed(String name) {
    return Long.parseLong(name.substring(name.indexOf('/') + 1));
  }

  /** Keeps of what is there the newest. */
  private void takeOver() throws IOException {
    fs.mkdirs(path(folder));
    FileStatus[] there = fs.listStatus(path(folder));
    Arrays.sort(there, Comparator.comparingLong(FileStatus::getModificationTime));
    for (FileStatus file : there) {
      kept.add(folder + "/" + file.getPath().getName());
      deleteOldest();
    }
  }

  private void writeOne() {
    String name = folder + "/" + (random.nextLong() >>> 1);
    int length = 1 + random.nextInt(LONGEST);
    short replication = Short.parseShort(replications[random.nextInt(replications.length)]);
    kept.add(name);
    FSDataOutputStream out = null;
    try {
      out = fs.create(path(name), false, BLOCK / 64, replication, BLOCK);
      for (int at = 0; at < length; ) {
        int piece = Math.min(length - at, 1 + random.nextInt(LONGEST_PIECE));
        out.write(SoakBytes.of(seed(name), at, piece));
        at += piece;
      }
      out.close();
      say("CLOSED", name, length);
    } catch (IOException | IllegalArgumentException e) {
      // The latter from Hadoop's output stream, whose close() throws what its write() threw.
      System.err.println(name + ": " + e);
      say("FAILED", name, length);
      IOUtils.closeStream(out);
    }
  }

  private void deleteOldest() {
    String oldest = kept.size() > KEPT ? kept.poll() : null;
    if (oldest != null) {
      say("DELETING", oldest, 0);
      try {
        fs.delete(path(oldest), false);
      } catch (IOException e) {
        System.err.println(oldest + ": " + e);
      }
    }
  }

  /** A line of which whoever is killed in the middle of it leaves no end. */
  private static void say(String what, String name, int length) {
    long bytes = WriteCounters.OF_THIS_JVM.bytes.sum();
    System.out.println(MARK + what + " " + name + " " + length + " " + bytes + " .");
  }
}
