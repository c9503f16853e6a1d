// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolNegotiator;
import io.netty.handler.ssl.SslContext;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSessionContext;

/**
 * The newest of several contexts of the same kind. Each has sessions of its own, so none is resumed
 * that was made under another's authorities. Thread-safe.
 */
final class RenewedSslContext extends SslContext {
  private volatile SslContext newest;

  RenewedSslContext(SslContext first) {
    newest = first;
  }

  /** Connections that are made from now on use this one. */
  void renew(SslContext next) {
    newest = next;
  }

  @Override
  public boolean isClient() {
    return newest.isClient();
  }

  @Override
  public List<String> cipherSuites() {
    return newest.cipherSuites();
  }

  @Override
  @SuppressWarnings("deprecation") // abstract in Netty's class
  public ApplicationProtocolNegotiator applicationProtocolNegotiator() {
    return newest.applicationProtocolNegotiator();
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator alloc) {
    return newest.newEngine(alloc);
  }

  @Override
  public SSLEngine newEngine(ByteBufAllocator alloc, String peerHost, int peerPort) {
    return newest.newEngine(alloc, peerHost, peerPort);
  }

  @Override
  public SSLSessionContext sessionContext() {
    return newest.sessionContext();
  }
}
