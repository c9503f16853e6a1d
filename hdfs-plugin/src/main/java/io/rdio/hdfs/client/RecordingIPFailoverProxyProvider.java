// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import java.net.URI;
import org.apache.hadoop.classification.InterfaceAudience;
import org.apache.hadoop.classification.InterfaceStability;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.ha.HAProxyFactory;
import org.apache.hadoop.hdfs.server.namenode.ha.IPFailoverProxyProvider;

/**
 * The same as {@link RecordingFailoverProxyProvider} for a cluster with one NameNode address:
 * {@code dfs.client.failover.proxy.provider.<NameNode host>}. Hadoop then uses the retry policy of
 * high-availability clients, and WebHDFS to that host no longer works from this configuration.
 */
@InterfaceAudience.Public
@InterfaceStability.Evolving
public class RecordingIPFailoverProxyProvider<T> extends IPFailoverProxyProvider<T> {
  /** As Hadoop calls it. */
  public RecordingIPFailoverProxyProvider(
      Configuration conf, URI uri, Class<T> protocol, HAProxyFactory<T> factory) {
    super(conf, uri, protocol, new RecordingProxyFactory<>(uri, factory));
  }
}
