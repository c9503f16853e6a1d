// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.hdfs.it.Counts;
import io.rdio.hdfs.it.RdioClient;
import io.rdio.hdfs.it.ReadMode;
import io.rdio.hdfs.it.ReadOnce;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.io.erasurecode.CountedDecoding;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Erasure-coded files are read as they are, without decoding, however many of their DataNodes are
 * dead: where stock HDFS decodes, and beyond the parity where it fails.
 */
@Tag("loop")
class DeadStripesIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @BeforeEach
  void requireLoop() throws IOException {
    Requirements.requireLoop("ext4");
  }

  private static long mapsByDevice() {
    return RdioClientContext.counters().mapsByDevice.sum();
  }

  private static List<String> policies() {
    return Boolean.getBoolean("rdio.test.all")
        ? List.of("RS-3-2-1024k", "RS-6-3-1024k")
        : List.of("RS-3-2-1024k"); // a minute; the other one takes two
  }

  /** The NameNode goes on listing the dead for ten minutes; once it starts anew, it lists none. */
  @ParameterizedTest
  @MethodSource("policies")
  void dataNodesMayBeDeadAndThenForgotten(String policy) throws Exception {
    try (Stripes stripes = new Stripes(policy);
        RdioClient direct = stripes.client(ReadMode.DIRECT);
        RdioClient byAgent = stripes.client(ReadMode.BY_AGENT)) {
      for (RdioClient warm : List.of(direct, byAgent)) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> stripes.assertReadAsIs(warm));
      }
      int parity = stripes.policy.getNumParityUnits();
      for (int dead : new int[] {1, parity, parity + 1, stripes.size()}) {
        stripes.killUntil(dead);
        if (dead <= parity) {
          assertThat(stripes.decodedByStock()).as("%d dead", dead).isPositive();
        } else {
          assertStockFails(stripes);
        }
        assertReadWhileLeasesRunOut(stripes, direct, byAgent);
        assertReadCold(stripes, stripes.deadDataBlocks());
      }
      assertReadByDefault(stripes);
      assertFlipsAreDecoded(stripes);

      stripes.restartNameNode();
      Awaitility.await("connections of before are noticed to have ended")
          .atMost(PATIENCE)
          .ignoreExceptionsInstanceOf(IOException.class)
          .until(stripes::areDropped);
      for (RdioClient warm : List.of(direct, byAgent)) {
        stripes.assertReadAsIs(warm);
      }
      assertReadCold(stripes, stripes.dataBlocks());
      assertFlipsAreDecoded(stripes);
      assertFirstThatIsBackIsAsked(stripes);
      assertFlipIsReported(stripes);
    }
  }

  private static void assertReadWhileLeasesRunOut(
      Stripes stripes, RdioClient direct, RdioClient byAgent) throws Exception {
    long before = mapsByDevice();
    for (RdioClient warm : List.of(direct, byAgent)) {
      stripes.assertReadAsIs(warm);
    }
    Awaitility.await("leases run out")
        .atMost(PATIENCE)
        .until(
            () -> {
              stripes.assertReadAsIs(direct); // each time: no read may fall between
              stripes.assertReadAsIs(byAgent);
              return mapsByDevice() > before;
            });
  }

  /** Other blocks of the group are on their devices, as parity is; unless too many are corrupt. */
  private static void assertFlipsAreDecoded(Stripes stripes) throws Exception {
    stripes.withFlips(1, () -> assertReadDecoding(stripes));
    stripes.withFlips(
        stripes.policy.getNumParityUnits() + 1,
        () -> {
          for (ReadMode mode : ReadMode.values()) {
            try (RdioClient cold = stripes.client(mode)) {
              assertThatThrownBy(() -> cold.read(stripes.file))
                  .as("%s", mode)
                  .isInstanceOf(IOException.class);
            }
          }
        });
  }

  private static void assertReadDecoding(Stripes stripes) throws IOException {
    for (ReadMode mode : ReadMode.values()) {
      long mismatches = RdioClientContext.counters().checksumMismatches.sum();
      try (RdioClient cold = stripes.client(mode)) {
        stripes.assertReadDecoding(cold);
      }
      assertThat(RdioClientContext.counters().checksumMismatches.sum())
          .as("found by RDIO, %s", mode)
          .isGreaterThan(mismatches);
    }
  }

  /** All others are dead still. */
  private static void assertFirstThatIsBackIsAsked(Stripes stripes) throws IOException {
    stripes.startFirstAgain();
    for (ReadMode mode : ReadMode.values()) {
      Awaitility.await("its maps are leases again")
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                int listed = stripes.listedDataBlocks();
                assertThat(listed).isPositive();
                long before = mapsByDevice();
                try (RdioClient later = stripes.client(mode)) {
                  stripes.assertReadAsIs(later);
                }
                assertThat(mapsByDevice() - before).isEqualTo(stripes.dataBlocks() - listed);
              });
    }
  }

  /** So that the NameNode lists one block of the group, a corrupt one, and calls all corrupt. */
  private static void assertFlipIsReported(Stripes stripes) throws Exception {
    stripes.withFlips(
        1,
        () -> {
          Awaitility.await("the NameNode hears of it")
              .atMost(PATIENCE)
              .until(
                  () -> {
                    assertReadDecoding(stripes);
                    return stripes.isFirstGroupCorrupt();
                  });
          assertReadDecoding(stripes);
        });
  }

  /** HDFS's stream throws either, as one that failed inside is read on. */
  private static void assertStockFails(Stripes stripes) {
    assertThatThrownBy(stripes::decodedByStock)
        .isInstanceOfAny(IOException.class, NullPointerException.class);
  }

  /** Parity is for this: what is on no device. */
  private static void assertDecoded(Stripes stripes) throws IOException {
    for (ReadMode mode : ReadMode.values()) {
      long before = CountedDecoding.bytes();
      try (RdioClient cold = stripes.client(mode)) {
        cold.read(stripes.file);
      }
      assertThat(CountedDecoding.bytes()).as("decoded, %s", mode).isGreaterThan(before);
    }
  }

  /** Also where stock HDFS is to have the first bytes, and by a process that has read nothing. */
  private static void assertReadByDefault(Stripes stripes) throws Exception {
    long before = CountedDecoding.bytes();
    for (ReadMode mode : ReadMode.values()) {
      try (RdioClient client =
          stripes.client(
              mode,
              RdioConfigKeys.CLIENT_FIRST_BYTES.name(),
              RdioConfigKeys.CLIENT_FIRST_BYTES.byDefault())) {
        client.readByRdio(stripes.small); // all of it is among the first bytes
        client.read(stripes.file);
      }
    }
    assertThat(CountedDecoding.bytes()).as("bytes decoded").isEqualTo(before);
    ReadOnce.Result fresh = stripes.readByFreshProcess();
    assertThat(fresh.crc()).isEqualTo(ReadOnce.crcOf(stripes.file.bytes()));
    assertThat(fresh.rdioBytes()).isEqualTo(stripes.file.bytes().length);
  }

  /** Reads by new clients, which have as many maps by the device at least. */
  private static void assertReadCold(Stripes stripes, int blocks) throws IOException {
    for (ReadMode mode : ReadMode.values()) {
      long before = mapsByDevice();
      try (RdioClient cold = stripes.client(mode)) {
        stripes.assertReadAsIs(cold);
      }
      assertThat(mapsByDevice() - before)
          .as("maps of what the dead have, %s", mode)
          .isGreaterThanOrEqualTo(blocks);
    }
  }

  /** And when it has dropped them: it names no more than the groups. */
  @Test
  @EnabledIfSystemProperty(
      named = "rdio.test.all",
      matches = "true",
      disabledReason = "takes two minutes: bin/test --all")
  void droppedDataNodesMayBeDead() throws Exception {
    // Twelve seconds without a heartbeat, and a DataNode is dropped.
    try (Stripes stripes =
            new Stripes("RS-3-2-1024k", "dfs.namenode.heartbeat.recheck-interval", "1000");
        RdioClient direct = stripes.client(ReadMode.DIRECT);
        RdioClient byAgent = stripes.client(ReadMode.BY_AGENT)) {
      for (RdioClient warm : List.of(direct, byAgent)) {
        Awaitility.await().atMost(PATIENCE).untilAsserted(() -> stripes.assertReadAsIs(warm));
      }
      int all = stripes.dataBlocks();
      for (int dead : new int[] {1, stripes.policy.getNumParityUnits() + 1, stripes.size()}) {
        stripes.killUntil(dead);
        int lost = stripes.deadDataBlocks();
        Awaitility.await("the NameNode drops them").atMost(PATIENCE).until(stripes::areDropped);
        if (dead > stripes.policy.getNumParityUnits()) {
          assertStockFails(stripes);
        } else {
          assertThat(stripes.decodedByStock()).isPositive();
          stripes.withoutBlocksOfDead(() -> assertDecoded(stripes));
        }
        stripes.assertReadAsIs(direct);
        stripes.assertReadAsIs(byAgent);
        assertReadCold(stripes, dead == stripes.size() ? all : lost);
      }
      assertReadByDefault(stripes);
      assertBackDataNodesAreAsked(stripes);
    }
  }

  /** The NameNode signs no token for what it does not list, but one for each group. */
  @Test
  @EnabledIfSystemProperty(
      named = "rdio.test.all",
      matches = "true",
      disabledReason = "takes a minute: bin/test --all")
  void withBlockTokensTheAgentReadsWhatIsDroppedAndNobodyElse() throws Exception {
    try (Stripes stripes =
            new Stripes(
                "RS-3-2-1024k",
                "dfs.namenode.heartbeat.recheck-interval",
                "1000",
                "dfs.block.access.token.enable",
                "true");
        RdioClient warm = stripes.client(ReadMode.BY_AGENT)) {
      Awaitility.await().atMost(PATIENCE).untilAsserted(() -> stripes.assertReadAsIs(warm));
      for (int dead : new int[] {1, stripes.size()}) {
        stripes.killUntil(dead);
        Awaitility.await("the NameNode drops them").atMost(PATIENCE).until(stripes::areDropped);
        stripes.assertReadAsIs(warm);
        long before = mapsByDevice();
        try (RdioClient cold = stripes.client(ReadMode.BY_AGENT)) {
          stripes.assertReadAsIs(cold);
        }
        assertThat(mapsByDevice()).isGreaterThan(before);
      }
      assertDirectReadIsRefused(stripes);
    }
  }

  private static void assertDirectReadIsRefused(Stripes stripes) throws IOException {
    try (RdioClient direct = stripes.client(ReadMode.DIRECT)) {
      Counts counts = Counts.now();
      long bytes = counts.rdioBytes();
      assertThatThrownBy(() -> direct.read(stripes.file))
          .isInstanceOfAny(IOException.class, NullPointerException.class);
      assertThat(counts.fallbacks()).containsKey(FallbackReason.TOKEN_REFUSED);
      assertThat(counts.rdioBytes()).isEqualTo(bytes);
    }
  }

  private static void assertBackDataNodesAreAsked(Stripes stripes) throws IOException {
    stripes.startAgain();
    Awaitility.await("maps are leases again")
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              long before = mapsByDevice();
              try (RdioClient later = stripes.client(ReadMode.DIRECT)) {
                stripes.assertReadAsIs(later);
              }
              assertThat(mapsByDevice()).isEqualTo(before);
            });
  }
}
