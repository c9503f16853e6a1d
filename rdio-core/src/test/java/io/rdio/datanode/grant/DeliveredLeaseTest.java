// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.block.BlockKey;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.volume.ExtentMapper;
import io.rdio.datanode.volume.Leftovers;
import io.rdio.datanode.volume.PinDirectory;
import io.rdio.datanode.volume.Storage;
import io.rdio.datanode.volume.VolumeAccess;
import io.rdio.datanode.volume.VolumeOpener;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lease that a request was told of is its own, whatever comes of the telling. */
final class DeliveredLeaseTest {
  private static final Holder HOLDER = GrantFixture.holder("a");
  private static final MonotonicClock CLOCK = () -> 0;
  private static final ExtentMapper MAPPER =
      (file, length) -> ExtentList.of(new long[] {4096}, new long[] {4096});

  @TempDir Path root;
  private final GrantCounters counters = new GrantCounters();
  private final LeaseTable table = new LeaseTable(GrantFixture.CONFIG, CLOCK);
  private BlockKey block;
  private Volume volume;
  private Pinner pinner;

  @BeforeEach
  void start() {
    FakeHdfs hdfs = new FakeHdfs(root);
    block = hdfs.write(1, 100);
    Storage storage = hdfs.storages().get(0);
    PinDirectory directory = new PinDirectory(root, 1_000);
    Leftovers leftovers = new Leftovers(counters);
    VolumeOpener opener =
        new VolumeOpener(storage, directory, leftovers, path -> GrantFixture.DEVICE, MAPPER, CLOCK);
    VolumeAccess access = new VolumeAccess(root, opener, CLOCK);
    volume = new Volume(storage, directory, leftovers, access, new SameThread(), counters);
    Unpinner unpinner = new Unpinner(1, table, CLOCK, counters);
    Recalls recalls = new Recalls(table, counters);
    Admission admission = new Admission(hdfs, table, recalls, unpinner, counters);
    pinner = new Pinner(hdfs, MAPPER, table, recalls, admission, unpinner, counters);
  }

  private Claim claim(CompletableFuture<GrantResult> answer) {
    return new Claim(new Demand(HOLDER, block, false), () -> false, answer);
  }

  @Test
  void errorBehindTheAnswerTakesNoLeaseBack() {
    CompletableFuture<GrantResult> answer =
        new CompletableFuture<>() {
          @Override
          public boolean complete(GrantResult result) {
            super.complete(result);
            throw new StackOverflowError("thrown by the test");
          }
        };
    Claim claim = claim(answer);
    assertThat(pinner.enter(claim)).isNull();

    pinner.pin(volume, List.of(claim));

    assertThat(answer.join()).isInstanceOf(GrantResult.Granted.class);
    long lease = ((GrantResult.Granted) answer.join()).leaseId();
    assertThat(table.renew("a", new long[] {lease})[0]).isPositive();
    assertThat(table.pin(block)).isNotNull();
    assertThat(pinner.enter(claim(new CompletableFuture<>()))).as("nobody bars it").isNull();
    assertThat(counters.failures()).isPositive();
  }
}
