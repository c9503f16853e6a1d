// SPDX-License-Identifier: Apache-2.0
package io.rdio.fuzz;

import io.rdio.agent.HostileProcessTarget;
import io.rdio.agent.ipc.HostileAgentTarget;
import io.rdio.client.filemap.GrantReplyTarget;
import io.rdio.client.plane.device.DeviceMetaHeaderTarget;
import io.rdio.client.plane.device.StorageVersionTarget;
import io.rdio.client.plane.fenced.XfsImageTarget;
import io.rdio.core.ext4.CollectedImagesTarget;
import io.rdio.core.ext4.HostileImageTarget;
import io.rdio.core.ext4.MountRecordTarget;
import io.rdio.core.fence.FenceRecordTarget;
import io.rdio.core.fence.ReservationReportTarget;
import io.rdio.datanode.server.RequestTarget;
import io.rdio.datanode.server.WriteMessagesTarget;
import io.rdio.datanode.volume.MetaHeaderTarget;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Checks of the fuzz tests with bytes that Jazzer makes up: it sees which branches they take, and
 * goes on from those that take new ones. Each target has a JVM of its own, one after the other.
 *
 * <p>Arguments: a folder for what is kept, seconds for each target, and a target's name or "all".
 * Ends with 0 if nothing was found, 1 if something was, 2 if there is no such target.
 */
public final class GuidedFuzzing {
  private static final String ALL = "all";

  private static final List<GuidedTarget> TARGETS =
      List.of(
          new GuidedTarget(HostileProcessTarget.class, 1000, HostileProcessTarget::seeds),
          new GuidedTarget(HostileAgentTarget.class, 1000, HostileAgentTarget::seeds),
          new GuidedTarget(GrantReplyTarget.class, 2000, GrantReplyTarget::seeds),
          new GuidedTarget(HostileImageTarget.class, 65, HostileImageTarget::seeds),
          new GuidedTarget(CollectedImagesTarget.class, 66, CollectedImagesTarget::seeds),
          new GuidedTarget(RequestTarget.class, 2000, RequestTarget::seeds),
          new GuidedTarget(WriteMessagesTarget.class, 2000, WriteMessagesTarget::seeds),
          new GuidedTarget(MetaHeaderTarget.class, 32, MetaHeaderTarget::seeds),
          new GuidedTarget(DeviceMetaHeaderTarget.class, 32, DeviceMetaHeaderTarget::seeds),
          new GuidedTarget(StorageVersionTarget.class, 1000, StorageVersionTarget::seeds),
          new GuidedTarget(MountRecordTarget.class, 4200, MountRecordTarget::seeds),
          new GuidedTarget(FenceRecordTarget.class, 4200, FenceRecordTarget::seeds),
          new GuidedTarget(ReservationReportTarget.class, 2000, ReservationReportTarget::seeds),
          new GuidedTarget(XfsImageTarget.class, 3000, XfsImageTarget::seeds));

  private GuidedFuzzing() {}

  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    int seconds = Integer.parseInt(args[1]);
    String name = args[2];
    List<GuidedTarget> chosen =
        TARGETS.stream().filter(target -> name.equals(ALL) || name.equals(target.name())).toList();
    if (chosen.isEmpty()) {
      say("there is no target " + name + ", but " + names());
      System.exit(2);
    }
    // Told last: whoever keeps only the end of a long log must see what was wrong.
    List<String> told = new ArrayList<>();
    for (GuidedTarget target : chosen) {
      GuidedRun run = new GuidedRun(target, folder.resolve(target.name()), seconds);
      List<String> findings = run.findings();
      if (!findings.isEmpty()) {
        told.add(target.name() + " FAILED:");
        told.addAll(findings);
      }
    }
    told.forEach(GuidedFuzzing::say);
    System.exit(told.isEmpty() ? 0 : 1);
  }

  private static String names() {
    return TARGETS.stream().map(GuidedTarget::name).collect(Collectors.joining(", "));
  }

  /** Prints a line that bin/test lets through. */
  static void say(String line) {
    System.out.println("guided: " + line);
  }
}
