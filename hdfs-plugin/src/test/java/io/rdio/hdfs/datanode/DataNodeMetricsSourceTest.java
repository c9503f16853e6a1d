// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.datanode.grant.GrantFixture;
import java.nio.file.Path;
import org.apache.hadoop.metrics2.MetricsTag;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DataNodeMetricsSourceTest {
  private static final String FAILURE = "no \"x\" in C:\\y,\r\nnor\nhere";
  private static final String SHOWN = "no 'x' in C:/y, nor here";

  @TempDir Path volume;
  private final DataNodeMetricsSource source = new DataNodeMetricsSource();
  private final MetricsCollectorImpl collector = new MetricsCollectorImpl();

  /** Hadoop's page for Prometheus has tags as they are. */
  @Test
  void textOfAStartFailureHasNothingThatEndsALabel() {
    source.doesNotServe(FAILURE);
    source.getMetrics(collector, true);
    assertThat(tag("StartFailure")).isEqualTo(SHOWN);
  }

  @Test
  void textOfTheLastFailureHasNothingThatEndsALabel() {
    GrantFixture fixture = new GrantFixture(volume);
    fixture.service.counters().failed("a test", new IllegalStateException(FAILURE));
    source.put(collector, null, fixture.service, null);
    assertThat(tag("LastFailure")).startsWith("a test: ").endsWith(SHOWN);
  }

  private String tag(String name) {
    return collector.getRecords().get(0).tags().stream()
        .filter(tag -> tag.name().equals(name))
        .map(MetricsTag::value)
        .findFirst()
        .orElseThrow();
  }
}
