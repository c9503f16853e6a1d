// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.plane.grant.WriteSettings;
import io.rdio.client.runtime.RuntimeSettings;
import io.rdio.client.runtime.RuntimeSettings.Plane;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.hdfs.RdioConfigKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientSettingsTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void defaultsAreThoseOfTheXml() throws Exception {
    Configuration xml = new Configuration(false);
    xml.addResource("rdio-default.xml");
    assertThat(ClientSettings.of(conf)).isEqualTo(ClientSettings.of(xml));
  }

  @Test
  void suffixesOfHadoop() throws Exception {
    conf.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "500ms");
    conf.set(RdioConfigKeys.CLIENT_FILEMAP_CACHE_SIZE.name(), "2g");
    conf.set(RdioConfigKeys.CLIENT_LOCATIONS.name(), " namenode ");
    ClientSettings settings = ClientSettings.of(conf);
    assertThat(settings.rpcTimeout()).isEqualTo(Duration.ofMillis(500));
    assertThat(settings.cacheBytes()).isEqualTo(2L << 30);
    assertThat(settings.locations()).containsExactly(ClientSettings.LocationSource.NAMENODE);
  }

  @Test
  void blockDataCacheIsOffUnlessItHasMemory() throws Exception {
    assertThat(ClientSettings.of(conf).dataCacheBytes()).isZero();
    conf.set(RdioConfigKeys.CLIENT_READ_WINDOW.name(), "16k");
    assertThat(ClientSettings.of(conf).dataCacheChunk()).isEqualTo(64 << 10);
    conf.set(RdioConfigKeys.CLIENT_DATA_CACHE.name(), "1g");
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> ClientSettings.of(conf));
    assertThat(refused.detail())
        .as("chunks that no read window holds")
        .contains(RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK.name())
        .contains(RdioConfigKeys.CLIENT_READ_WINDOW.name());
    conf.set(RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK.name(), "16k");
    assertThat(ClientSettings.of(conf).dataCacheBytes()).isEqualTo(1L << 30);
    assertThat(ClientSettings.of(conf).dataCacheChunk()).isEqualTo(16 << 10);
  }

  private static WriteSettings writes(boolean trusting) {
    return new WriteSettings(
        Duration.ofMinutes(1), Duration.ofMillis(2500), trusting, Duration.ofSeconds(60));
  }

  @Test
  void onlyAnAgentWritesAndOnlyIfItMay() throws Exception {
    assertThat(ClientSettings.of(conf, true).writes()).isNull();
    conf.set(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on");
    assertThat(ClientSettings.of(conf, false).writes()).isNull();
    assertThat(ClientSettings.of(conf, true).writes()).isEqualTo(writes(false));
    conf.set(RdioConfigKeys.CLIENT_WRITE_UNPROVEN.name(), "true");
    assertThat(ClientSettings.of(conf, true).writes()).isEqualTo(writes(true));
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE.name(), "device");
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> ClientSettings.of(conf, true));
    assertThat(refused.detail())
        .contains(RdioConfigKeys.CLIENT_AGENT_WRITE.name())
        .contains(RdioConfigKeys.CLIENT_METADATA_PLANE.name());
  }

  @Test
  void writesTrustWhoShowsACertificate() throws Exception {
    conf.set(RdioConfigKeys.CLIENT_AGENT_WRITE.name(), "on");
    conf.set(RdioConfigKeys.CLIENT_TLS.mode().name(), "on");
    conf.set(RdioConfigKeys.CLIENT_TLS.trustedCertificates().name(), "/no/such.pem");
    assertThat(ClientSettings.of(conf, true).writes()).isEqualTo(writes(true));
  }

  @Test
  void devicesByUuid() throws Exception {
    String uuid = "0b8e1c1e-5c5f-4a55-9d2e-0123456789ab";
    conf.set(RdioConfigKeys.CLIENT_DEVICES.name(), uuid + "=/dev/nvme1n1");
    assertThat(ClientSettings.of(conf).devices())
        .containsExactly(java.util.Map.entry(UUID.fromString(uuid), Path.of("/dev/nvme1n1")));
  }

  @Test
  void ownersCountWhereTheDeviceMayBeAsked() throws Exception {
    assertThat(ClientSettings.of(conf).plane())
        .isEqualTo(new Plane(Plane.Source.GRPC, Set.of(), false));
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE.name(), "auto");
    assertThat(ClientSettings.of(conf).plane().source()).isEqualTo(Plane.Source.AUTO);
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE_OWNERS.name(), "4711, root");
    assertThat(ClientSettings.of(conf).plane().owners()).containsExactlyInAnyOrder(4711, 0);
    conf.set(RdioConfigKeys.CLIENT_METADATA_PLANE_OWNERS.name(), "no-such-user");
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> ClientSettings.of(conf));
    assertThat(refused.detail())
        .contains(RdioConfigKeys.CLIENT_METADATA_PLANE_OWNERS.name())
        .contains("no-such-user");
  }

  @Test
  void onlyAnAgentHasCheckedTokens() throws Exception {
    assertThat(ClientSettings.of(conf).plane().tokensChecked()).isFalse();
    ClientSettings agent = ClientSettings.of(conf, true);
    assertThat(agent.plane().tokensChecked()).isTrue();
    assertThat(agent).isNotEqualTo(ClientSettings.of(conf));
  }

  @Test
  void storageAgentsByHostAndPort() throws Exception {
    assertThat(ClientSettings.of(conf).storageAgents()).isEmpty();
    conf.set(
        RdioConfigKeys.CLIENT_DATA_CACHE_STORAGE_AGENTS.name(),
        "storage1.example:7070, [::1]:7071,10.0.0.1:65535 , storage1.example:7070");
    assertThat(ClientSettings.of(conf).storageAgents())
        .containsExactly("storage1.example:7070", "[::1]:7071", "10.0.0.1:65535");
  }

  @Test
  void flashTierByPathWithinItsBounds() throws Exception {
    String size = RdioConfigKeys.CLIENT_DATA_CACHE_FLASH_SIZE.name();
    conf.set(size, "34000001");
    assertThat(ClientSettings.of(conf).dataCacheFlash()).isNull();
    conf.set(RdioConfigKeys.CLIENT_DATA_CACHE_FLASH_PATH.name(), "/ssd/flash");
    assertThat(ClientSettings.of(conf).dataCacheFlash())
        .isEqualTo(new RuntimeSettings.Flash(Path.of("/ssd/flash"), 33_996_800));
    conf.set(RdioConfigKeys.CLIENT_DATA_CACHE_CHUNK.name(), "4k");
    for (String wrong : List.of("65g", "31m")) { // of chunks of 4 KiB, 64 GiB at most
      conf.set(size, wrong);
      assertThatThrownBy(() -> ClientSettings.of(conf)).hasMessageContaining(size);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "dfs.client.rdio.rpc.timeout, soon",
    "dfs.client.rdio.metadata-plane, xfs",
    "dfs.client.rdio.rpc.timeout, -3s",
    "dfs.client.rdio.filemap.cache.size, much",
    "dfs.client.rdio.filemap.cache.size, -1",
    "dfs.client.rdio.datanode.port, 65536",
    "dfs.client.rdio.locations, guessed",
    "dfs.client.rdio.devices, /dev/sda",
    "dfs.client.rdio.devices, 0b8e1c1e-5c5f-4a55-9d2e-0123456789ab=sda",
    "dfs.client.rdio.data.cache, lots",
    "dfs.client.rdio.data.cache, 1023k",
    "dfs.client.rdio.data.cache.chunk, 48k",
    "dfs.client.rdio.data.cache.chunk, 2k",
    "dfs.client.rdio.data.cache.chunk, 512k",
    "dfs.client.rdio.data.cache.flash.path, relative/file",
    "dfs.client.rdio.data.cache.storage.agents, storage1",
    "dfs.client.rdio.data.cache.storage.agents, storage1:0",
    "dfs.client.rdio.data.cache.storage.agents, storage1:65536",
    "dfs.client.rdio.data.cache.storage.agents, storage1:x",
    "dfs.client.rdio.data.cache.storage.agents, me@storage1:7070",
    "dfs.client.rdio.data.cache.storage.agents, a storage:7070",
  })
  void aBadValueIsNamedWithItsKey(String key, String value) {
    conf.set(key, value);
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> ClientSettings.of(conf));
    assertThat(refused.reason()).isEqualTo(FallbackReason.CONFIGURATION_INVALID);
    assertThat(refused.detail()).contains(key).contains(value);
  }

  @ParameterizedTest
  @CsvSource({
    "dfs.encrypt.data.transfer, true",
    "dfs.data.transfer.protection, 'integrity,privacy'",
    "hadoop.rpc.protection, Privacy",
  })
  void encryptionThatADeviceReadGetsRound(String key, String value) throws Exception {
    assertThat(ClientSettings.of(conf).encryptionRequired()).isFalse();
    conf.set(key, value);
    assertThat(ClientSettings.of(conf).encryptionRequired()).isTrue();
    conf.setBoolean(RdioConfigKeys.CLIENT_ALLOW_UNENCRYPTED.name(), true);
    assertThat(ClientSettings.of(conf).encryptionRequired()).isFalse();
  }

  @Test
  void kerberosWithoutTls() throws Exception {
    conf.setBoolean(RdioConfigKeys.CLIENT_ENABLED.name(), true);
    conf.set("hadoop.security.authentication", "kerberos");
    FallbackException unusable = ClientResources.whyUnusable(ClientSettings.of(conf));
    assertThat(unusable.reason()).isEqualTo(FallbackReason.TLS_REQUIRED);
    assertThat(unusable.detail())
        .contains(
            RdioConfigKeys.CLIENT_TLS.mode().name(),
            RdioConfigKeys.CLIENT_TLS.allowPlaintext().name());
    conf.setBoolean(RdioConfigKeys.CLIENT_TLS.allowPlaintext().name(), true);
    assertThat(ClientSettings.of(conf).tlsRequired()).isFalse();
  }

  /** Certificates are for names. */
  @Test
  void tlsReachesDataNodesByName() throws Exception {
    assertThat(ClientSettings.of(conf).useDataNodeHostname()).isFalse();
    conf.set(RdioConfigKeys.CLIENT_TLS.mode().name(), "on");
    conf.set(RdioConfigKeys.CLIENT_TLS.trustedCertificates().name(), "/no/such.pem");
    ClientSettings settings = ClientSettings.of(conf);
    assertThat(settings.useDataNodeHostname()).isTrue();
    FallbackException refused =
        catchThrowableOfType(FallbackException.class, () -> ClientResources.tls(settings));
    assertThat(refused.reason()).isEqualTo(FallbackReason.CONFIGURATION_INVALID);
    assertThat(refused.detail())
        .contains(RdioConfigKeys.CLIENT_TLS.trustedCertificates().name(), "/no/such.pem");
  }
}
