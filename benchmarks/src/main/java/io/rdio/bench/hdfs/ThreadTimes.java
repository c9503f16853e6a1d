// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.Proc;
import io.rdio.hdfs.cluster.Proc.ThreadCpu;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the threads of DataNodes have used up to some moment. Those that have ended by then are
 * lost: only the difference to what the processes used says what it was.
 *
 * @param dataNodes of each its threads, by their ids
 */
record ThreadTimes(List<Map<Long, ThreadCpu>> dataNodes) {
  /** As they are now. */
  static ThreadTimes of(Cluster cluster) throws IOException {
    List<Map<Long, ThreadCpu>> dataNodes = new ArrayList<>();
    for (int i = 0; i < cluster.dataNodes(); i++) {
      dataNodes.add(Proc.threads(cluster.dataNode(i).pid()));
    }
    return new ThreadTimes(dataNodes);
  }

  /**
   * What was used between an earlier moment and this one.
   *
   * @param processSeconds by the processes meanwhile; what no thread has of it is of such that have
   *     ended. Each thread's time is in whole ticks of 10 ms, so that it may be less by chance
   */
  CpuByGroup since(ThreadTimes before, double processSeconds) {
    Map<CpuGroup, Double> seconds = new EnumMap<>(CpuGroup.class);
    double known = 0;
    for (int i = 0; i < dataNodes.size(); i++) {
      Map<Long, ThreadCpu> earlier = before.dataNodes.get(i);
      for (Map.Entry<Long, ThreadCpu> thread : dataNodes.get(i).entrySet()) {
        double used = used(thread.getValue(), earlier.get(thread.getKey()));
        seconds.merge(CpuGroup.of(thread.getValue().name()), used, Double::sum);
        known += used;
      }
    }
    seconds.put(CpuGroup.ENDED, Math.max(0, processSeconds - known));
    return new CpuByGroup(seconds);
  }

  /** An id may have been another thread's, which had used more. */
  private static double used(ThreadCpu now, @Nullable ThreadCpu before) {
    return before == null || before.cpuSeconds() > now.cpuSeconds()
        ? now.cpuSeconds()
        : now.cpuSeconds() - before.cpuSeconds();
  }
}
