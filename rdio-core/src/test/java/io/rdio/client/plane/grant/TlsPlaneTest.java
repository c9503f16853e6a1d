// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static io.rdio.core.testing.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import io.rdio.core.testing.TestAuthority;
import io.rdio.core.testing.TestAuthority.Identity;
import io.rdio.core.tls.NamedFile;
import io.rdio.core.tls.PemFiles;
import io.rdio.core.tls.TlsContext;
import io.rdio.core.tls.TlsMode;
import io.rdio.core.tls.TlsSettings;
import io.rdio.core.wire.NettyChannelFactory;
import io.rdio.datanode.grant.GrantFixture;
import io.rdio.datanode.server.MetadataServer;
import io.rdio.datanode.server.MetadataServerPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS on the metadata plane over a real socket: who gets in, and what the others are told. */
final class TlsPlaneTest {
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final String HOST = "127.0.0.1";

  @TempDir Path folder;
  private final TestAuthority authority = new TestAuthority("authority");
  private final TestAuthority stranger = new TestAuthority("stranger");
  private int files;
  private @Nullable MetadataServer server;
  private @Nullable TlsContext serverTls;

  @AfterEach
  void stop() {
    if (server != null) {
      server.close();
    }
    if (serverTls != null) {
      serverTls.close();
    }
  }

  private TlsSettings settings(TlsMode mode, @Nullable Identity identity, TestAuthority trusted) {
    Path base = folder.resolve("pem" + files++);
    Path certificate = Path.of(base + ".certificate");
    Path key = Path.of(base + ".key");
    Path authorities = Path.of(base + ".trusted");
    trusted.writePem(authorities);
    if (identity != null) {
      identity.writePem(certificate, key);
    }
    return new TlsSettings(
        mode,
        new PemFiles(
            identity == null ? null : new NamedFile("certificate", certificate),
            identity == null ? null : new NamedFile("key", key),
            new NamedFile("trusted", authorities)),
        Duration.ofMillis(20));
  }

