// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has to make room on a volume with as many pins as it may have. */
final class FairPinsTest {
  private static final int PLACES = 4;

  @TempDir Path root;
  private GrantFixture fixture;
  private int lastBlock;

  @BeforeEach
  void start() {
    fixture = new GrantFixture(root);
    fixture.start(GrantConfig.builder().pinsPerVolume(PLACES).batchMax(16).build());
  }

  private BlockKey block() {
    return fixture.hdfs.write(++lastBlock, 100);
  }

  private long lease(String client) {
    return fixture.lease(client, block());
  }

  private GrantResult speculative(String client, BlockKey block) {
    BlockAsk ask = new BlockAsk(new TokenedBlock(block, FakeHdfs.TOKEN), "", true);
    return fixture.service.grant(GrantFixture.holder(client), List.of(ask), () -> false).get(0);
  }

  private long speculativeLease(String client) {
    return ((GrantResult.Granted) speculative(client, block())).leaseId();
  }

  private void refused(String client, BlockKey block) {
    assertThat(fixture.refusal(client, block)).isEqualTo(FallbackReason.PIN_LIMIT);
  }

  @Test
  void renewedPinStaysAndTheOneLeftAloneIsRecalled() {
    long renewed = lease("a");
    long idle = lease("a");
    lease("a");
    lease("a");
    List<Long> recalled = fixture.recallsOf("a");
    fixture.renew("a", renewed);

    refused("b", block());

    assertThat(recalled).containsExactly(idle);
  }

  @Test
  void blockThatIsAskedForAgainAndAgainHasOnePinRecalled() {
    for (int i = 0; i < PLACES; i++) {
      lease("a");
    }
    List<Long> recalled = fixture.recallsOf("a");
    BlockKey wanted = block();

    for (int i = 0; i < 10; i++) {
      refused("b", wanted);
    }

    assertThat(recalled).hasSize(1);
  }

  @Test
  void placeOfARecalledPinIsForTheAskerAndForNobodyElse() {
    for (int i = 0; i < PLACES; i++) {
      lease("a");
    }
    List<Long> recalled = fixture.recallsOf("a");
    BlockKey wanted = block();
    refused("b", wanted);
    fixture.giveBack("a", recalled.get(0));

    refused("a", block());
    assertThat(fixture.lease("b", wanted)).isNotZero();
    assertThat(fixture.service.volumes().get(0).pins()).isEqualTo(PLACES);
  }

  @Test
  void placeThatNobodyCameForIsFreeAgain() {
    List<Long> leases = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      leases.add(lease("a"));
    }
    List<Long> recalled = fixture.recallsOf("a");
    refused("b", block());
    fixture.giveBack("a", recalled.get(0));
    assertThat(recalled).hasSize(1);

    for (int i = 0; i < 6; i++) {
      fixture.pass(30_000);
      leases.forEach(lease -> fixture.renew("a", lease));
    }
    assertThat(fixture.lease("a", block())).isNotZero();
    assertThat(fixture.service.volumes().get(0).pins()).isEqualTo(PLACES);
  }

  @Test
  void thirdAddressGetsItsThirdFromTwoThatHoldAllPlaces() {
    fixture.start(GrantConfig.builder().pinsPerVolume(6).batchMax(16).build());
    for (int i = 0; i < 3; i++) {
      lease("a");
      lease("b");
    }
    List<Long> fromA = fixture.recallsOf("a");
    List<Long> fromB = fixture.recallsOf("b");

    for (int i = 0; i < 20; i++) {
      refused("c", block());
    }

    assertThat(fromA.size() + fromB.size()).as("c has two of six now").isEqualTo(2);
    assertThat(fromA).hasSize(1);
    assertThat(fromB).hasSize(1);
  }

  @Test
  void addressMakesRoomAmongItsOwnWhenNobodyHasMore() {
    lease("a");
    lease("a");
    long idle = lease("b");
    lease("b");
    List<Long> fromA = fixture.recallsOf("a");
    List<Long> fromB = fixture.recallsOf("b");

    refused("b", block());

    assertThat(fromA).isEmpty();
    assertThat(fromB).containsExactly(idle);
  }

  @Test
  void scanDoesNotHaveAllPinsOfItsAddressRecalledBeforeItGetsAPlace() {
    fixture.start(GrantConfig.builder().pinsPerVolume(64).batchMax(16).build());
    for (int i = 0; i < 64; i++) {
      lease("a");
    }
    List<Long> recalled = fixture.recallsOf("a");

    for (int i = 0; i < 200; i++) {
      refused("a", block());
    }

    assertThat(recalled).hasSize(64 / 16);
  }

  @Test
  void speculativePinGoesBeforeTheLeastRecentlyUsedOne() {
    lease("a");
    lease("a");
    long prefetched = speculativeLease("b");
    lease("a");
    List<Long> fromA = fixture.recallsOf("a");
    List<Long> fromB = fixture.recallsOf("b");

    refused("a", block());

    assertThat(fromA).isEmpty();
    assertThat(fromB).containsExactly(prefetched);
  }

  @Test
  void speculativePinThatIsRenewedIsAnOrdinaryOne() {
    long oldest = lease("a");
    lease("a");
    lease("a");
    long prefetched = speculativeLease("a");
    fixture.renew("a", prefetched);
    List<Long> recalled = fixture.recallsOf("a");

    refused("b", block());

    assertThat(recalled).containsExactly(oldest);
  }

  @Test
  void speculativePinThatIsGrantedToAReaderIsAnOrdinaryOne() {
    long oldest = lease("a");
    lease("a");
    lease("a");
    BlockKey prefetched = block();
    speculative("a", prefetched);
    fixture.lease("c", prefetched);
    List<Long> recalled = fixture.recallsOf("a");

    refused("b", block());

    assertThat(recalled).containsExactly(oldest);
  }

  @Test
  void speculativeAskRecallsNothing() {
    for (int i = 0; i < PLACES; i++) {
      lease("a");
    }
    List<Long> recalled = fixture.recallsOf("a");

    assertThat(speculative("b", block())).isInstanceOf(GrantResult.Refused.class);

    assertThat(recalled).isEmpty();
  }

  @Test
  void speculativeAskDoesNotTakeThePlaceThatItsAddressWasPromisedForAReader() {
    for (int i = 0; i < PLACES; i++) {
      lease("a");
    }
    List<Long> recalled = fixture.recallsOf("a");
    BlockKey wanted = block();
    refused("b", wanted);
    fixture.giveBack("a", recalled.get(0));

    assertThat(speculative("b", block())).isInstanceOf(GrantResult.Refused.class);
    assertThat(fixture.lease("b", wanted)).isNotZero();
  }

  @Test
  void pinIsChargedToTheAddressOfItsOldestLease() {
    fixture.start(GrantConfig.builder().pinsPerVolume(5).batchMax(16).build());
    BlockKey shared = block();
    long first = fixture.lease("a", shared);
    fixture.lease("z", shared);
    for (int i = 0; i < 2; i++) {
      lease("c");
      lease("z");
    }
    fixture.giveBack("a", first);
    List<Long> fromC = fixture.recallsOf("c");
    List<Long> fromZ = fixture.recallsOf("z");

    refused("d", block());

    assertThat(fromC).isEmpty();
    assertThat(fromZ).as("z has three of five now").hasSize(1);
  }
}
