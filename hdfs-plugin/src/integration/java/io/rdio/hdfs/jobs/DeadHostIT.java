// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.agent.AgentProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * {@code hdfs dfs -cat} of files of one replica whose DataNode does not refuse connections but says
 * nothing, because its host is gone or its process hangs. Stock HDFS gives up after a minute.
 * Whoever reads by RDIO is not sent there first: neither a fresh process that opens devices itself,
 * nor who reads by an agent that knew the DataNode, nor the first one of an agent that never heard
 * of it.
 */
@Tag("loop")
class DeadHostIT {
  /** HDFS waits for a minute for a connection, and for an answer. */
  private static final Duration BOUND = Duration.ofSeconds(45);

  @TempDir private Path folder;

  @BeforeEach
  void require() throws Exception {
    DroppedPackets.require();
  }

  @ParameterizedTest
  @EnumSource(
      value = Death.class,
      names = {"HOST", "HANG"})
  void catIsDoneLongBeforeHdfsGivesUp(Death death) throws Exception {
    try (Outage outage = new Outage(1, Duration.ofMinutes(5))) {
      Cat cat = new Cat(outage.cluster(), folder);
      cat.read(Cat.IN_SANDBOX, outage.conf(), outage.large()); // and the agent knows it
      outage.begin(death);
      assertSoon(
          "by the device",
          cat.read(Cat.AS_IT_IS, outage.deviceConf("conf-device"), outage.small(), outage.large()));
      assertSoon(
          "by the agent", cat.read(Cat.IN_SANDBOX, outage.conf(), outage.small(), outage.large()));
      try (AgentProcess fresh = outage.startAgent()) {
        assertSoon(
            "by an agent that begins now",
            cat.read(Cat.IN_SANDBOX, outage.conf(fresh), outage.small(), outage.large()));
      }
    }
  }

  private static void assertSoon(String how, Cat.Run run) {
    System.out.println("-cat " + how + ": " + run.took().toMillis() + " ms");
    assertThat(run.took()).as(how + ": " + run.errors()).isLessThan(BOUND);
  }
}
