// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.client.read.TransferBlock;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OpenBlocksTest {
  private static final long EXPIRY = 1_700_000_000_000L;

  private final TestBlock block = new TestBlock(1, 4096, ChecksumSpec.Type.CRC32C, 512, 4096, 4096);
  private final ReadFixture reads = new ReadFixture(block, 4096);
  private final AtomicLong wallMillis = new AtomicLong(EXPIRY - 1);
  private final OpenBlocks blocks = new OpenBlocks(2, wallMillis::get);
  private TransferBlock opened;

  @BeforeEach
  void open() throws Exception {
    opened =
        TransferBlock.open(
            reads.context, new BlockRequest(new TokenedBlock(block.key, new byte[0]), "/f"));
  }

  /** As by HDFS: else OPEN would let in once more whom a READ has just refused. */
  @Test
  void tokenIsGoodInItsLastMillisecondAndNotBehindIt() throws Exception {
    int handle = blocks.add(opened, EXPIRY);
    wallMillis.set(EXPIRY);
    assertThat(blocks.get(handle)).isSameAs(opened);
    wallMillis.set(EXPIRY + 1);
    assertThatThrownBy(() -> blocks.get(handle)).satisfies(e -> expired(e));
  }

  @Test
  void handleThatWasClosedIsNobodys() throws Exception {
    int first = blocks.add(opened, Long.MAX_VALUE);
    int second = blocks.add(opened, Long.MAX_VALUE);
    assertThatThrownBy(() -> blocks.add(opened, Long.MAX_VALUE))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.AGENT_BUSY));
    blocks.close(first);
    int third = blocks.add(opened, Long.MAX_VALUE);
    assertThat(third).isNotEqualTo(first);
    blocks.close(first);
    assertThat(blocks.get(third)).isSameAs(opened);
    assertThat(blocks.get(second)).isSameAs(opened);
    assertThatThrownBy(() -> blocks.get(first)).satisfies(e -> expired(e));
    assertThatThrownBy(() -> blocks.get(-1)).satisfies(e -> expired(e));
  }

  private static void expired(Throwable e) {
    assertThat(e)
        .isInstanceOfSatisfying(
            FallbackException.class,
            f -> assertThat(f.reason()).isEqualTo(FallbackReason.LEASE_EXPIRED));
  }
}
