// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.plane.grant.Lease;
import io.rdio.client.plane.grant.ReplayedClient;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.WitnessedDevices.Shown;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.grant.ReplayedDataNode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What audits found in another server that leases out places on its disks, tried on this one. */
final class AuditedElsewhereTest {
  private static final int STEPS_OF_A_PIN = 4;

  @TempDir Path root;
  private ReplayedDataNode dataNode;
  private ReplayedClient holder;
  private ReplayedClient second;

  @BeforeEach
  void grant() throws Exception {
    dataNode = new ReplayedDataNode(root);
    holder = client("holder");
    second = client("second");
    holder.ask();
    holder.serve();
    for (int i = 0; i < STEPS_OF_A_PIN; i++) {
      holder.serveOn();
    }
    assertThat(holder.takeAnswer()).isTrue();
  }

  private ReplayedClient client(String id) {
    return new ReplayedClient(id, dataNode, Replay.Rules.ALL.margin());
  }

  @AfterEach
  void close() {
    dataNode.close();
    holder.close();
    second.close();
  }

  /** There: it granted on, and the recall never ended. */
  @Test
  void nothingIsGrantedOrRenewedWhileARecallIsPending() throws Exception {
    holder.tick();
    holder.tick();
    dataNode.delete();
    dataNode.sweep();
    assertThat(dataNode.isRecalled()).isTrue();

    second.ask();
    second.serve();
    assertThat(second.answer()).isEqualTo("REFUSED");
    assertThat(holder.askRenewal()).isTrue();
    assertThat(holder.serveRenewal()).isFalse();

    holder.takeRenewal();
    holder.letGo();
    assertThat(dataNode.isLinked()).isFalse();
    assertThat(dataNode.isFree()).isTrue();
  }

  /** There: a recall that the client had nothing for was answered as if it had been met. */
  @Test
  void recallThatMatchesNothingIsNotAnswered() {
    assertThat(holder.returnsWhatItHasNot()).isFalse();
    assertThat(holder.mayRead()).isTrue();
    assertThat(dataNode.isLinked()).isTrue();
  }

  /** There: ids of others were taken as the caller's own. */
  @Test
  void returnsAndRenewalsByOthersChangeNothing() {
    dataNode.overhear(new long[] {Lease.of(holder.map()).id()});
    dataNode.strangerMeddles(holder.id());
    assertThat(dataNode.holds(holder.id())).isEqualTo(3);
    assertThat(dataNode.isLinked()).isTrue();
  }

  /** There: a client that returned everything was still taken to hold it all. */
  @Test
  void returnOfEverythingFreesEverything(@TempDir Path other) {
    GrantFixture fixture = new GrantFixture(other);
    long[] leases = new long[3];
    for (int i = 0; i < leases.length; i++) {
      BlockKey block = fixture.hdfs.write(i + 1, 100);
      leases[i] = fixture.lease("a", block);
    }
    long incarnation = fixture.service.incarnation();
    fixture.service.giveBack("a", incarnation, new long[0]);
    assertThat(fixture.links()).hasSize(2 * leases.length);

    fixture.service.giveBack("a", incarnation, leases);
    assertThat(fixture.links()).isEmpty();
    assertThat(fixture.service.leaseCount()).isZero();

    fixture.service.giveBack("a", incarnation, leases);
    fixture.service.giveBack("a", incarnation, new long[0]);
    assertThat(fixture.service.leaseCount()).isZero();
    assertThat(fixture.service.volumes().get(0).pinnedBytes()).isZero();
  }

  /** There: a client that ignored its recall read on, with nothing in between. */
  @Test
  void bytesThatComeAfterTheLeaseRanOutAreDropped() throws Exception {
    ReplayedDisk disk = new ReplayedDisk(dataNode);
    ReplayedReader reader = new ReplayedReader();
    try (ReplayedReader.Read read =
        reader.begin(disk, false, true, holder.map(), holder.clock, new Shown())) {
      assertThat(read.isUnderWay()).isTrue();
      dataNode.delete();
      dataNode.sweep(); // whose recall never comes
      for (int i = 0; i < 5; i++) {
        holder.tick();
        dataNode.tick();
      }
      dataNode.sweep();
      assertThat(dataNode.isFree()).isTrue();
      disk.reuse();
      read.answer();
      assertThat(read.finish()).isNull();
    }
  }
}
