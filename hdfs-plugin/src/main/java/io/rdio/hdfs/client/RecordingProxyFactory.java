// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client;

import io.rdio.core.FallbackException;
import io.rdio.hdfs.RdioConfigKeys;
import io.rdio.hdfs.client.namenode.SupplyingTranslator;
import io.rdio.hdfs.client.namenode.UnlistedBlocks;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolTranslatorPB;
import org.apache.hadoop.hdfs.server.namenode.ha.HAProxyFactory;
import org.apache.hadoop.ipc.AlignmentContext;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the same proxies as the factory that it wraps, save that those of ClientProtocol record
 * block locations, and make up such as the metadata plane of the device needs ({@link
 * UnlistedBlocks}). Where RDIO is off, or the proxy is of an unexpected make, it changes nothing.
 */
final class RecordingProxyFactory<T> implements HAProxyFactory<T> {
  private static final Logger LOG = LoggerFactory.getLogger(RecordingProxyFactory.class);

  private final URI nameservice;
  private final HAProxyFactory<T> wrapped;

  RecordingProxyFactory(URI nameservice, HAProxyFactory<T> wrapped) {
    this.nameservice = nameservice;
    this.wrapped = wrapped;
  }

  @Override
  public T createProxy(
      Configuration conf,
      InetSocketAddress nameNode,
      Class<T> protocol,
      UserGroupInformation user,
      boolean withRetries,
      AtomicBoolean fallbackToSimpleAuth)
      throws IOException {
    return recording(
        conf,
        protocol,
        wrapped.createProxy(conf, nameNode, protocol, user, withRetries, fallbackToSimpleAuth));
  }

  @Override
  public T createProxy(
      Configuration conf,
      InetSocketAddress nameNode,
      Class<T> protocol,
      UserGroupInformation user,
      boolean withRetries)
      throws IOException {
    return recording(
        conf, protocol, wrapped.createProxy(conf, nameNode, protocol, user, withRetries));
  }

  @Override
  public void setAlignmentContext(AlignmentContext alignmentContext) {
    wrapped.setAlignmentContext(alignmentContext);
  }

  private T recording(Configuration conf, Class<T> protocol, T proxy) {
    boolean enabled = RdioConfigKeys.CLIENT_ENABLED.get(conf);
    // Exactly this class: a subclass would lose what it adds.
    if (enabled
        && protocol == ClientProtocol.class
        && proxy.getClass() == ClientNamenodeProtocolTranslatorPB.class) {
      ClientNamenodeProtocolTranslatorPB stock = (ClientNamenodeProtocolTranslatorPB) proxy;
      return protocol.cast(recording(conf, stock));
    }
    return proxy;
  }

  private ClientNamenodeProtocolTranslatorPB recording(
      Configuration conf, ClientNamenodeProtocolTranslatorPB stock) {
    ClientNamenodeProtocolPB underlying =
        (ClientNamenodeProtocolPB) stock.getUnderlyingProxyObject();
    try {
      return DirectClients.get().recording(conf, underlying, nameservice);
    } catch (FallbackException e) {
      LOG.debug("RDIO: nobody here needs block locations", e);
      return UnlistedBlocks.areWanted(conf) ? new SupplyingTranslator(underlying, true) : stock;
    }
  }
}
