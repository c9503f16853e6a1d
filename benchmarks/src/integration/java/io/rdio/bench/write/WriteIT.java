// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole of {@code bench write}, as bin/rdio runs it, on little data. */
@Tag("alone")
@Tag("loop")
class WriteIT {
  private static final long BYTES = 16 << 20;
  private static final double ROUNDING = 1e-6;

  /** Of CPU, in seconds: far less than a DataNode has used since its start. */
  private static final double TICKS_MAX = 0.5;

  @Test
  void measuresStreamsAndObjects(@TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Path json = folder.resolve("figures.json");
    String output =
        BenchProcess.run(
            folder.resolve("log"),
            folder,
            Map.of(),
            ("write --replication 2 --size 16m --arrays 64k --sizes 32k,1m --block-size 8m"
                    + " --pool 64m --rounds 1 --seconds 0.2 --warm-up 6 --json "
                    + json)
                .split(" ", -1));
    assertThat(output).contains("× 2, arrays of 64 KiB", "× 2, 1 MiB", "bytes on all links");

    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.at("/not_as_it_should_be")).isEmpty();
    assertThat(figures.at("/slots_made").asLong()).isPositive();
    // By passes of four files, for which a pool of 64 MiB is sure to have slots.
    for (String way : new String[] {"stock", "agent"}) {
      assertThat(figures.at("/warm_up/" + way + "/blocks").asLong()).as(way).isEqualTo(6);
      assertThat(figures.at("/warm_up/" + way + "/enough").asBoolean()).as(way).isTrue();
    }
    assertStream(figures.at("/loads/0"));
    assertThat(figures.at("/loads/1/ways/agent/rounds/0/bytes_by_this_way").asLong()).isZero();
    JsonNode objects = figures.at("/loads/2/ways/agent/rounds/0");
    assertThat(objects.at("/bytes").asLong()).isPositive();
    assertThat(objects.at("/bytes_by_this_way")).isEqualTo(objects.at("/bytes"));
    JsonNode ways = figures.at("/loads/2/ways");
    for (String phase : new String[] {"create", "write", "close"}) {
      assertThat(ways.at("/stock/phases_us/" + phase + "/median").asDouble()).isPositive();
    }
    for (String phase : new String[] {"create", "allocate", "hand over", "commit"}) {
      assertThat(ways.at("/agent/phases_us/" + phase + "/median").asDouble()).isPositive();
    }
  }

  private static void assertStream(JsonNode stream) {
    assertThat(stream.at("/load").asText()).isEqualTo("stream");
    JsonNode stock = stream.at("/ways/stock/rounds/0");
    JsonNode agent = stream.at("/ways/agent/rounds/0");
    for (JsonNode round : new JsonNode[] {stock, agent}) {
      assertThat(round.at("/bytes").asLong()).isEqualTo(BYTES);
      assertThat(round.at("/bytes_by_this_way").asLong()).isEqualTo(BYTES);
      // Two replicas on two devices, and little else.
      assertThat(round.at("/device_bytes").asLong()).isBetween(2 * BYTES, 3 * BYTES);
    }
    for (String way : new String[] {"stock", "agent"}) {
      double threads = 0;
      for (JsonNode group : stream.at("/datanode_threads_cpu_s_of_rounds/" + way + "/0")) {
        threads += group.asDouble();
      }
      double all = stream.at("/ways/" + way + "/rounds/0/datanode_cpu_s").asDouble();
      // Some ticks more: each thread is asked before, or behind, its process.
      assertThat(threads).as(way).isBetween(all - ROUNDING, all + TICKS_MAX);
    }
    assertThat(stock.at("/loopback_bytes").asLong()).isGreaterThan(2 * BYTES);
    assertThat(agent.at("/loopback_bytes").asLong()).isLessThan(BYTES / 2);
    assertThat(stream.at("/slots_made_for_rounds/stock/0/bytes").asLong()).isZero();
    assertThat(stream.at("/slots_made_for_rounds/agent/0/bytes").asLong())
        .isGreaterThanOrEqualTo(2 * BYTES);
  }
}
