// SPDX-License-Identifier: Apache-2.0
import io.rdio.core.linux.Fiemap;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import io.rdio.core.wire.proto.MetadataPlaneGrpc;
import io.rdio.nativeio.NativeAvailability;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.shaded.com.github.benmanes.caffeine.cache.Cache;
import io.rdio.shaded.com.github.benmanes.caffeine.cache.Caffeine;
import io.rdio.shaded.com.github.benmanes.caffeine.cache.Expiry;
import io.rdio.shaded.io.grpc.ManagedChannel;
import io.rdio.shaded.io.grpc.Server;
import io.rdio.shaded.io.grpc.netty.NettyChannelBuilder;
import io.rdio.shaded.io.grpc.netty.NettyServerBuilder;
import io.rdio.shaded.io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.HdfsConfiguration;

/**
 * Uses all that was shaded, on a class path of nothing but Hadoop and the jar that users install.
 * ShadedJarIT runs it from this source, since only there its imports exist. Arguments: the hooks to
 * load, {@code client} or {@code client datanode}, then a file on ext4 or xfs to map, if there is
 * one. Exits with 0 if all of it works.
 */
final class ShadedJarProbe {
  private ShadedJarProbe() {}

  public static void main(String[] args) throws Exception {
    List<String> arguments = List.of(args);
    Configuration conf = new HdfsConfiguration();
    clientHook(conf);
    if (arguments.contains("datanode")) {
      dataNodeHook(conf);
    }
    metadataPlane();
    cache();
    NativeAvailability library = NativeLibrary.availability();
    require(library.isAvailable(), library.toString());
    String last = arguments.get(arguments.size() - 1);
    if (last.startsWith("/")) {
      Path file = Path.of(last);
      require(Fiemap.extents(file, Files.size(file)).count() > 0, "no extents by jnr-ffi");
    }
    System.out.println("all of it works");
  }

  /** As DFSClient does it: by name, with its own class loading, then a builder that says no. */
  private static void clientHook(Configuration conf) throws Exception {
    conf.set(
        "dfs.client.replica.accessor.builder.classes",
        "io.rdio.hdfs.client.RdioReplicaAccessorBuilder");
    conf.setBoolean("dfs.client.rdio.enabled", true);
    var settings = new org.apache.hadoop.hdfs.client.impl.DfsClientConf(conf);
    require(settings.getReplicaAccessorBuilderClasses().size() == 1, "client hook not loaded");
    var builder =
        settings.getReplicaAccessorBuilderClasses().get(0).getDeclaredConstructor().newInstance();
    var accessor =
        builder
            .setConfiguration(conf)
            .setFileName("/none")
            .setBlock(1, "BP-1")
            .setBlockAccessToken(new byte[0])
            .setClientName("probe")
            .setVisibleLength(1)
            .setVerifyChecksum(true)
            .setAllowShortCircuitReads(false)
            .build();
    require(accessor == null, "a file being written was not left to stock HDFS");
  }

  /** As the DataNode does it. */
  private static void dataNodeHook(Configuration conf) {
    conf.set("dfs.datanode.plugins", "io.rdio.hdfs.datanode.RdioDataNodePlugin");
    List<?> plugins =
        conf.getInstances("dfs.datanode.plugins", org.apache.hadoop.util.ServicePlugin.class);
    require(plugins.size() == 1, "DataNode hook not loaded");
  }

  /** A call over a socket: gRPC, Netty, protobuf, and gRPC's own service files. */
  private static void metadataPlane() throws Exception {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                new MetadataPlaneGrpc.MetadataPlaneImplBase() {
                  @Override
                  public void hello(HelloRequest request, StreamObserver<HelloReply> reply) {
                    reply.onNext(
                        HelloReply.newBuilder()
                            .setProtocolVersion(request.getProtocolVersion() + 1)
                            .build());
                    reply.onCompleted();
                  }
                })
            .build()
            .start();
    // A target by name, so that the name resolver and the load balancer are looked up too.
    ManagedChannel channel =
        NettyChannelBuilder.forTarget("dns:///localhost:" + server.getPort())
            .usePlaintext()
            .build();
    HelloReply reply =
        MetadataPlaneGrpc.newBlockingStub(channel)
            .withDeadlineAfter(20, TimeUnit.SECONDS)
            .hello(HelloRequest.newBuilder().setProtocolVersion(7).build());
    require(reply.getProtocolVersion() == 8, "gRPC answered " + reply);
    channel.shutdownNow();
    server.shutdownNow();
  }

  /** Weighed and with an expiry of its own for each entry: the most that a cache of ours asks. */
  private static void cache() {
    Cache<String, String> cache =
        Caffeine.newBuilder()
            .maximumWeight(10)
            .weigher((String key, String value) -> value.length())
            .expireAfter(Expiry.creating((String key, String value) -> Duration.ofMinutes(1)))
            .build();
    cache.put("key", "value");
    require(Objects.equals(cache.getIfPresent("key"), "value"), "Caffeine lost an entry");
    cache.put("large", "longer than the whole cache");
    cache.cleanUp();
    require(cache.getIfPresent("large") == null, "Caffeine does not weigh");
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new IllegalStateException(otherwise);
    }
  }
}
