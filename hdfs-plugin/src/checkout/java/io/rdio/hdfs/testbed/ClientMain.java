// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.hdfs.demo.RandomContent;
import io.rdio.hdfs.demo.ReadReport;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.hdfs.tools.DFSck;

/**
 * The HDFS client on the client's host: one JVM that does what the lines of its standard input say,
 * so that its classes are loaded and compiled once. {@link Client} is its other end.
 */
final class ClientMain implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final BufferedReader commands =
      new BufferedReader(new InputStreamReader(System.in, UTF_8));
  private final DistributedFileSystem stock;
  private final FileSystem rdio;

  private ClientMain(Path confFolders) throws IOException {
    stock = (DistributedFileSystem) FileSystem.newInstance(conf(confFolders.resolve("conf-stock")));
    rdio = FileSystem.newInstance(conf(confFolders.resolve("conf-rdio")));
  }

  /** Files below {@link FabricHdfs#ON_PARTITION} go to the DataNode's second volume. */
  private void choosePartition() throws IOException {
    org.apache.hadoop.fs.Path folder = new org.apache.hadoop.fs.Path(FabricHdfs.ON_PARTITION);
    stock.mkdirs(folder);
    stock.setStoragePolicy(folder, "ALL_SSD");
  }

  private void code(org.apache.hadoop.fs.Path folder, String policy) throws IOException {
    stock.mkdirs(folder);
    stock.enableErasureCodingPolicy(policy);
    stock.setErasureCodingPolicy(folder, policy);
  }

  /** Its exit status, and all that it says of files that are not healthy, in one line. */
  private String fsck() throws IOException {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    int status;
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      status = new DFSck(stock.getConf(), out).run(new String[] {"/"});
    }
    return "fsck " + status + " " + said.toString(UTF_8).replace('\n', '|');
  }

  private static Configuration conf(Path folder) {
    Configuration conf = new Configuration();
    conf.addResource(new org.apache.hadoop.fs.Path(folder.resolve("core-site.xml").toString()));
    conf.addResource(new org.apache.hadoop.fs.Path(folder.resolve("hdfs-site.xml").toString()));
    return conf;
  }

  /** Argument: the folder with the two folders of site files. */
  public static void main(String[] args) throws IOException {
    try (ClientMain client = new ClientMain(Path.of(args[0]))) {
      BufferedReader commands = client.commands;
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        String answer;
        try {
          answer = client.answer(line.split(" ", -1));
        } catch (IOException e) {
          answer = "failed " + e.toString().replace('\n', ' ');
        }
        System.out.println(answer);
      }
    }
  }

  private String answer(String[] words) throws IOException {
    return switch (words[0]) {
      case "policy" -> {
        choosePartition();
        yield "chosen";
      }
      case "collect" -> {
        System.gc();
        yield "collected";
      }
      case "write" -> write(words);
      case "code" -> {
        code(new org.apache.hadoop.fs.Path(words[1]), words[2]);
        yield "coded";
      }
      case "recover" ->
          Boolean.toString(stock.recoverLease(new org.apache.hadoop.fs.Path(words[1])));
      case "fsck" -> fsck();
      case "delete" ->
          Boolean.toString(stock.delete(new org.apache.hadoop.fs.Path(words[1]), false));
      case "read" ->
          read(
              words[1].equals("rdio") ? rdio : stock,
              words[2],
              Integer.parseInt(words[3]),
              Long.parseLong(words[4]));
      default -> throw new IOException("what is " + words[0] + "?");
    };
  }

  /** Files NAME0, NAME1, … of this many bytes each, with that many replicas if it is said. */
  private String write(String[] words) throws IOException {
    String name = words[1];
    int count = Integer.parseInt(words[2]);
    long bytes = Long.parseLong(words[3]);
    MessageDigest digest = RandomContent.sha256();
    for (int i = 0; i < count; i++) {
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(name + i);
      short replication =
          words.length > 4 ? Short.parseShort(words[4]) : stock.getDefaultReplication(path);
      try (OutputStream file = stock.create(path, replication);
          OutputStream both = new DigestOutputStream(file, digest)) {
        RandomContent.write(both, (name + i).hashCode(), bytes, done -> {});
      }
    }
    return "wrote " + RandomContent.hex(digest);
  }

  /**
   * Files NAME0, NAME1, … from beginning to end, one after the other. When so many bytes are read
   * it says so and waits for a line.
   */
  private String read(FileSystem fs, String name, int count, long holdAt) throws IOException {
    Reading reading = new Reading(holdAt);
    ReadReport before = ReadReport.ofThisJvm(0);
    for (int i = 0; i < count; i++) {
      try (FSDataInputStream in = fs.open(new org.apache.hadoop.fs.Path(name + i))) {
        reading.readAll(in);
      }
    }
    return reading.answer(before, ReadReport.ofThisJvm(0));
  }

  /** What was read so far, of all files. */
  private final class Reading {
    private final MessageDigest digest = RandomContent.sha256();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final long holdAt;
    private long bytes;
    private long longestNanos;

    Reading(long holdAt) {
      this.holdAt = holdAt;
    }

    void readAll(FSDataInputStream in) throws IOException {
      while (true) {
        long start = System.nanoTime();
        int got = in.read(buffer);
        longestNanos = Math.max(longestNanos, System.nanoTime() - start);
        if (got < 0) {
          return;
        }
        digest.update(buffer, 0, got);
        if (bytes < holdAt && bytes + got >= holdAt) {
          System.out.println("holding");
          commands.readLine();
        }
        bytes += got;
      }
    }

    String answer(ReadReport before, ReadReport after) {
      StringBuilder answer =
          new StringBuilder("read ")
              .append(RandomContent.hex(digest))
              .append(' ')
              .append(bytes)
              .append(' ')
              .append(longestNanos / NANOS_PER_MILLI)
              .append(' ')
              .append(after.rdioBytes() - before.rdioBytes());
      for (Map.Entry<String, Long> entry : after.fallbacks().entrySet()) {
        long more = entry.getValue() - before.fallbacks().getOrDefault(entry.getKey(), 0L);
        if (more > 0) {
          answer.append(' ').append(entry.getKey()).append('=').append(more);
        }
      }
      return answer.toString();
    }
  }

  @Override
  public void close() throws IOException {
    rdio.close();
    stock.close();
  }
}
