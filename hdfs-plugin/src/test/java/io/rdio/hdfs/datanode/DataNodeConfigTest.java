// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdio.core.fence.ReservationType;
import io.rdio.datanode.allocate.WriteConfig;
import io.rdio.datanode.grant.GrantConfig;
import io.rdio.datanode.server.MetadataServerLimits;
import java.net.InetAddress;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DataNodeConfigTest {
  private static Configuration conf(String... keysAndValues) {
    Configuration conf = new Configuration(false);
    for (int i = 0; i < keysAndValues.length; i += 2) {
      conf.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    return conf;
  }

  @Test
  void defaults() {
    DataNodeConfig config = DataNodeConfig.of(conf());

    assertThat(config.address().getPort()).isEqualTo(9860);
    assertThat(config.server().limits()).isEqualTo(MetadataServerLimits.of(256));
    assertThat(config.sweepMillis()).isEqualTo(1000);
    assertThat(config.appendWaitMillis()).isEqualTo(500);
    assertThat(config.allowUnencrypted()).isFalse();
    assertThat(config.grants()).usingRecursiveComparison().isEqualTo(GrantConfig.builder().build());
    assertThat(config.fence()).isEqualTo(DataNodeConfig.Fence.OFF);
    assertThat(config.writes()).isNull();
  }

  @Test
  void fenceAsItIsSet() {
    assertThat(DataNodeConfig.of(conf("dfs.datanode.rdio.fence", "required")).fence())
        .isEqualTo(DataNodeConfig.Fence.REQUIRED);
  }

  /** Agents could not be shut out otherwise; what was reserved for one host would shut them out. */
  @ParameterizedTest
  @CsvSource({
    "off, off, OFF, WRITE_EXCLUSIVE",
    "auto, off, AUTO, WRITE_EXCLUSIVE",
    "off, on, OFF, WRITE_EXCLUSIVE_ALL_REGISTRANTS",
    "auto, on, AUTO, WRITE_EXCLUSIVE_ALL_REGISTRANTS",
    "off, fenced, AUTO, WRITE_EXCLUSIVE_ALL_REGISTRANTS",
    "required, fenced, REQUIRED, WRITE_EXCLUSIVE_ALL_REGISTRANTS"
  })
  void devicesAreReservedAsWritesNeedIt(
      String fence, String write, DataNodeConfig.Fence reserved, ReservationType type) {
    DataNodeConfig config =
        DataNodeConfig.of(conf("dfs.datanode.rdio.fence", fence, "dfs.datanode.rdio.write", write));

    assertThat(config.fence()).isEqualTo(reserved);
    assertThat(config.reservationType()).isEqualTo(type);
  }

  @Test
  void writesHaveTheDefaultsOfTheirRoom() {
    assertThat(DataNodeConfig.of(conf("dfs.datanode.rdio.write", "on")).writes())
        .usingRecursiveComparison()
        .isEqualTo(WriteConfig.builder().build());
  }

  @Test
  void writesAsTheyAreSet() {
    WriteConfig writes =
        DataNodeConfig.of(
                conf(
                    "dfs.datanode.rdio.write", "fenced",
                    "dfs.datanode.rdio.write.lease.duration", "1m",
                    "dfs.datanode.rdio.write.io.time.max", "90s",
                    "dfs.datanode.rdio.write.pool.size", "2g",
                    "dfs.datanode.rdio.write.verify", "all",
                    "dfs.datanode.rdio.write.recycle", "true",
                    "dfs.blocksize", "2g"))
            .writes();

    assertThat(writes.fencing()).isEqualTo(WriteConfig.Fencing.DEMANDED);
    assertThat(writes.verify()).isEqualTo(WriteConfig.Verify.ALL);
    assertThat(writes.quarantineMillis()).isEqualTo(150_000);
    assertThat(writes.poolBytes()).isEqualTo(2L << 30);
    assertThat(writes.blockBytes()).isEqualTo(1L << 30);
    assertThat(writes.recycles()).isTrue();
  }

  @Test
  void suffixes() {
    DataNodeConfig config =
        DataNodeConfig.of(
            conf(
                "dfs.datanode.rdio.lease.duration", "2m",
                "dfs.datanode.rdio.recall.check.interval", "250ms",
                "dfs.datanode.rdio.pinned.deleted.bytes.max", "1t"));

    assertThat(config.grants().leaseMillis()).isEqualTo(120_000);
    assertThat(config.sweepMillis()).isEqualTo(250);
    assertThat(config.grants().pinnedDeletedBytesPerVolume()).isEqualTo(1L << 40);
  }

  @ParameterizedTest
  @CsvSource({
    "'', 10.1.2.3, false",
    "10.1.2.3, 10.1.2.3, true",
    "'10.9.0.1, 10.1.0.0/16', 10.1.2.3, true",
    "10.2.0.0/16, 10.1.2.3, false",
    "*, 10.1.2.3, true"
  })
  void hostsThatMayListLeases(String from, String address, boolean may) throws Exception {
    DataNodeConfig config = DataNodeConfig.of(conf("dfs.datanode.rdio.list.leases.from", from));

    assertThat(config.server().mayListLeases().test(InetAddress.getByName(address))).isEqualTo(may);
  }

  @ParameterizedTest
  @CsvSource({
    "address, nowhere.invalid:1",
    "address, 0.0.0.0",
    "lease.duration, 10ms",
    "lease.duration, 2d",
    "lease.duration, soon",
    "io.time.max, -1s",
    "io.time.max, 999ms",
    "pins.max, 0",
    "pins.max, many",
    "pinned.deleted.bytes.max, 0",
    "pinned.deleted.bytes.max, 1q",
    "leases.per.address.max, -1",
    "pinned.bytes.per.address.max, 0",
    "leases.max, 0",
    "leases.memory.max, much",
    "connections.per.address.max, 0",
    "connections.max, 0",
    "recall.streams.max, 0",
    "grants.waiting.max, 0",
    "calls.queued.max, none",
    "resets.per.connection.max, -1",
    "list.leases.from, 10.0.0.0/99",
    "grant.batch.max, 0",
    "recall.check.interval, 1ms",
    "append.wait, -1ms",
    "append.wait, 11s",
    "write, yes",
    "write.lease.duration, 999ms",
    "write.io.time.max, 2d",
    "write.pool.size, 1k",
    "write.verify, none"
  })
  void wrongValueIsNamedWithItsKey(String key, String value) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DataNodeConfig.of(conf("dfs.datanode.rdio." + key, value)))
        .withMessageContaining("dfs.datanode.rdio." + key)
        .withMessageContaining("'" + value + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "dfs.encrypt.data.transfer, true, true",
    "dfs.encrypt.data.transfer, false, false",
    "dfs.data.transfer.protection, 'integrity,Privacy', true",
    "dfs.data.transfer.protection, integrity, false",
    "hadoop.rpc.protection, privacy, true",
    "hadoop.rpc.protection, authentication, false"
  })
  void encryptionIsAskedForByAnyOfItsKeys(String key, String value, boolean asked) {
    String found = TransferEncryption.askedFor(conf(key, value));

    assertThat(found != null).isEqualTo(asked);
    assertThat(asked ? found : key).startsWith(key);
  }
}
