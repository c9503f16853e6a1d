// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.testbed;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.hdfs.client.write.WriteCounters;
import io.rdio.hdfs.demo.RandomContent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A process of a host that writes files, by the agent of its host where that writes: does what the
 * lines of its standard input say, and answers each with one. Its other end is a {@link
 * HostProgram}.
 */
final class WriterMain implements AutoCloseable {
  private final BufferedReader commands =
      new BufferedReader(new InputStreamReader(System.in, UTF_8));
  private final FileSystem fs;
  private final Map<String, OpenFile> open = new HashMap<>();

  /** A file that is being written, and what was written to it. */
  private static final class OpenFile {
    private final MessageDigest digest = RandomContent.sha256();
    private final OutputStream out;
    private long written;

    OpenFile(OutputStream out) {
      this.out = new DigestOutputStream(out, digest);
    }

    void write(String name, long bytes) throws IOException {
      RandomContent.write(out, name.hashCode() + written, bytes, done -> {});
      written += bytes;
    }

    String close() throws IOException {
      out.close();
      return digest();
    }

    /** Of what was written so far. */
    String digest() throws IOException {
      try {
        return RandomContent.hex((MessageDigest) digest.clone());
      } catch (CloneNotSupportedException e) {
        throw new IOException("this platform's SHA-256 cannot be asked in between", e);
      }
    }
  }

  private WriterMain() throws IOException {
    fs = FileSystem.newInstance(new Configuration());
  }

  public static void main(String[] args) throws IOException {
    try (WriterMain writer = new WriterMain()) {
      BufferedReader commands = writer.commands;
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        String answer;
        try {
          answer = writer.answer(line.split(" ", -1));
        } catch (IOException e) {
          answer = "failed " + e.toString().replace('\n', ' ');
        }
        System.out.println(answer);
      }
    }
  }

  private String answer(String[] words) throws IOException {
    return switch (words[0]) {
      case "open" -> {
        open.put(words[1], new OpenFile(create(words)));
        yield "opened";
      }
      case "write" -> {
        of(words[1]).write(words[1], Long.parseLong(words[2]));
        yield "wrote";
      }
      case "close" -> {
        String sha256 = of(words[1]).close();
        open.remove(words[1]); // one that fails can still be asked for what was written to it
        yield sha256;
      }
      case "digest" -> of(words[1]).digest();
      case "delete" -> Boolean.toString(fs.delete(new Path(words[1]), false));
      case "bytes" -> Long.toString(WriteCounters.OF_THIS_JVM.bytes.sum());
      default -> throw new IOException("what is " + words[0] + "?");
    };
  }

  /** With as many replicas as it says, or as are usual. */
  private OutputStream create(String[] words) throws IOException {
    Path file = new Path(words[1]);
    return words.length > 2 ? fs.create(file, Short.parseShort(words[2])) : fs.create(file);
  }

  private OpenFile of(String name) throws IOException {
    OpenFile file = open.get(name);
    if (file == null) {
      throw new IOException(name + " is not open");
    }
    return file;
  }

  @Override
  public void close() throws IOException {
    fs.close();
  }
}