  private int serve(@Nullable TlsSettings settings) throws Exception {
    serverTls = settings == null ? null : TlsContext.server(settings);
    server =
        MetadataServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            MetadataServerPolicy.of(8),
            new GrantFixture(folder).service,
            serverTls);
    return server.port();
  }

  private MetadataClient client(@Nullable TlsSettings settings, Duration timeout) throws Exception {
    return new MetadataClient(
        new MetadataClientSettings("client", timeout, Duration.ZERO, Duration.ZERO),
        new NettyChannelFactory(settings == null ? null : TlsContext.client(settings)),
        System::nanoTime,
        new ClientCounters(),
        new Nobody());
  }

  private static void hello(MetadataClient client, int port) throws FallbackException {
    assertThat(client.hello(HOST + ":" + port).protocolVersion()).isPositive();
  }

  private FallbackException refusal(@Nullable TlsSettings settings, int port) throws Exception {
    try (MetadataClient client = client(settings, LONG)) {
      return catchThrowableOfType(FallbackException.class, () -> hello(client, port));
    }
  }

  private void awaitFailures(long count) {
    await().untilAsserted(() -> assertThat(server.handshakesFailed()).isEqualTo(count));
  }

  @ParameterizedTest
  @EnumSource(
      value = TlsMode.class,
      names = {"ON", "MUTUAL"})
  void rightCertificatesGetIn(TlsMode mode) throws Exception {
    int port = serve(settings(mode, authority.issue(HOST), authority));
    Identity own = mode == TlsMode.MUTUAL ? authority.issue("client") : null;
    try (MetadataClient client = client(settings(mode, own, authority), LONG)) {
      hello(client, port);
    }
    assertThat(server.handshakesFailed()).isZero();
  }

  @Test
  void anUnknownAuthority() throws Exception {
    int port = serve(settings(TlsMode.ON, stranger.issue(HOST), authority));
    FallbackException refusal = refusal(settings(TlsMode.ON, null, authority), port);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.TLS_FAILED);
    assertThat(refusal.detail()).contains("an authority that is not trusted", HOST + ":" + port);
    awaitFailures(1);
  }

  @Test
  void anotherHost() throws Exception {
    int port = serve(settings(TlsMode.ON, authority.issue("other.example"), authority));
    FallbackException refusal = refusal(settings(TlsMode.ON, null, authority), port);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.TLS_FAILED);
    assertThat(refusal.detail()).contains("the certificate is for another host");
    awaitFailures(1);
  }

  @Test
  void noClientCertificate() throws Exception {
    int port = serve(settings(TlsMode.MUTUAL, authority.issue(HOST), authority));
    FallbackException refusal = refusal(settings(TlsMode.ON, null, authority), port);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.TLS_FAILED);
    assertThat(refusal.detail()).contains(Setting.CLIENT_TLS + " = mutual");
    awaitFailures(1);
  }

  @Test
  void aClientOfAnotherAuthority() throws Exception {
    int port = serve(settings(TlsMode.MUTUAL, authority.issue(HOST), authority));
    FallbackException refusal =
        refusal(settings(TlsMode.MUTUAL, stranger.issue("client"), authority), port);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.TLS_FAILED);
    awaitFailures(1);
  }

  @Test
  void plainTextToAPortWithTls() throws Exception {
    int port = serve(settings(TlsMode.ON, authority.issue(HOST), authority));
    FallbackException refusal = refusal(null, port);
    assertThat(refusal.reason()).isEqualTo(FallbackReason.TLS_REQUIRED);
    assertThat(refusal.detail()).contains("set " + Setting.CLIENT_TLS);
    awaitFailures(1);
  }

  @Test
  void tlsToAPortInPlainText() throws Exception {
    int port = serve(null);
    List<LogRecord> logged = new CopyOnWriteArrayList<>();
    Handler handler = new Recorder(logged);
    Logger transports = Logger.getLogger("io.grpc.netty.NettyServerTransport");
    transports.addHandler(handler);
    try {
      FallbackException refusal = refusal(settings(TlsMode.ON, null, authority), port);
      assertThat(refusal.reason()).isEqualTo(FallbackReason.TLS_FAILED);
      assertThat(refusal.detail()).contains("speaks no TLS");
      awaitFailures(1);
      server.close();
    } finally {
      transports.removeHandler(handler);
    }
    assertThat(logged).as("traces in the DataNode's log, one for each such client").isEmpty();
  }

  @Test
  void aPortThatDoesNotAnswerIsNoMatterOfTls() throws Exception {
    TlsSettings settings = settings(TlsMode.ON, null, authority);
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        MetadataClient client = client(settings, Duration.ofMillis(300))) {
      int port = silent.getLocalPort();
      assertThat(catchThrowableOfType(FallbackException.class, () -> hello(client, port)).reason())
          .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    }
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }
    assertThat(refusal(settings, closed).reason())
        .isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
  }

  /** New connections meet the new certificate; the client that is connected goes on. */
  @Test
  void aCertificateIsReplacedWhileItServes() throws Exception {
    TlsSettings served = settings(TlsMode.ON, authority.issue(HOST), authority);
    int port = serve(served);
    TlsSettings old = settings(TlsMode.ON, null, authority);
    TlsSettings fresh = settings(TlsMode.ON, null, stranger);
    try (MetadataClient connected = client(old, LONG)) {
      hello(connected, port);
      assertThat(refusal(fresh, port).reason()).isEqualTo(FallbackReason.TLS_FAILED);
      var names = served.keys().files();
      serverTls.watch();
      stranger.issue(HOST).writePem(names.get(0), names.get(1));
      try (MetadataClient client = client(fresh, LONG)) {
        await().ignoreExceptions().untilAsserted(() -> hello(client, port));
      }
      hello(connected, port);
      assertThat(refusal(old, port).reason()).isEqualTo(FallbackReason.TLS_FAILED);
    }
  }

  /** Connections that say nothing hold no more than their share, and no thread. */
  @Test
  void unfinishedHandshakesDoNotKeepOthersOut() throws Exception {
    int port = serve(settings(TlsMode.ON, authority.issue(HOST), authority));
    Socket[] silent = new Socket[6];
    try {
      for (int i = 0; i < silent.length; i++) {
        silent[i] = new Socket(InetAddress.getLoopbackAddress(), port);
        silent[i].getOutputStream().write(new byte[] {0x16, 3, 1, 2, 0});
      }
      try (MetadataClient client = client(settings(TlsMode.ON, null, authority), LONG)) {
        hello(client, port);
      }
    } finally {
      for (Socket socket : silent) {
        close(socket);
      }
    }
    awaitFailures(silent.length);
  }

  private static void close(@Nullable Socket socket) throws IOException {
    if (socket != null) {
      socket.close();
    }
  }

  private static final class Recorder extends Handler {
    private final List<LogRecord> logged;

    Recorder(List<LogRecord> logged) {
      this.logged = logged;
    }

    @Override
    public void publish(LogRecord message) {
      logged.add(message);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private static final class Nobody implements MapListener {
    @Override
    public void lost(FileMap map) {}

    @Override
    public void ranOut(FileMap map) {}
  }
}
