// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.hdfs.cluster.Yarn;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** MapReduce's example and test jobs, each submitted from a JVM of its own. */
final class MapReduceJobs {
  /** What the last job's client wrote. */
  static final Path LOG = Path.of("target", "map-reduce-jobs.log");

  private static final int TIME_MAX_SECONDS = 180;
  private static final Pattern COUNTER = Pattern.compile("(?m)^\t\t(.+)=(\\d+)$");

  private MapReduceJobs() {}

  /** A job: the name of a Tool in {@code org.apache.hadoop}, and its arguments. */
  public static void main(String[] job) throws Exception {
    Configuration conf = new Configuration();
    Tool tool = tool("org.apache.hadoop." + job[0], conf);
    // Some leave threads that would keep the JVM.
    System.exit(ToolRunner.run(conf, tool, Arrays.copyOfRange(job, 1, job.length)));
  }

  /** By its name: it is on YARN's class path, and not on that of the build. */
  private static Tool tool(String name, Configuration conf) throws ReflectiveOperationException {
    Constructor<?> maker = Class.forName(name).getDeclaredConstructors()[0];
    maker.setAccessible(true); // that of Grep is private
    Object tool = maker.getParameterCount() == 0 ? maker.newInstance() : maker.newInstance(conf);
    return (Tool) tool;
  }

  /**
   * Runs a job.
   *
   * @param conf of who submits it, and so of its tasks
   * @param job as for {@link #main}, blanks between
   * @return its counters, by their names in Hadoop's own report; the first one's if it is several
   */
  static Map<String, Long> run(Yarn yarn, Path conf, String job)
      throws IOException, InterruptedException {
    String[] command = (MapReduceJobs.class.getName() + " " + job).split(" ", -1);
    Process process =
        yarn.client(conf, command).redirectErrorStream(true).redirectOutput(LOG.toFile()).start();
    yarn.killLater(process);
    boolean ended = process.waitFor(TIME_MAX_SECONDS, TimeUnit.SECONDS);
    String log = Files.readString(LOG, UTF_8);
    String[] reports = log.split("Counters: ", -1);
    if (!ended || process.exitValue() != 0 || reports.length < 2) {
      process.destroyForcibly();
      throw new IOException((ended ? job : "still at it: " + job) + "\n" + log + yarn.logs());
    }
    Map<String, Long> counters = new HashMap<>();
    for (Matcher each = COUNTER.matcher(reports[1]); each.find(); ) {
      counters.put(each.group(1), Long.parseLong(each.group(2)));
    }
    return counters;
  }

  /**
   * The bytes of several files, one behind the other.
   *
   * @param files a pattern, as {@code FileSystem.globStatus} has them
   */
  static byte[] contentOf(FileSystem fs, String files) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (FileStatus file : fs.globStatus(new org.apache.hadoop.fs.Path(files))) {
      try (FSDataInputStream in = fs.open(file.getPath())) {
        in.transferTo(all);
      }
    }
    return all.toByteArray();
  }
}
