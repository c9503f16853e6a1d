// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.AgentSettings;
import io.rdio.agent.ipc.BlockName;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.testing.Requirements;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.cluster.Cluster;
import io.rdio.hdfs.cluster.TestClusters;
import io.rdio.hdfs.it.Maps;
import io.rdio.hdfs.it.SeededFile;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.Token;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With block tokens on, the agent serves who has one for the block, whatever is cached. */
@Tag("loop")
class AgentTokensIT {
  private static final int BLOCK = 1 << 20;

  private static Cluster cluster;
  private static FileSystem stock;
  private static SeededFile file;
  private static List<LocatedBlock> blocks;

  @TempDir Path folder;
  private HostAgent agent;

  @BeforeAll
  static void start() throws IOException {
    Requirements.requireLoop("ext4");
    cluster =
        TestClusters.builder()
            .volumeBytes(256L << 20)
            .set("dfs.block.access.token.enable", "true")
            .set("dfs.blocksize", Integer.toString(BLOCK))
            .set("dfs.namenode.fs-limits.min-block-size", "0")
            .start();
    stock = cluster.fileSystem(false);
    file = SeededFile.write(stock, "/file", 2 * BLOCK, 1);
    blocks = Maps.blocks(stock, file.path());
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      stock.close();
      cluster.close();
    }
  }

  private void startAgent() throws Exception {
    Configuration conf = cluster.clientConf(true);
    conf.set(RdioConfigKeys.CLIENT_AGENT_SOCKET.name(), socket());
    agent = HostAgent.start(conf);
  }

  @AfterEach
  void stopAgent() {
    client().close();
    if (agent != null) {
      agent.close();
    }
  }

  private String socket() {
    return folder.resolve("agent.sock").toString();
  }

  private AgentClient client() {
    return AgentClient.of(
        new AgentSettings(socket(), "test", 4 << 20, TimeUnit.SECONDS.toNanos(10), 1 << 20));
  }

  private static BlockName name(LocatedBlock block, byte[] token) {
    return new BlockName(
        block.getBlock().getBlockPoolId(),
        block.getBlock().getBlockId(),
        block.getBlock().getGenerationStamp(),
        true,
        file.path().toUri().getPath(),
        token);
  }

  private static byte[] bytes(Token<BlockTokenIdentifier> token) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    token.write(new DataOutputStream(bytes));
    return bytes.toByteArray();
  }

  /** By a process of its own, as far as the agent knows: nothing that it opened is open still. */
  private void assertReads(LocatedBlock block, byte[] token) throws FallbackException {
    client().close();
    byte[] got = new byte[BLOCK];
    try (AgentBlock reader = client().open(name(block, token), BLOCK, false)) {
      reader.read(0, got, 0, BLOCK);
    }
    file.check(block.getStartOffset(), got);
  }

  private void assertRefused(LocatedBlock block, byte[] token) {
    client().close();
    FallbackException refusal =
        catchThrowableOfType(
            FallbackException.class, () -> client().open(name(block, token), BLOCK, false));
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).as(refusal.getMessage()).isEqualTo(FallbackReason.TOKEN_REFUSED);
  }

  private static Token<BlockTokenIdentifier> forged() throws IOException {
    Token<BlockTokenIdentifier> good = blocks.get(0).getBlockToken();
    byte[] password = good.getPassword().clone();
    password[0] ^= 1;
    return new Token<>(good.getIdentifier(), password, good.getKind(), good.getService());
  }

  @Test
  void blockIsReadByItsTokenAndByNoOther() throws Exception {
    startAgent();
    byte[] good = bytes(blocks.get(0).getBlockToken());
    byte[] others = bytes(blocks.get(1).getBlockToken());
    byte[] none = bytes(new Token<BlockTokenIdentifier>());

    assertRefused(blocks.get(0), others); // and now with a map that is cached:
    assertReads(blocks.get(0), good);
    assertReads(blocks.get(1), others);
    assertRefused(blocks.get(0), others);
    assertRefused(blocks.get(0), bytes(forged()));
    assertRefused(blocks.get(0), none);
    assertRefused(blocks.get(0), new byte[0]);
    assertRefused(blocks.get(0), new byte[] {1, 2, 3});
    assertReads(blocks.get(0), good);
  }

  @Test
  void agentThatGetsNoKeysServesNobodyWhereThereAreTokens() throws Exception {
    UserGroupInformation.createRemoteUser("nobody")
        .doAs(
            (PrivilegedExceptionAction<Void>)
                () -> {
                  startAgent();
                  return null;
                });
    assertRefused(blocks.get(0), new byte[0]);
    assertRefused(blocks.get(0), bytes(forged()));
  }
}
