// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import java.util.Locale;

/** User and system time that a job took, in seconds, and where. */
record JobCpu(double containers, double dataNode, double agent) {
  JobCpu minus(JobCpu before) {
    return new JobCpu(
        containers - before.containers, dataNode - before.dataNode, agent - before.agent);
  }

  private double total() {
    return containers + dataNode + agent;
  }

  /** A line for whoever reads the test's report. */
  static String report(String job, JobCpu byRdio, JobCpu byStock) {
    return String.format(
        Locale.ROOT,
        "%s: CPU by RDIO %.0f %% of that by stock HDFS; %s; %s",
        job,
        100 * byRdio.total() / byStock.total(),
        byRdio.text("RDIO"),
        byStock.text("stock"));
  }

  private String text(String by) {
    return String.format(
        Locale.ROOT,
        "%s %.1f s (containers %.1f, DataNode %.1f, agent %.1f)",
        by,
        total(),
        containers,
        dataNode,
        agent);
  }
}
