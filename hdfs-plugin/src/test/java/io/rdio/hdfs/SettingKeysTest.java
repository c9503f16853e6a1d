// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where RDIO runs in Hadoop, its messages name configuration keys. */
final class SettingKeysTest {
  @ParameterizedTest
  @EnumSource
  void settingIsNamedByItsKey(Setting setting) {
    assertThat(setting.toString())
        .isEqualTo(new SettingKeys().nameOf(setting))
        .matches("[a-zA-Z.]+");
  }

  @Test
  void fixesNameKeys() {
    assertThat(FallbackReason.DISABLED.fix()).isEqualTo("set dfs.client.rdio.enabled to true");
    assertThat(FallbackReason.LOCATION_UNKNOWN.fix())
        .isEqualTo(
            "check that fs.defaultFS or dfs.nameservices names this NameNode, or set"
                + " dfs.client.failover.proxy.provider.<host> to RDIO's recording provider");
    assertThat(FallbackReason.LEASE_LIMIT.fix())
        .isEqualTo(
            "raise dfs.datanode.rdio.leases.per.address.max,"
                + " dfs.datanode.rdio.pinned.bytes.per.address.max, dfs.datanode.rdio.leases.max or"
                + " dfs.datanode.rdio.leases.memory.max; see the detail");
  }
}
