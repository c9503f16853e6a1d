// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.wire.ProtocolVersion;
import io.rdio.core.wire.proto.HelloReply;
import io.rdio.core.wire.proto.HelloRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who wants to know whether a DataNode answers, and how often it is asked for that. */
final class AnsweringDataNodeTest {
  private static final String ENDPOINT = "datanode:9860";
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final Duration BACK_OFF = Duration.ofMinutes(1);

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch mayAnswer = new CountDownLatch(1);
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // wraps round
  private final ManagedChannel nobody = InProcessChannelBuilder.forName("nobody").build();
  private ImpostorPlane plane;
  private MetadataClient client;

  @BeforeEach
  void start() throws Exception {
    plane = new ImpostorPlane(nobody);
    plane.dataNodeIsDown();
    plane.hello = AnsweringDataNodeTest::answer;
    client =
        new MetadataClient(
            new MetadataClientSettings("client", LONG, BACK_OFF, Duration.ofSeconds(2)),
            plane,
            nanos::get,
            new ClientCounters(),
            new MapListener() {
              @Override
              public void lost(FileMap map) {}

              @Override
              public void ranOut(FileMap map) {}
            });
  }

  private static HelloReply answer(HelloRequest request, HelloReply empty) {
    return empty.toBuilder().setProtocolVersion(ProtocolVersion.CURRENT).build();
  }

  @AfterEach
  void stop() {
    mayAnswer.countDown();
    client.close();
    nobody.shutdownNow();
  }

  private int hellos() {
    return plane.requests(HelloRequest.class).size();
  }

  private void advance(long by) {
    nanos.addAndGet(by);
  }

  @Test
  void anAnswerIsGoodForAMoment() throws Exception {
    client.requireAnswering(ENDPOINT);
    advance(DataNodeChannel.FRESH_NANOS - 1);
    client.requireAnswering(ENDPOINT);
    assertThat(hellos()).isEqualTo(1);
    advance(1);
    client.requireAnswering(ENDPOINT);
    assertThat(hellos()).isEqualTo(2);
  }

  @Test
  void whateverItAnswersWillDo() throws Exception {
    client.requireAnswering(ENDPOINT);
    advance(DataNodeChannel.FRESH_NANOS);
    client.hello(ENDPOINT);
    client.requireAnswering(ENDPOINT);
    assertThat(hellos()).as("the second one by another call").isEqualTo(2);
  }

  @Test
  void ofThoseWhoComeTogetherOneAsks() throws Exception {
    plane.hello =
        (request, reply) -> {
          asked.countDown();
          awaitAnswer();
          return answer(request, reply);
        };
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(
          threads.submit(
              () -> {
                client.requireAnswering(ENDPOINT);
                return null;
              }));
    }
    assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
    mayAnswer.countDown();
    for (Future<?> each : all) {
      each.get(60, TimeUnit.SECONDS);
    }
    threads.shutdown();
    assertThat(hellos()).isEqualTo(1);
  }

  private void awaitAnswer() {
    try {
      mayAnswer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void oneThatDoesNotAnswerIsLeftAlone() {
    plane.hello =
        (request, reply) -> {
          throw Status.UNAVAILABLE.asRuntimeException();
        };
    assertThat(refusal().reason()).isEqualTo(FallbackReason.METADATA_PLANE_UNREACHABLE);
    FallbackException later = refusal();
    assertThat(later.reason()).isEqualTo(FallbackReason.METADATA_PLANE_BACKOFF);
    assertThat(later.getCause()).hasMessageContaining("METADATA_PLANE_UNREACHABLE");
    assertThat(hellos()).isEqualTo(1);
  }

  private FallbackException refusal() {
    return catchThrowableOfType(FallbackException.class, () -> client.requireAnswering(ENDPOINT));
  }
}
