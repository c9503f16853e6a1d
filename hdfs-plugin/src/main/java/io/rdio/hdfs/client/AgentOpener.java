// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.agent.ipc.AgentClient;
import io.rdio.agent.ipc.AgentSettings;
import io.rdio.client.counters.ClientCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.block.RangeReads;
import io.rdio.hdfs.client.way.AgentWay;
import io.rdio.hdfs.client.way.BlockToRead;
import io.rdio.hdfs.client.way.BlockWay;
import java.io.File;
import org.jspecify.annotations.Nullable;

/**
 * Opens blocks by the agent of this host. Where there is none, a process loads nothing for asking
 * it, not even librdio. Thread-safe.
 */
final class AgentOpener implements BlockWay.Opener {
  private final AgentSettings settings;
  private final boolean required;
  private final ClientCounters counters;
  private final AgentPresence presence;
  private volatile @Nullable AgentClient agent;

  /**
   * @param required whether this process may do without the agent
   */
  AgentOpener(AgentSettings settings, boolean required, ClientCounters counters) {
    this.settings = settings;
    this.required = required;
    this.counters = counters;
    this.presence = new AgentPresence(new File(settings.socket()), System::nanoTime);
  }

  @Override
  public @Nullable BlockWay open(BlockToRead block) throws FallbackException {
    AgentClient client = client();
    return client == null ? null : AgentWay.open(client, required, counters, block);
  }

  @Override
  public boolean mayHaveRanges() {
    try {
      AgentClient client = client();
      return client != null && client.answers();
    } catch (FallbackException e) {
      return false; // a read meets it again, and counts it
    }
  }

  @Override
  public @Nullable RangeReads openRanges(BlockToRead block, long wanted) throws FallbackException {
    AgentClient client = client();
    return client == null ? null : AgentWay.openRanges(client, required, counters, block);
  }

  @Override
  public @Nullable BlockWay openPositional(BlockToRead block) throws FallbackException {
    AgentClient client = client();
    return client == null ? null : AgentWay.openPositional(client, required, counters, block);
  }

  /** Null where there is no agent. */
  private @Nullable AgentClient client() throws FallbackException {
    AgentClient known = agent;
    if (known != null) {
      return known;
    }
    return required || presence.isThere() ? begin() : null;
  }

  private AgentClient begin() throws FallbackException {
    FallbackException noLibrary = ThinSettings.whyNoLibrary();
    if (noLibrary != null) {
      throw noLibrary;
    }
    RdioClientMetrics.register();
    AgentClient mine = AgentClient.of(settings);
    agent = mine;
    return mine;
  }
}
