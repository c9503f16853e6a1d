// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import io.rdio.hdfs.datanode.write.WriteRuntime;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.metrics2.MetricsException;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.util.ServicePlugin;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * RDIO in the DataNode: {@code dfs.datanode.plugins = io.rdio.hdfs.datanode.RdioDataNodePlugin}.
 *
 * <p>It never hurts the DataNode: whatever fails at the start is logged as an ERROR with what to
 * do, shows as {@code PluginUp} = 0 with its cause in {@code StartFailure}, and the DataNode goes
 * on without it; what earlier starts pinned is swept all the same. After {@link #stop}, which may
 * come twice or never, the pins are still on disk; the next start honours them.
 */
public final class RdioDataNodePlugin implements ServicePlugin {
  private static final Logger LOG = LoggerFactory.getLogger(RdioDataNodePlugin.class);

  private final DataNodeMetricsSource metrics = new DataNodeMetricsSource();
  private @Nullable String metricsName;
  private @Nullable GrantRuntime runtime;
  private @Nullable PortOpener opener;

  @Override
  public synchronized void start(Object service) {
    if (!(service instanceof DataNode dataNode)) {
      LOG.error(
          "{} is not a DataNode. Name this class in {} only.",
          service,
          DFSConfigKeys.DFS_DATANODE_PLUGINS_KEY);
      return;
    }
    try {
      startOn(dataNode);
    } catch (Throwable e) {
      doesNotServe(e);
    }
    // Not before it is known how the start went: /jmx shows for seconds what it saw first.
    registerMetrics(dataNode);
  }

  /**
   * Sweeps, also where it cannot serve: with a configuration that makes no sense, by default
   * values, since how long old pins are to be kept is written on them.
   */
  private void startOn(DataNode dataNode) {
    try {
      DataNodeConfig config = DataNodeConfig.of(dataNode.getConf());
      GrantRuntime started = run(dataNode, config);
      opener =
          new PortOpener(
              started::serve,
              new Told(started),
              new DaemonTimer("rdio-open-port"),
              System::nanoTime);
      opener.open();
    } catch (IllegalArgumentException e) {
      doesNotServe(e);
      run(dataNode, DataNodeConfig.of(new Configuration(false)));
    }
  }

  private GrantRuntime run(DataNode dataNode, DataNodeConfig config) {
    GrantRuntime started = GrantRuntime.start(dataNode, config);
    runtime = started;
    metrics.runs(started);
    WriteRuntime writes = started.writes();
    ChangeRecalls.serve(
        dataNode,
        started.grants(),
        writes == null ? null : writes.room(),
        config.appendWaitMillis());
    return started;
  }

  /** Says in the log and in /jmx how the opening of the port went. */
  private final class Told implements PortOpener.Outcome {
    private final GrantRuntime started;

    Told(GrantRuntime started) {
      this.started = started;
    }

    @Override
    public void opened() {
      metrics.serves();
      LOG.info(
          "RDIO serves file maps on port {}, incarnation {}",
          Objects.requireNonNull(started.server()).port(),
          Long.toHexString(started.grants().incarnation()));
    }

    @Override
    public void failed(Throwable why) {
      doesNotServe(why);
    }
  }

  private void doesNotServe(Throwable why) {
    metrics.doesNotServe(why.toString());
    LOG.error(
        "RDIO does not serve on this DataNode, which goes on without it: {}. {}",
        why.getMessage(),
        fix(why),
        why);
  }

  private static String fix(Throwable failure) {
    if (failure instanceof LinkageError) {
      return "Put the one RDIO jar of this version on the DataNode's class path, and no other.";
    }
    if (failure instanceof NotYetException) {
      return "It is tried again in the background, after a second at first.";
    }
    if (failure instanceof UnsupportedOperationException) {
      return "What earlier starts pinned is swept all the same.";
    }
    if (failure instanceof Error) {
      return "See the trace, and restart the DataNode.";
    }
    return "Mend the configuration and restart the DataNode.";
  }

  private void registerMetrics(DataNode dataNode) {
    String name = "RdioDataNode-" + dataNode.getXferPort();
    try {
      DefaultMetricsSystem.instance().register(name, "RDIO on this DataNode", metrics);
      metricsName = name;
    } catch (MetricsException e) {
      LOG.warn("RDIO has no metrics on this DataNode: {} is taken", name, e);
    }
  }

  @Override
  public synchronized void stop() {
    if (opener != null) {
      opener.close();
      opener = null;
    }
    if (runtime != null) {
      ChangeRecalls.end(runtime.grants());
      runtime.close();
      runtime = null;
      metrics.stopped();
      LOG.info("RDIO stopped; what is pinned stays pinned until the next start has honoured it");
    }
    if (metricsName != null) {
      DefaultMetricsSystem.instance().unregisterSource(metricsName);
      metricsName = null;
    }
  }

  @Override
  public void close() {
    stop();
  }
}
