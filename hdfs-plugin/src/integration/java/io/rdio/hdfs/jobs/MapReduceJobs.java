// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.hdfs.cluster.Yarn;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** MapReduce's example jobs, one after the other, submitted from a JVM of its own. */
final class MapReduceJobs {
  private static final Path LOG = Path.of("target", "map-reduce-jobs.log");
  private static final String EXAMPLES = "org.apache.hadoop.examples.";
  private static final Pattern COUNTER = Pattern.compile("(?m)^\t\t(.+)=(\\d+)$");

  private MapReduceJobs() {}

  /**
   * Each argument is a job: the name of a Tool in the examples' package, with arguments of its own,
   * blanks between.
   */
  public static void main(String[] jobs) throws Exception {
    for (String job : jobs) {
      String[] words = job.split(" ", -1);
      // By its name: it is on YARN's class path, and not on that of the build.
      Constructor<? extends Tool> maker =
          Class.forName(EXAMPLES + words[0]).asSubclass(Tool.class).getDeclaredConstructor();
      maker.setAccessible(true); // that of Grep is private
      Tool tool = maker.newInstance();
      int status =
          ToolRunner.run(new Configuration(), tool, Arrays.copyOfRange(words, 1, words.length));
      if (status != 0) {
        throw new IOException(job + " failed with " + status);
      }
    }
  }

  /**
   * Runs jobs.
   *
   * @param conf of who submits them, and so of their tasks
   * @return the counters of each, by their names in Hadoop's own report
   */
  static List<Map<String, Long>> run(Yarn yarn, Path conf, List<String> jobs)
      throws IOException, InterruptedException {
    String[] command = new String[jobs.size() + 1];
    command[0] = MapReduceJobs.class.getName();
    System.arraycopy(jobs.toArray(), 0, command, 1, jobs.size());
    Process process =
        yarn.client(conf, command).redirectErrorStream(true).redirectOutput(LOG.toFile()).start();
    yarn.killLater(process);
    int status = process.waitFor();
    String log = Files.readString(LOG, UTF_8);
    if (status != 0) {
      throw new IOException("status " + status + ": " + log + yarn.logs());
    }
    String[] reports = log.split("Counters: ", -1);
    return Arrays.stream(reports).skip(1).map(MapReduceJobs::counters).toList();
  }

  private static Map<String, Long> counters(String report) {
    Map<String, Long> counters = new HashMap<>();
    for (Matcher each = COUNTER.matcher(report); each.find(); ) {
      counters.put(each.group(1), Long.parseLong(each.group(2)));
    }
    return Collections.unmodifiableMap(counters);
  }
}
