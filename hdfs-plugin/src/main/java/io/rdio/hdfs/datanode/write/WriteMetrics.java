// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode.write;

import io.rdio.core.FallbackReason;
import io.rdio.datanode.allocate.SlotStatus;
import io.rdio.datanode.allocate.WriteCounters;
import io.rdio.datanode.allocate.WriteRoom;
import java.util.List;
import java.util.function.ToLongFunction;
import org.apache.hadoop.metrics2.MetricsInfo;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.lib.Interns;

/** Remote writes in the DataNode's metrics: slots by state, what was done, what was refused. */
final class WriteMetrics {
  private final WriteRoom room;

  WriteMetrics(WriteRoom room) {
    this.room = room;
  }

  void addTo(MetricsRecordBuilder record) {
    addHeld(record, room.volumes());
    addDone(record, room.counters());
  }

  private static void addHeld(MetricsRecordBuilder record, List<SlotStatus> volumes) {
    record
        .addGauge(
            info("SlotsFree", "Slots that agents may be lent"), sum(volumes, SlotStatus::free))
        .addGauge(info("SlotsFreeBytes", "Bytes of them"), sum(volumes, SlotStatus::freeBytes))
        .addGauge(
            info("SlotsLeased", "Slots that an agent may write to, or that are being committed"),
            sum(volumes, SlotStatus::leased))
        .addGauge(
            info("SlotsQuarantined", "Slots that nobody has and late writes may still land in"),
            sum(volumes, SlotStatus::quarantined))
        .addGauge(
            info("SlotsQuarantinedBytes", "Bytes of them"),
            sum(volumes, SlotStatus::quarantinedBytes))
        .addGauge(
            info("SlotsKept", "Files of blocks that have a link by which they are slots again"),
            sum(volumes, SlotStatus::kept))
        .addGauge(
            info("CommitsUnderWay", "Blocks that are being committed"),
            sum(volumes, SlotStatus::committing))
        .addGauge(
            info("WriteVolumesServed", "Storage directories that agents can write to"),
            volumes.stream().filter(volume -> volume.refusal() == null).count())
        .addGauge(
            info("WriteVolumesRefused", "Storage directories that they cannot write to"),
            volumes.stream().filter(volume -> volume.refusal() != null).count());
  }

  private static long sum(List<SlotStatus> volumes, ToLongFunction<SlotStatus> what) {
    return volumes.stream().mapToLong(what).sum();
  }

  private static void addDone(MetricsRecordBuilder record, WriteCounters counters) {
    record
        .addCounter(info("SlotsLent", "Slots lent to agents"), counters.allocated())
        .addCounter(
            info("Commits", "Blocks that agents wrote and that are committed"),
            counters.committed())
        .addCounter(info("CommittedBytes", "Bytes of them"), counters.committedBytes())
        .addCounter(
            info("WritesAborted", "Slots that were given back without a commit"),
            counters.aborted())
        .addCounter(
            info("WritesExpired", "Slots whose lease ran out without a commit"), counters.expired())
        .addCounter(
            info("SlotsFenced", "Slots that were kept until their host could write there no more"),
            counters.fenced())
        .addCounter(info("SlotsMade", "Slots written anew for the pools"), counters.slotsMade())
        .addCounter(
            info("SlotsZeroed", "Those of them that took zeros, which crossed to the device"),
            counters.slotsZeroed())
        .addCounter(
            info("SlotsRecycled", "Files of deleted blocks taken to be slots without zeros"),
            counters.slotsRecycled())
        .addCounter(
            info("WriteFailures", "Failures that should not be, each with its trace in the log"),
            counters.failures());
    for (FallbackReason reason : FallbackReason.values()) {
      long refused = counters.refusals(reason);
      if (refused > 0) {
        record.addCounter(
            info("WriteRefused_" + reason, "Writes refused: " + reason.text()), refused);
      }
    }
  }

  private static MetricsInfo info(String name, String description) {
    return Interns.info(name, description);
  }
}
