// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.agent.ipc.AgentBlockWriter;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.AgentSettings;
import io.rdio.agent.ipc.BlockToWrite;
import io.rdio.agent.ipc.GroupStripes;
import io.rdio.agent.ipc.WriteTarget;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.write.NoBlocks;
import io.rdio.hdfs.client.write.OpenFile;
import io.rdio.hdfs.client.write.RemoteBlock;
import io.rdio.hdfs.client.write.RemoteBlocks;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.client.HdfsClientConfigKeys;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.hdfs.security.token.block.BlockTokenIdentifier;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.security.token.Token;
import org.jspecify.annotations.Nullable;

/** Blocks that the agent of this host writes. Thread-safe. */
final class AgentBlocks implements RemoteBlocks {
  private final AgentSettings settings;
  private final boolean useHostname;
  private final AgentPresence presence;
  private volatile @Nullable AgentClient agent;

  private AgentBlocks(AgentSettings settings, boolean useHostname) {
    this.settings = settings;
    this.useHostname = useHostname;
    this.presence = new AgentPresence(new File(settings.socket()), System::nanoTime);
  }

  /** Those of a configuration's clients; loads nothing for it that an agent is not there for. */
  static RemoteBlocks of(Configuration conf) {
    try {
      ThinSettings settings = ThinSettings.of(conf);
      if (!settings.asksAgent()) {
        throw new FallbackException(
            FallbackReason.AGENT_UNAVAILABLE,
            RdioConfigKeys.CLIENT_AGENT + " is off, and nobody else writes");
      }
      return new AgentBlocks(
          settings.agent(),
          conf.getBoolean(
              HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME,
              HdfsClientConfigKeys.DFS_CLIENT_USE_DN_HOSTNAME_DEFAULT));
    } catch (FallbackException e) {
      return new NoBlocks(e);
    }
  }

  @Override
  public void requireThere() throws FallbackException {
    if (!presence.isThere()) {
      throw unavailable("is not there");
    }
  }

  @Override
  public void requireAnswering() throws FallbackException {
    if (!client().answers()) {
      throw unavailable("does not answer");
    }
  }

  private FallbackException unavailable(String why) {
    return new FallbackException(
        FallbackReason.AGENT_UNAVAILABLE, "an agent at " + settings.socket() + " " + why);
  }

  private AgentClient client() throws FallbackException {
    AgentClient known = agent;
    if (known != null) {
      return known;
    }
    FallbackException noLibrary = ThinSettings.whyNoLibrary();
    if (noLibrary != null) {
      throw noLibrary;
    }
    RdioClientMetrics.register();
    AgentClient mine = AgentClient.of(settings);
    agent = mine;
    return mine;
  }

  @Override
  public RemoteBlock open(OpenFile file, LocatedBlock located, long bytes)
      throws FallbackException {
    return new ByAgent(client().allocate(toWrite(file, located, bytes)));
  }

  private BlockToWrite toWrite(OpenFile file, LocatedBlock located, long bytes)
      throws FallbackException {
    ExtendedBlock block = located.getBlock();
    GroupStripes stripes = file.stripes();
    BlockToWrite asked =
        new BlockToWrite(
            block.getBlockPoolId(),
            block.getBlockId(),
            block.getGenerationStamp(),
            file.path(),
            stripes == null ? bytes : stripes.inStripes(bytes),
            ChecksumSpec.Type.of(file.checksum().getChecksumType().id),
            file.checksum().getBytesPerChecksum(),
            stripes == null ? targets(located) : targets((LocatedStripedBlock) located, stripes));
    return stripes == null ? asked : asked.asGroup(stripes);
  }

  private List<WriteTarget> targets(LocatedBlock located) {
    byte[] token = token(located.getBlockToken());
    List<WriteTarget> targets = new ArrayList<>();
    for (int i = 0; i < located.getLocations().length; i++) {
      targets.add(target(located, i, token));
    }
    return targets;
  }

  /**
   * One for each block of a group, in their order.
   *
   * @throws FallbackException WRITE_UNSUPPORTED where the NameNode found fewer
   */
  private List<WriteTarget> targets(LocatedStripedBlock located, GroupStripes stripes)
      throws FallbackException {
    byte[] numbers = located.getBlockIndices();
    WriteTarget[] targets = new WriteTarget[stripes.units()];
    for (int i = 0; i < numbers.length; i++) {
      targets[numbers[i]] = target(located, i, token(located.getBlockTokens()[i]));
    }
    for (WriteTarget target : targets) {
      if (target == null) {
        throw new FallbackException(
            FallbackReason.WRITE_UNSUPPORTED,
            located.getBlock()
                + " has "
                + numbers.length
                + " of "
                + targets.length
                + " DataNodes; hdfs ec -verifyClusterSetup says how many the policy wants");
      }
    }
    return Arrays.asList(targets);
  }

  private WriteTarget target(LocatedBlock located, int number, byte[] token) {
    DatanodeInfo dataNode = located.getLocations()[number];
    return new WriteTarget(
        useHostname ? dataNode.getHostName() : dataNode.getIpAddr(),
        dataNode.getXferPort(),
        dataNode.getInfoPort(),
        located.getStorageIDs()[number],
        token);
  }

  private static byte[] token(Token<BlockTokenIdentifier> token) {
    try (DataOutputBuffer out = new DataOutputBuffer()) {
      token.write(out);
      return Arrays.copyOf(out.getData(), out.getLength());
    } catch (IOException e) {
      throw new UncheckedIOException("a token could not be written to memory", e);
    }
  }

  /** One that it writes. */
  private static final class ByAgent implements RemoteBlock {
    private final AgentBlockWriter writer;

    ByAgent(AgentBlockWriter writer) {
      this.writer = writer;
    }

    @Override
    public void write(byte[] source, int at, int count) throws FallbackException {
      writer.write(source, at, count);
    }

    @Override
    public long length() {
      return writer.length();
    }

    @Override
    public long commit(int needed) throws FallbackException {
      return writer.commit(needed);
    }

    @Override
    public void close() {
      writer.close();
    }
  }
}
