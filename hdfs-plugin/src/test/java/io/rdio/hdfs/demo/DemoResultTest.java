// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.rdio.hdfs.demo.ReadPass.Side;
import io.rdio.hdfs.demo.ReadPass.Way;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.util.JsonSerialization;
import org.junit.jupiter.api.Test;

class DemoResultTest {
  private static final long BYTES = 500_000_000;

  private static ReadPass pass(Way way, Side side, String sha256, long rdioBytes) {
    return new ReadPass(
        way,
        side,
        BYTES,
        sha256,
        way == Way.OPEN ? 0.5 : 4,
        0.25,
        1000,
        new ReadReport(
            1.5,
            rdioBytes,
            side == Side.AGENT ? rdioBytes : 0,
            side == Side.RDIO ? Map.of("LEASE_EXPIRED", 3L) : Map.of()));
  }

  private static DemoResult result(String sha256OfLast, long rdioBytesOfLast) {
    return new DemoResult(
        "good",
        List.of(
            pass(Way.OPEN, Side.STOCK, "good", 0),
            pass(Way.CAT, Side.STOCK, "good", 0),
            pass(Way.OPEN, Side.AGENT, "good", BYTES),
            pass(Way.CAT, Side.AGENT, "good", BYTES),
            pass(Way.OPEN, Side.RDIO, "good", BYTES),
            pass(Way.CAT, Side.RDIO, sha256OfLast, rdioBytesOfLast)));
  }

  @Test
  void jsonHasOneObjectForEachSide() throws IOException {
    Map<?, ?> json =
        new JsonSerialization<>(Map.class, true, false).fromJson(result("good", BYTES / 2).json());

    assertThat(json.keySet())
        .map(String::valueOf)
        .containsExactly("stock", "rdio", "agent", "sha256_ok");
    assertThat(json.get("sha256_ok")).isEqualTo(true);
    Map<?, ?> rdio = (Map<?, ?>) json.get("rdio");
    assertThat(rdio).isNotNull();
    assertThat(rdio.keySet())
        .map(String::valueOf)
        .containsExactly(
            "mbps",
            "bytes_total",
            "bytes_rdio",
            "bytes_agent",
            "client_cpu_s_per_gb",
            "datanode_cpu_s_per_gb",
            "loopback_bytes_per_byte",
            "fallbacks");
    assertThat(rdio.get("mbps")).as("of FileSystem.open alone").isEqualTo(1000.0);
    assertThat(rdio.get("bytes_total")).isEqualTo(1_000_000_000);
    assertThat(rdio.get("bytes_rdio")).isEqualTo(750_000_000);
    assertThat(rdio.get("bytes_agent")).isEqualTo(0);
    assertThat(rdio.get("client_cpu_s_per_gb")).isEqualTo(3.0);
    assertThat(rdio.get("datanode_cpu_s_per_gb")).isEqualTo(0.5);
    assertThat(rdio.get("loopback_bytes_per_byte")).isEqualTo(2e-6);
    assertThat(rdio.get("fallbacks")).isEqualTo(Map.of("LEASE_EXPIRED", 6));
  }

  @Test
  void oneWrongPassIsWrong() {
    assertThat(result("good", BYTES).sha256Ok()).isTrue();
    assertThat(result("bad", BYTES).sha256Ok()).isFalse();
  }

  @Test
  void eachSideHasItsOwnShare() {
    assertThat(result("good", BYTES).rdioShare()).isEqualTo(1.0);
    assertThat(result("good", 0).rdioShare()).isCloseTo(0.5, within(1e-9));
    assertThat(result("good", 0).agentShare()).isEqualTo(1.0);
  }

  @Test
  void whatTheAgentsClientsReadFromTheDeviceThemselvesIsNotTheAgents() {
    ReadReport direct = new ReadReport(1.5, BYTES, BYTES / 4, Map.of());
    ReadPass pass = new ReadPass(Way.OPEN, Side.AGENT, BYTES, "good", 0.5, 0.25, 1000, direct);
    assertThat(new DemoResult("good", List.of(pass)).agentShare()).isCloseTo(0.25, within(1e-9));
  }

  @Test
  void tableNamesThePathThatWasUsed() {
    assertThat(result("good", BYTES - 1).table())
        .containsPattern("stock FileSystem.open +DataNode +1000 ")
        .containsPattern("rdio +FileSystem.open +device 100% ")
        .containsPattern("agent +FileSystem.open +agent 100% ")
        .as("not rounded up")
        .containsPattern("rdio +hdfs dfs -cat +device 99% .*LEASE_EXPIRED=3");
  }
}
