// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.rdio.agent.ipc.AgentBlock;
import io.rdio.agent.ipc.AgentClient;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.NameNodeProxies;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier.AccessMode;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenSecretManager;
import org.apache.hadoop.hdfs.security.token.block.ExportedBlockKeys;
import org.apache.hadoop.hdfs.server.protocol.NamenodeProtocol;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ipc.RPC;
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
    return JvmAgent.client(Path.of(socket()));
  }

  private static BlockName name(LocatedBlock block, byte[] token) {
    return name(block, file.path().toUri().getPath(), token);
  }

  private static BlockName name(LocatedBlock block, String path, byte[] token) {
    return new BlockName(
        block.getBlock().getBlockPoolId(),
        block.getBlock().getBlockId(),
        block.getBlock().getGenerationStamp(),
        true,
        path,
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
    assertRefused(FallbackReason.TOKEN_REFUSED, name(block, token));
  }

  private void assertRefused(FallbackReason reason, BlockName name) {
    client().close();
    FallbackException refusal =
        catchThrowableOfType(FallbackException.class, () -> client().open(name, BLOCK, false));
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).as(refusal.getMessage()).isEqualTo(reason);
  }

  /** As the NameNode makes it, by its keys, but for how long it is good. */
  private static byte[] token(LocatedBlock block, Duration lifetime) throws IOException {
    NamenodeProtocol nameNode =
        NameNodeProxies.createProxy(stock.getConf(), stock.getUri(), NamenodeProtocol.class)
            .getProxy();
    try {
      ExportedBlockKeys keys = nameNode.getBlockKeys();
      BlockTokenSecretManager secrets =
          new BlockTokenSecretManager(
              keys.getKeyUpdateInterval(),
              lifetime.toMillis(),
              block.getBlock().getBlockPoolId(),
              null,
              false);
      secrets.addKeys(keys);
      return bytes(
          secrets.generateToken(
              block.getBlock(),
              EnumSet.of(AccessMode.READ),
              block.getStorageTypes(),
              block.getStorageIDs()));
    } finally {
      RPC.stopProxy(nameNode);
    }
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
  void rightEndsWithItsTokenAlsoWhereTheMapIsRemembered() throws Exception {
    startAgent();
    LocatedBlock block = blocks.get(0);
    byte[] good = bytes(block.getBlockToken());
    assertReads(block, good);
    assertRefused(block, token(block, Duration.ofSeconds(-1)));

    byte[] brief = token(block, Duration.ofSeconds(15)); // enough to open and read by it
    client().close();
    byte[] got = new byte[BLOCK];
    try (AgentBlock reader = client().open(name(block, brief), BLOCK, false)) {
      reader.read(0, got, 0, BLOCK);
      file.check(block.getStartOffset(), got);
      await("the right to an open block ends")
          .atMost(Duration.ofMinutes(1))
          .until(() -> isRefused(reader));
    }
    assertRefused(block, brief);
    assertReads(block, good);
  }

  /** Whether it does not get the block any more; the whole of it, for none of it is read ahead. */
  private static boolean isRefused(AgentBlock reader) {
    try {
      reader.read(0, new byte[BLOCK], 0, BLOCK);
      return false;
    } catch (FallbackException e) {
      assertThat(e.reason()).as(e.getMessage()).isEqualTo(FallbackReason.TOKEN_REFUSED);
      return true;
    }
  }

  /**
   * An OPEN has no place for a DataNode: the agent asks the NameNodes of its configuration which
   * there are. Whatever else in it could be taken for an address is not.
   */
  @Test
  void processDoesNotHaveTheAgentTalkToAnAddressOfItsChoice() throws Exception {
    startAgent();
    LocatedBlock block = blocks.get(0);
    Token<BlockTokenIdentifier> good = block.getBlockToken();
    try (ServerSocketChannel fake = ServerSocketChannel.open()) {
      fake.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
          .configureBlocking(false);
      String address = "127.0.0.1:" + fake.socket().getLocalPort();
      for (String path : List.of("hdfs://" + address + "/file", "//" + address + "/file")) {
        assertRefused(FallbackReason.LOCATION_UNKNOWN, name(block, path, bytes(good)));
      }
      // For whom it is is no part of what its maker signed.
      Token<BlockTokenIdentifier> addressed =
          new Token<>(good.getIdentifier(), good.getPassword(), good.getKind(), new Text(address));
      assertReads(block, bytes(addressed)); // and a wrong name of its file hides it from nobody
      assertThat(fake.accept()).as("who was asked").isNull();
    }
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
