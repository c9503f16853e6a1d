// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.hdfs.client.JvmCounters;
import io.rdio.hdfs.it.ReadOnce;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Commands of {@code hdfs dfs}, and {@code distcp}, one after the other in a JVM of its own. Prints
 * a line for each: the command, its status, length and CRC32C of what it wrote to standard output;
 * at last how many bytes came by RDIO.
 */
final class ShellCommands {
  static final String BYTES = "BYTES-BY-RDIO ";

  private ShellCommands() {}

  /** Each argument is a command with its own arguments, blanks between. */
  public static void main(String[] commands) throws Exception {
    PrintStream out = System.out;
    for (String command : commands) {
      ByteArrayOutputStream said = new ByteArrayOutputStream();
      System.setOut(new PrintStream(said, false, StandardCharsets.UTF_8));
      int status = run(command.split(" "));
      System.out.flush();
      out.println(
          command + ": " + status + " " + said.size() + " " + ReadOnce.crcOf(said.toByteArray()));
    }
    out.println(BYTES + JvmCounters.READS.rdioBytes.sum());
    out.flush();
  }

  private static int run(String[] words) throws Exception {
    Configuration conf = new Configuration();
    if (words[0].equals("distcp")) {
      return ToolRunner.run(conf, distCp(conf), Arrays.copyOfRange(words, 1, words.length));
    }
    FsShell shell = new FsShell(conf);
    try {
      return ToolRunner.run(shell, words);
    } finally {
      shell.close();
    }
  }

  /** By its name: it is on Hadoop's class path, and not on that of the build. */
  private static Tool distCp(Configuration conf) throws ReflectiveOperationException {
    String name = "org.apache.hadoop.tools.DistCp";
    return Class.forName(name)
        .asSubclass(Tool.class)
        .getConstructor(Configuration.class, Class.forName(name + "Options"))
        .newInstance(conf, null);
  }
}
