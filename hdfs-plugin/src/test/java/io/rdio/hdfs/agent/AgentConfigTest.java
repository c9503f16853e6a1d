// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.hdfs.RdioConfigKeys;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class AgentConfigTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void byDefaultItListensAtItsSocketOnly() {
    AgentConfig config = AgentConfig.of(conf);
    assertThat(config.socket()).isEqualTo(Path.of("/run/rdio/agent.sock"));
    assertThat(config.metrics()).isNull();
    assertThat(config.limits().openPerProcess()).isEqualTo(4096);
    assertThat(config.limits().segmentBytesPerUser()).isEqualTo(1L << 30);
    assertThat(config.limits().idle()).isEqualTo(Duration.ofMinutes(1));
    assertThat(config.limits().writes().all()).isEqualTo(256);
  }

  @Test
  void figuresAreShownWhereAKeySays() {
    conf.set(RdioConfigKeys.AGENT_METRICS_ADDRESS.name(), "127.0.0.1:9861");
    assertThat(AgentConfig.of(conf).metrics()).hasToString("/127.0.0.1:9861");
  }

  @Test
  void mapsCanBeHadWithoutDataNodesWhereThePlaneIsNotTheirsAlone() {
    assertThat(AgentConfig.of(conf).pastDataNodes()).isFalse();
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE.name(), "auto");
    assertThat(AgentConfig.of(conf).pastDataNodes()).isTrue();
  }

  @Test
  void wrongValueIsNamedWithItsKey() {
    conf.set(RdioConfigKeys.AGENT_METRICS_ADDRESS.name(), "somewhere");
    assertThatThrownBy(() -> AgentConfig.of(conf))
        .hasMessageContaining("dfs.rdio.agent.metrics.address is 'somewhere'");
    conf.unset(RdioConfigKeys.AGENT_METRICS_ADDRESS.name());
    conf.set(RdioConfigKeys.AGENT_LANES_MAX.name(), "0");
    assertThatThrownBy(() -> AgentConfig.of(conf))
        .hasMessageContaining("dfs.rdio.agent.lanes.max is '0'");
  }
}
