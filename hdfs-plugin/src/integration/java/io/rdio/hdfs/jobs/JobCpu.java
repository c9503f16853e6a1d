// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * User and system time that a job took, in seconds, by whom.
 *
 * @param seconds by the names of who used them, in the order of a report
 */
record JobCpu(Map<String, Double> seconds) {
  JobCpu minus(JobCpu before) {
    Map<String, Double> difference = new LinkedHashMap<>(seconds);
    before.seconds.forEach((who, used) -> difference.merge(who, -used, Double::sum));
    return new JobCpu(difference);
  }

  private double total() {
    return seconds.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** A table for whoever reads the test's report; both have the same names. */
  static String report(String job, JobCpu byRdio, JobCpu byStock) {
    StringBuilder text = new StringBuilder("CPU seconds of ").append(job).append('\n');
    text.append(row("", "stock", "RDIO", "RDIO/stock"));
    byStock.seconds.forEach((who, used) -> text.append(row(who, used, byRdio.seconds.get(who))));
    return text.append(row("total", byStock.total(), byRdio.total())).toString();
  }

  private static String row(String who, double stock, double rdio) {
    String share = stock == 0 ? "-" : String.format(Locale.ROOT, "%.0f %%", 100 * rdio / stock);
    return row(
        who,
        String.format(Locale.ROOT, "%.2f", stock),
        String.format(Locale.ROOT, "%.2f", rdio),
        share);
  }

  private static String row(String who, String stock, String rdio, String share) {
    return String.format("  %-16s %8s %8s %11s%n", who, stock, rdio, share);
  }
}
