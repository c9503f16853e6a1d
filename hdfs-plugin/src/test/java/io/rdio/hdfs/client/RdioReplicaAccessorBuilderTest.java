// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.direct.RdioClientContext;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.ReplicaAccessor;
import org.apache.hadoop.hdfs.ReplicaAccessorBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RdioReplicaAccessorBuilderTest {
  private Configuration conf = new Configuration(false);
  private final Map<FallbackReason, Long> before = new EnumMap<>(FallbackReason.class);
  private String fileName = "/f";
  private boolean closed = true;

  @BeforeEach
  void setUp() {
    for (FallbackReason reason : FallbackReason.values()) {
      before.put(reason, RdioClientContext.counters().fallbacks(reason));
    }
    conf.setBoolean(RdioConfigKeys.CLIENT_ENABLED.name(), true);
    conf.set(RdioConfigKeys.CLIENT_DEVICE_AFTER.name(), "0");
  }

  @AfterEach
  void close() {
    RdioClientContext.closeAll();
  }

  @Test
  void youngProcess() {
    requireLibrary();
    conf.unset(RdioConfigKeys.CLIENT_DEVICE_AFTER.name());
    assertFallsBack(FallbackReason.PROCESS_YOUNG);
  }

  @Test
  void offByDefault() {
    conf.unset(RdioConfigKeys.CLIENT_ENABLED.name());
    assertFallsBack(FallbackReason.DISABLED);
  }

  @Test
  void aBadKey() {
    conf.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "never");
    assertFallsBack(FallbackReason.CONFIGURATION_INVALID);
  }

  @Test
  void encryptionThatADeviceReadGetsRound() {
    conf.set("dfs.encrypt.data.transfer", "true");
    assertFallsBack(FallbackReason.ENCRYPTION_REQUIRED);
  }

  @Test
  void aHadoopThatLacksWhatRdioNeeds() {
    conf =
        new Configuration(false) {
          @Override
          public String getTrimmed(String name) {
            throw new NoSuchMethodError("'int org.apache.hadoop.conf.Configuration.was()'");
          }

          @Override
          public String get(String name) {
            return getTrimmed(name);
          }
        };
    assertFallsBack(FallbackReason.HADOOP_UNSUPPORTED);
  }

  @Test
  void aFileBeingWritten() {
    requireLibrary();
    closed = false;
    assertFallsBack(FallbackReason.FILE_UNDER_CONSTRUCTION);
  }

  @Test
  void fsckReadsFilesWithoutAPath() {
    requireLibrary();
    fileName = "127.0.0.1:9866:BP-1-127.0.0.1-1:1";
    assertFallsBack(FallbackReason.LOCATION_UNKNOWN);
  }

  @Test
  void noNameserviceIsKnown() {
    requireLibrary();
    conf.set(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), "0");
    assertFallsBack(FallbackReason.LOCATION_UNKNOWN);
  }

  @Test
  void aSmallBlockThatIsReadOnce() {
    requireLibrary();
    assertFallsBack(FallbackReason.FIRST_READ);
  }

  @Test
  void anAgentThatIsRequiredAndAbsent() {
    requireLibrary();
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "required");
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), "/nonexistent/agent.sock");
    assertFallsBack(FallbackReason.AGENT_UNAVAILABLE);
  }

  @Test
  void aWordThatSaysNothingOfTheAgent() {
    conf.set(RdioConfigKeys.CLIENT_AGENT.name(), "perhaps");
    assertFallsBack(FallbackReason.CONFIGURATION_INVALID);
  }

  @Test
  void withoutConfiguration() {
    assertThat(new RdioReplicaAccessorBuilder().build()).isNull();
    assertCounted(FallbackReason.DISABLED);
  }

  @Test
  void aConfigurationIsLookedAtOnceAndEqualSettingsShareAContext() {
    requireLibrary();
    RdioClientContext context = RdioClientContext.get(conf);
    assertThat(context.unusable()).isNull();
    conf.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "never");
    assertThat(RdioClientContext.get(conf)).isSameAs(context);
    conf.unset(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name());
    Configuration equal = new Configuration(conf);
    equal.set("some.other.key", "value");
    assertThat(RdioClientContext.get(equal)).isSameAs(context);
    Configuration other = new Configuration(conf);
    other.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "1s");
    assertThat(RdioClientContext.get(other)).isNotSameAs(context);
  }

  private static long contexts() {
    return RdioClientContext.dump().getOrDefault("Contexts", 0L);
  }

  @Test
  void aClosedContextIsMadeAnew() {
    requireLibrary();
    RdioClientContext context = RdioClientContext.get(conf);
    context.close();
    assertThat(RdioClientContext.get(conf)).isNotSameAs(context);
  }

  /** Of which something is read once more when its context has been made, and is closed then. */
  private static final class Meddled extends Configuration {
    private boolean meddled;

    Meddled(Configuration conf) {
      super(conf);
    }

    @Override
    protected synchronized Properties getProps() {
      if (!meddled && contexts() > 0) {
        meddled = true;
        RdioClientContext.closeAll();
      }
      return super.getProps();
    }
  }

  @Test
  void aContextThatIsClosedWhileItIsLookedUpIsMadeAnew() {
    requireLibrary();
    Meddled looked = new Meddled(conf);
    RdioClientContext context = RdioClientContext.get(looked);
    assertThat(looked.meddled).isTrue();
    assertThat(contexts()).isEqualTo(1);
    assertThat(RdioClientContext.get(looked)).isSameAs(context);
  }

  @Test
  void metricsAreRegisteredOnceAndAgreeWithTheDump() {
    requireLibrary();
    conf.set(RdioConfigKeys.CLIENT_FIRST_BYTES.name(), "0");
    RdioClientContext.get(conf);
    assertFallsBack(FallbackReason.LOCATION_UNKNOWN);
    Map<String, Long> dump = RdioClientContext.dump();
    assertThat(dump).containsKeys("RdioBytes", "LeasesHeld", "DeviceLatencyP99Micros");
    assertThat(MetricsReader.value("RdioClient", "Fallback_LOCATION_UNKNOWN"))
        .isEqualTo(dump.get("Fallback_LOCATION_UNKNOWN"))
        .isPositive();
    assertThat(MetricsReader.value("RdioClient", "Contexts")).isEqualTo(1);
  }

  private static void requireLibrary() {
    NativeAvailability library = NativeLibrary.availability();
    Requirements.require(library.isAvailable(), library.toString());
  }

  private void assertFallsBack(FallbackReason reason) {
    ReplicaAccessorBuilder builder =
        new RdioReplicaAccessorBuilder()
            .setAllowShortCircuitReads(closed)
            .setBlock(1, "BP-1-127.0.0.1-1")
            .setGenerationStamp(1001)
            .setBlockAccessToken(new byte[4])
            .setClientName("test")
            .setConfiguration(conf)
            .setFileName(fileName)
            .setVerifyChecksum(true)
            .setVisibleLength(10);
    ReplicaAccessor accessor = builder.build();
    assertThat(accessor).isNull();
    assertCounted(reason);
  }

  private void assertCounted(FallbackReason expected) {
    for (FallbackReason reason : FallbackReason.values()) {
      assertThat(RdioClientContext.counters().fallbacks(reason) - before.get(reason))
          .as(reason.name())
          .isEqualTo(reason == expected ? 1 : 0);
    }
  }
}
