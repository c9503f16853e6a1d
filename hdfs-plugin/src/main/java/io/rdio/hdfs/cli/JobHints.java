// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cli;

import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.RdioReplicaAccessorBuilder;
import io.rdio.hdfs.client.way.FallbackLog;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;

/** What to set so that a job's next log answers more than this one. */
final class JobHints {
  private static final String ASKED =
      HdfsClientConfigKeys.REPLICA_ACCESSOR_BUILDER_CLASSES_KEY
          + " = "
          + RdioReplicaAccessorBuilder.class.getName()
          + " and "
          + RdioConfigKeys.CLIENT_ENABLED
          + " = true in the hdfs-site.xml that the job has, and RDIO's jar on its class path:"
          + " without them HDFS does not ask RDIO";

  private static final String NOT_LOADED =
      "Hadoop could not load RDIO's class: put RDIO's jar on the class path of the job's processes";

  private static final List<String> TOLD =
      List.of(
          RdioConfigKeys.CLIENT_EXIT_REPORT
              + " = true: each process says at its end, at INFO, what came by RDIO, and the reasons",
          RdioConfigKeys.CLIENT_JOB_COUNTER
              + " = true, of MapReduce: the job's counters have what came by RDIO",
          "DEBUG for the logger "
              + FallbackLog.class.getName()
              + ": the log has each read that RDIO left to stock HDFS",
          "without a job: 'rdio doctor PATH' on one of its hosts, as its user");

  private JobHints() {}

  /** From the most urgent on; empty where nothing is missing. */
  static List<String> of(JobLog log) {
    List<String> hints = new ArrayList<>();
    if (log.notLoaded() > 0) {
      hints.add(NOT_LOADED);
    } else if (!log.hasRdio()) {
      hints.add(ASKED);
    }
    long told = log.processes().tellers();
    if (told == 0) {
      hints.addAll(TOLD);
    } else if (log.containers() > told) {
      hints.add(
          "containers without a line at their end: "
              + (log.containers() - told)
              + "; they read nothing from HDFS, were killed, or do not log at INFO");
    }
    return hints;
  }
}
