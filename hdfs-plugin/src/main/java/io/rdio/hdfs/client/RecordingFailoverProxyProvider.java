// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import java.net.URI;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.classification.InterfaceStability;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider;
import org.apache.hadoop.hdfs.server.namenode.ha.HAProxyFactory;

/**
 * Hadoop's ConfiguredFailoverProxyProvider that also tells RDIO which DataNodes hold the blocks
 * that this client opens, so that RDIO need not ask the NameNode again. For nameservices with
 * several NameNodes: {@code dfs.client.failover.proxy.provider.<nameservice>}.
 */
@InterfaceAudience.Public
@InterfaceStability.Evolving
public class RecordingFailoverProxyProvider<T> extends ConfiguredFailoverProxyProvider<T> {
  /** As Hadoop calls it. */
  public RecordingFailoverProxyProvider(
      Configuration conf, URI uri, Class<T> protocol, HAProxyFactory<T> factory) {
    super(conf, uri, protocol, new RecordingProxyFactory<>(uri, factory));
  }
}
