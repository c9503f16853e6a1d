// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.agent.ipc.AgentBlockWriter;
import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.AgentSettings;
import io.rdio.agent.ipc.BlockToWrite;
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
import org.apache.hadoop.io.DataOutputBuffer;
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
    byte[] token = token(located);
    DatanodeInfo[] dataNodes = located.getLocations();
    String[] storages = located.getStorageIDs();
    List<WriteTarget> targets = new ArrayList<>();
    for (int i = 0; i < dataNodes.length; i++) {
      DatanodeInfo dataNode = dataNodes[i];
      targets.add(
          new WriteTarget(
              useHostname ? dataNode.getHostName() : dataNode.getIpAddr(),
              dataNode.getXferPort(),
              dataNode.getInfoPort(),
              storages[i],
              token));
    }
    return new BlockToWrite(
        block.getBlockPoolId(),
        block.getBlockId(),
        block.getGenerationStamp(),
        file.path(),
        bytes,
        ChecksumSpec.Type.of(file.checksum().getChecksumType().id),
        file.checksum().getBytesPerChecksum(),
        targets);
  }

  private static byte[] token(LocatedBlock located) {
    try (DataOutputBuffer out = new DataOutputBuffer()) {
      located.getBlockToken().write(out);
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
    public long commit() throws FallbackException {
      return writer.commit();
    }

    @Override
    public void close() {
      writer.close();
    }
  }
}
