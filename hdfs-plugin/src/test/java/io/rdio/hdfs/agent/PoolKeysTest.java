// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.hdfs.token.BlockTokens;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.Test;

/** Of a nameservice with two NameNodes, each of which makes tokens by keys of its own. */
final class PoolKeysTest {
  private static final String POOL = "BP-1-127.0.0.1-1";
  private static final BlockKey BLOCK = new BlockKey(POOL, 7, 1001);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final AtomicLong nanos = new AtomicLong(1);
  private final FakeNameNode first = new FakeNameNode(0);
  private final FakeNameNode second = new FakeNameNode(1);

  /** Answers as standby as it does as active: with its own keys. */
  private static final class FakeNameNode implements PoolKeys.Source {
    private final int number;
    private String poolId = POOL;
    private IOException refusal;
    private BlockTokenSecretManager secrets;

    FakeNameNode(int number) {
      this.number = number;
      start();
    }

    /** Anew, with other keys. */
    void start() {
      secrets = new BlockTokenSecretManager(600_000, 600_000, number, 2, POOL, null, false);
      refusal = null;
    }

    void refuse(IOException why) {
      refusal = why;
    }

    byte[] token() throws IOException {
      ExtendedBlock named = new ExtendedBlock(POOL, BLOCK.blockId(), 0, BLOCK.generationStamp());
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      secrets
          .generateToken(
              "user",
              named,
              EnumSet.of(AccessMode.READ),
              new StorageType[] {StorageType.DISK},
              new String[] {"DS-1"})
          .write(new DataOutputStream(out));
      return out.toByteArray();
    }

    @Override
    public PoolKeys.Answer ask() throws IOException {
      if (refusal != null) {
        throw refusal;
      }
      return new PoolKeys.Answer(poolId, secrets.exportKeys());
    }
  }

  private PoolKeys ask() throws IOException {
    return PoolKeys.ask(null, List.of(first, second), nanos::get);
  }

  private static boolean isTaken(PoolKeys keys, byte[] token) {
    try {
      BlockTokens.check(keys.secrets(), BLOCK, token);
      return true;
    } catch (FallbackException e) {
      return false;
    }
  }

  @Test
  void tokensOfBothNameNodesAreTaken() throws IOException {
    PoolKeys keys = ask();
    assertThat(keys.poolId()).isEqualTo(POOL);
    assertThat(keys.isTokenEnabled()).isTrue();
    assertThat(isTaken(keys, first.token())).isTrue();
    assertThat(isTaken(keys, second.token())).isTrue();
  }

  @Test
  void keysOfOneThatWasDownComeWithARenewal() throws IOException {
    first.refuse(new ConnectException("refused"));
    PoolKeys keys = ask();
    assertThat(isTaken(keys, second.token())).isTrue();
    first.start();
    assertThat(isTaken(keys, first.token())).isFalse();

    assertThat(keys.renew()).as("a moment later").isFalse();
    nanos.addAndGet(PAUSE_NANOS);
    assertThat(keys.renew()).isTrue();
    assertThat(isTaken(keys, first.token())).isTrue();
    assertThat(isTaken(keys, second.token())).isTrue();
  }

  @Test
  void oneThatIsDownKeepsNobodyFromTheNewKeysOfTheOther() throws IOException {
    PoolKeys keys = ask();
    byte[] old = second.token();
    first.refuse(new ConnectException("refused"));
    second.start();
    nanos.addAndGet(PAUSE_NANOS);
    assertThat(keys.renew()).isTrue();
    assertThat(isTaken(keys, second.token())).isTrue();
    assertThat(isTaken(keys, first.token())).as("by a key that is good yet").isTrue();
    assertThat(isTaken(keys, old)).as("by a key that is good yet").isTrue();
  }

  @Test
  void renewalWithoutAnAnswerSaysSo() throws IOException {
    PoolKeys keys = ask();
    first.refuse(new ConnectException("refused"));
    second.refuse(new ConnectException("refused"));
    nanos.addAndGet(PAUSE_NANOS);
    assertThat(keys.renew()).isFalse();
    assertThat(isTaken(keys, first.token())).isTrue();
  }

  @Test
  void keysOfAnotherPoolAreNotTaken() throws IOException {
    second.poolId = "BP-2-127.0.0.1-1";
    PoolKeys keys = ask();
    assertThat(isTaken(keys, first.token())).isTrue();
    assertThat(isTaken(keys, second.token())).isFalse();
  }

  @Test
  void whoIsNoSuperuserGetsNone() throws IOException {
    first.refuse(new AccessControlException("Access denied for user nobody"));
    second.refuse(new AccessControlException("Access denied for user nobody"));
    assertThat(ask()).isNull();
  }

  @Test
  void withoutAnAnswerItIsAskedAgainLater() {
    first.refuse(new AccessControlException("Access denied for user nobody"));
    second.refuse(new ConnectException("refused"));
    assertThatThrownBy(this::ask).isInstanceOf(ConnectException.class);
  }
}
