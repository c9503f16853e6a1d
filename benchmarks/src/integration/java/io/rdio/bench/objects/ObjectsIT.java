// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.objects;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.BenchProcess;
import io.rdio.core.testing.Requirements;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole of {@code bench objects}, as bin/rdio runs it, on little data. */
@Tag("loop")
class ObjectsIT {
  private static final long FILE_BYTES = 4096;
  private static final int FILES = 4;

  /** By grants, which PapersIT has too, and by the device alone. */
  static List<String> planes() {
    return Boolean.getBoolean("rdio.test.all") ? List.of("grpc", "device") : List.of("device");
  }

  @ParameterizedTest
  @MethodSource("planes")
  void readsFilesThatAreNewAndTheSameAgain(String plane, @TempDir Path folder) throws Exception {
    Requirements.requireLoop("ext4");
    Path json = folder.resolve("figures.json");
    String output =
        BenchProcess.run(
            folder.resolve("log"),
            folder,
            Map.of(),
            ("objects --sizes 4k --files 4 --rounds 1 --metadata-plane "
                    + plane
                    + " --json "
                    + json)
                .split(" ", -1));
    assertThat(output)
        .contains("files of 4 KiB, never opened before", "files of 4 KiB, maps cached");

    JsonNode figures = new ObjectMapper().readTree(json.toFile());
    assertThat(figures.at("/not_as_it_should_be")).isEmpty();
    for (int point = 0; point < 2; point++) {
      assertThat(figures.at("/points/" + point + "/maps_cached").asBoolean()).isEqualTo(point == 1);
      JsonNode round = figures.at("/points/" + point + "/ways/rdio/rounds/0");
      assertThat(round.at("/bytes").asLong()).isEqualTo(FILES * FILE_BYTES);
      assertThat(round.at("/bytes_by_this_way")).isEqualTo(round.at("/bytes"));
      JsonNode ways = figures.at("/points/" + point + "/ways");
      assertThat(ways.at("/stock/phases_us/read/median").asDouble()).isPositive();
      assertThat(ways.at("/rdio/phases_us/open/median").asDouble()).isPositive();
      assertThat(ways.at("/rdio/phases_us/device/median").asDouble()).isPositive();
      assertThat(ways.at("/rdio/phases_us/map/median").asDouble() > 0)
          .as("a DataNode is asked")
          .isEqualTo(plane.equals("grpc") && point == 0);
    }
  }
}
