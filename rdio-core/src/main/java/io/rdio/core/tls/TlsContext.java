// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.tls;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.rdio.core.thread.DaemonThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One side's TLS, by the JDK's own implementation, version 1.2 or later. New connections use the
 * key material that is in the files; once {@link #watch} was called also after the files changed.
 * While what they hold cannot be used, the last that could stays in use. Thread-safe.
 */
public final class TlsContext implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  private final TlsSettings settings;
  private final boolean server;
  private final RenewedSslContext context;
  private final Object lock = new Object();

  @GuardedBy("lock")
  private List<Stamp> loaded;

  @GuardedBy("lock")
  private List<Stamp> refused = List.of();

  @GuardedBy("lock")
  private @Nullable Instant expiry;

  @GuardedBy("lock")
  private @Nullable ScheduledThreadPoolExecutor watcher;

  /** What tells that a file is another one, or was written to. */
  private record Stamp(Path file, long modified, long bytes, @Nullable Object inode) {
    static List<Stamp> of(List<Path> files) {
      List<Stamp> stamps = new ArrayList<>();
      for (Path file : files) {
        try {
          BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
          stamps.add(new Stamp(file, now.lastModifiedTime().toMillis(), now.size(), now.fileKey()));
        } catch (IOException e) {
          stamps.add(new Stamp(file, -1, -1, null));
        }
      }
      return stamps;
    }
  }

  private record Loaded(SslContext context, @Nullable Instant expiry) {}

  /** A DataNode's side. */
  public static TlsContext server(TlsSettings settings) throws TlsException {
    return new TlsContext(settings, true);
  }

  /** A client's side. */
  public static TlsContext client(TlsSettings settings) throws TlsException {
    return new TlsContext(settings, false);
  }

  private TlsContext(TlsSettings settings, boolean server) throws TlsException {
    this.settings = settings;
    this.server = server;
    this.loaded = Stamp.of(settings.keys().files());
    Loaded first = load();
    this.context = new RenewedSslContext(first.context());
    this.expiry = first.expiry();
  }

  private Loaded load() throws TlsException {
    KeyMaterial material = settings.keys().load();
    KeyMaterial.Identity identity = material.identity();
    boolean mutual = settings.mode() == TlsMode.MUTUAL;
    SslContextBuilder builder;
    if (server) {
      if (identity == null) {
        throw new IllegalArgumentException("a server without a certificate");
      }
      builder = SslContextBuilder.forServer(identity.key(), chain(identity));
      builder.clientAuth(mutual ? ClientAuth.REQUIRE : ClientAuth.NONE);
    } else {
      builder = SslContextBuilder.forClient();
      if (mutual && identity != null) {
        builder.keyManager(identity.key(), chain(identity));
      }
    }
    if (!material.trusted().isEmpty()) {
      builder.trustManager(material.trusted().toArray(X509Certificate[]::new));
    } else if (!server || mutual) {
      // Else whoever has a certificate of any authority of the web would be believed.
      throw new IllegalArgumentException("nobody is trusted");
    }
    try {
      SslContext built =
          GrpcSslContexts.configure(builder, SslProvider.JDK).protocols(PROTOCOLS).build();
      return new Loaded(
          built, identity == null ? null : identity.certificate().getNotAfter().toInstant());
    } catch (SSLException e) {
      throw new TlsException(
          settings.keys().files() + " cannot be used for TLS: " + e.getMessage(), e);
    }
  }

  private static X509Certificate[] chain(KeyMaterial.Identity identity) {
    return identity.chain().toArray(X509Certificate[]::new);
  }

  /** For Netty; follows the files. */
  public SslContext sslContext() {
    return context;
  }

  /** When this side's own certificate ends; null where it has none. */
  @Nullable Instant expiry() {
    synchronized (lock) {
      return expiry;
    }
  }

  /** Looks from now on whether the files changed, on a daemon thread, until {@link #close}. */
  @SuppressWarnings("FutureReturnValueIgnored") // look() tells of what fails in it
  public void watch() {
    synchronized (lock) {
      if (watcher == null) {
        long millis = settings.reloadInterval().toMillis();
        watcher = new ScheduledThreadPoolExecutor(1, new DaemonThreads("rdio-tls-files"));
        watcher.scheduleWithFixedDelay(this::look, millis, millis, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** A look that fails must not end the looking. */
  private void look() {
    try {
      refresh();
    } catch (Throwable e) { // an Error too
      LOG.error("RDIO: a look at {} failed; the next one follows", settings.keys().files(), e);
    }
  }

  /** Loads the files if they changed; true if connections use something new from now on. */
  boolean refresh() {
    synchronized (lock) {
      return refreshLocked();
    }
  }

  @GuardedBy("lock")
  private boolean refreshLocked() {
    List<Stamp> now = Stamp.of(settings.keys().files());
    if (now.equals(loaded)) {
      refused = List.of();
      return false;
    }
    try {
      Loaded next = load();
      context.renew(next.context());
      expiry = next.expiry();
      loaded = now;
      refused = List.of();
      LOG.info(
          "RDIO: {} changed; new connections use what is in them now, own certificate until {}",
          files(),
          expiry);
      return true;
    } catch (TlsException | RuntimeException e) {
      // Tried again each time, for two files are never replaced at once; told once.
      if (!now.equals(refused)) {
        refused = now;
        LOG.warn(
            "RDIO: {} changed, but cannot be used yet: {}. What was read before stays in use",
            files(),
            e.getMessage());
      }
      return false;
    }
  }

  private List<Path> files() {
    return settings.keys().files();
  }

  /** Ends the looking; connections may still be made. */
  @Override
  public void close() {
    synchronized (lock) {
      if (watcher != null) {
        watcher.shutdownNow();
        watcher = null;
      }
    }
  }
}
