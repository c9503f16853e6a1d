// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rdio.bench.hdfs.ClusterOptions;
import io.rdio.bench.hdfs.Machine;
import io.rdio.bench.hdfs.Passes;
import io.rdio.bench.hdfs.Report;
import io.rdio.bench.hdfs.SamplePasses;
import io.rdio.bench.hdfs.Way;
import io.rdio.bench.objects.ObjectsBenchmark.WholeFiles;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ObjectsFindingsTest {
  private static ObjectsBenchmark benchmark(long... sizes) {
    List<Long> all = Arrays.stream(sizes).boxed().toList();
    return new ObjectsBenchmark(all, 64, 256 << 20, 1, 3, "grpc");
  }

  private static Report<WholeFiles> result() {
    Passes<WholeFiles> passes = new Passes<>();
    for (boolean again : new boolean[] {false, true}) {
      WholeFiles what = new WholeFiles(4096, again);
      passes.add(what, SamplePasses.of(Way.STOCK, 300));
      passes.add(what, SamplePasses.of(Way.RDIO, again ? 100 : 400));
    }
    Machine machine = new Machine("CPU", 2, 1L << 30, "Linux", "JVM", "2026-01-01T00:00:00Z");
    return Report.of(
        "bin/rdio bench objects", machine, new ClusterOptions(), benchmark(4096), passes);
  }

  @Test
  void mapsThatAreCachedAreAPointOfTheirOwn() throws IOException {
    assertThat(result().text())
        .containsPattern("files of 4 KiB, never opened before +rdio .* 4\\d\\d ")
        .containsPattern("files of 4 KiB, maps cached +rdio .* 1\\d\\d ");
    JsonNode json = new ObjectMapper().readTree(result().json());
    assertThat(json.at("/points/0/maps_cached").asBoolean()).isFalse();
    assertThat(json.at("/points/1/maps_cached").asBoolean()).isTrue();
    assertThat(json.at("/points/1/ways/rdio/p50_us/median").asDouble()).isBetween(99.0, 101.0);
  }

  @Test
  void largeFilesAreFewerButOneAtLeast() {
    ObjectsBenchmark benchmark = benchmark(4096, 64 << 20, 1L << 30);
    assertThat(benchmark.filesOf(4096)).isEqualTo(64);
    assertThat(benchmark.filesOf(64 << 20)).isEqualTo(4);
    assertThat(benchmark.filesOf(1L << 30)).isEqualTo(1);
    assertThat(benchmark.bytes()).isGreaterThan(4L * ((64 * 4096) + (256 << 20) + (1L << 30)));
  }

  @Test
  void refusesAnotherPlane() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ObjectsBenchmark(List.of(4096L), 1, 4096, 1, 1, "auto"))
        .withMessage("--metadata-plane auto: take grpc or device");
  }
}
