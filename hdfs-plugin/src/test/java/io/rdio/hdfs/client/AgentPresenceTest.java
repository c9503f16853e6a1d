// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentPresenceTest {
  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1); // overflows on the way

  @TempDir private Path folder;

  @Test
  void anAgentThatStartsIsSeenAMomentLater() throws IOException {
    Path socket = folder.resolve("agent");
    AgentPresence presence = new AgentPresence(socket.toFile(), now::get);
    assertThat(presence.isThere()).isFalse();
    Files.createFile(socket);
    assertThat(presence.isThere()).as("within the moment").isFalse();
    now.addAndGet(AgentPresence.LOOK_AGAIN_NANOS - 1);
    assertThat(presence.isThere()).as("still within it").isFalse();
    now.incrementAndGet();
    assertThat(presence.isThere()).isTrue();
    assertThat(presence.isThere()).isTrue();
  }

  @Test
  void anAgentThatIsThereIsSeenAtOnceAndThatItWentToo() throws IOException {
    Path socket = Files.createFile(folder.resolve("agent"));
    AgentPresence presence = new AgentPresence(socket.toFile(), now::get);
    assertThat(presence.isThere()).isTrue();
    Files.delete(socket);
    assertThat(presence.isThere()).isFalse();
  }
}
