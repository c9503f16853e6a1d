// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.direct;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.SslHandler;
import io.rdio.core.testing.Command;
import io.rdio.core.tls.TlsContext;
import io.rdio.core.wire.TlsErrors;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.exclusive.eviction.DataCacheAgent;
import io.rdio.exclusive.prefcache.PrefCacheAgent;
import io.rdio.hdfs.RdioConfigKeys;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loading classes is most of a short job's start: what is not configured is not loaded. */
class PlainClientClassesTest {
  // Without the record of its settings, which others' hash code loads: it is null.
  private static final String OURS =
      "io\\.rdio\\.(core\\.(tls\\.(?!TlsSettings$)|wire\\.Tls)|hdfs\\.tls\\.TlsKeys|hdfs\\.client\\.direct\\.ClientTls).*";
  private static final String OTHERS =
      "sun\\.security\\.ssl\\.(SSLContextImpl|TransportContext).*|io\\.netty\\.handler\\.ssl\\.(SslHandler|JdkSsl).*";

  private static final String STORAGE = "io\\.rdio\\.exclusive\\..*";

  /** A client that asks a plugin once. */
  static final class Client {
    private Client() {}

    public static void main(String[] args) throws Exception {
      Configuration conf = new Configuration(false);
      conf.setBoolean(RdioConfigKeys.CLIENT_ENABLED.name(), true);
      // A machine that is busy takes seconds to load what this loads.
      conf.set(RdioConfigKeys.CLIENT_RPC_TIMEOUT.name(), "60s");
      RdioClientContext.get(conf).close();
      try (DataNodePlugins plugins = DataNodePlugins.of(conf)) {
        plugins.hello(args[0]);
      }
    }
  }

  @Test
  void noneOfTlsAndNoneOfTheStorageNodesCache(@TempDir Path folder) throws Exception {
    Path log = folder.resolve("classes.log");
    Server plugin =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(new Greeter())
            .build()
            .start();
    try {
      Command.run(
          Path.of(System.getProperty("java.home"), "bin", "java").toString(),
          "-Xlog:class+load:file=" + log,
          "-cp",
          System.getProperty("java.class.path"),
          Client.class.getName(),
          "127.0.0.1:" + plugin.getPort());
    } finally {
      plugin.shutdownNow();
    }
    List<String> loaded =
        Files.readAllLines(log).stream()
            .map(line -> line.replaceFirst("^(\\[[^]]*] *)+", "").split(" ", 2)[0])
            .toList();
    assertThat(loaded).contains("io.rdio.core.wire.NettyChannelFactory");
    assertThat(loaded.stream().filter(name -> name.matches(OURS + "|" + OTHERS))).isEmpty();
    assertThat(loaded).contains("io.rdio.hdfs.client.direct.ClientResources");
    assertThat(loaded.stream().filter(name -> name.matches(STORAGE))).isEmpty();
  }

  /** So that no pattern above finds nothing only because its classes have moved. */
  @Test
  void whatIsLookedForIsThere() throws Exception {
    assertThat(
            List.of(
                TlsContext.class,
                TlsErrors.class,
                ClientTls.class,
                Class.forName("io.rdio.hdfs.tls.TlsKeys")))
        .allMatch(type -> type.getName().matches(OURS));
    assertThat(List.of(SslHandler.class, Class.forName("sun.security.ssl.SSLContextImpl")))
        .allMatch(type -> type.getName().matches(OTHERS));
    assertThat(List.of(PrefCacheAgent.class, DataCacheAgent.class))
        .allMatch(type -> type.getName().matches(STORAGE));
  }

  private static final class Greeter extends MetadataPlaneGrpc.MetadataPlaneImplBase {
    @Override
    public void hello(HelloRequest asked, StreamObserver<HelloReply> observer) {
      observer.onNext(
          HelloReply.newBuilder().setProtocolVersion(asked.getProtocolVersion()).build());
      observer.onCompleted();
    }
  }
}
