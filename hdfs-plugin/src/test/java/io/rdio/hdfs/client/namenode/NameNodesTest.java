// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.namenode;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Patience;
import java.lang.ref.Reference;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hdfs.DFSClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How long clients of NameNodes are kept. None of these NameNodes is asked anything. */
final class NameNodesTest {
  private final AtomicLong nanos = new AtomicLong();

  /** What happens when somebody looks at the clock next. */
  private final Queue<Runnable> meanwhile = new ConcurrentLinkedQueue<>();

  /** What a new client takes. */
  private volatile NameNodes.Maker maker = DFSClient::new;

  private final NameNodes nameNodes =
      new NameNodes(
          Duration.ofSeconds(1), this::clock, (nameservice, conf) -> maker.make(nameservice, conf));

  private final ExecutorService threads = Executors.newCachedThreadPool();

  private long clock() {
    Runnable first = meanwhile.poll();
    if (first != null) {
      first.run();
    }
    return nanos.get();
  }

  private DFSClient client(int port) throws Exception {
    return nameNodes.patient(URI.create("hdfs://127.0.0.1:" + port));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    nameNodes.close();
  }

  @Test
  void clientIsKeptWhileItIsUsed() throws Exception {
    DFSClient client = client(1);
    for (int i = 0; i < 3; i++) {
      nanos.addAndGet(Duration.ofMinutes(50).toNanos());
      assertThat(client(1)).isSameAs(client);
    }
    client(2);
    assertThat(client.isClientRunning()).isTrue();
    nanos.addAndGet(Duration.ofMinutes(70).toNanos());
    client(3);
    assertThat(client.isClientRunning()).isFalse();
    assertThat(client(1)).isNotSameAs(client);
  }

  @Test
  void clientsWhoseOwnerIsGarbageAreClosed() throws Exception {
    Object owner = new Object();
    AbandonedNameNodes.closeAfter(owner, nameNodes);
    DFSClient client = client(1);
    try {
      System.gc();
      AbandonedNameNodes.close();
      assertThat(client.isClientRunning()).isTrue();
    } finally {
      Reference.reachabilityFence(owner);
    }
    owner = null;
    Patience.await()
        .untilAsserted(
            () -> {
              System.gc();
              AbandonedNameNodes.close();
              assertThat(client.isClientRunning()).isFalse();
            });
  }

  @Test
  void impatientClientIsAnotherOne() throws Exception {
    URI nameservice = URI.create("hdfs://127.0.0.1:1");
    assertThat(nameNodes.impatient(nameservice)).isNotSameAs(nameNodes.patient(nameservice));
  }

  @Test
  void oneThatWasIdleLongestMakesRoom() throws Exception {
    List<DFSClient> clients = new ArrayList<>();
    for (int i = 0; i < NameNodes.MAX_CLIENTS; i++) {
      nanos.incrementAndGet();
      clients.add(client(1 + i));
    }
    assertThat(clients).allMatch(DFSClient::isClientRunning);
    nanos.incrementAndGet();
    client(1);
    client(1 + NameNodes.MAX_CLIENTS);
    assertThat(clients.get(0).isClientRunning()).isTrue();
    assertThat(clients.get(1).isClientRunning()).isFalse();
    assertThat(clients.subList(2, clients.size())).allMatch(DFSClient::isClientRunning);
  }

  @Test
  void clientThatMadeRoomInThisMomentIsNotGiven() throws Exception {
    DFSClient client = client(1);
    nanos.addAndGet(Duration.ofMinutes(70).toNanos());
    meanwhile.add(
        () -> {
          try {
            client(2);
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    DFSClient next = client(1);
    assertThat(client.isClientRunning()).as("it was idle").isFalse();
    assertThat(next.isClientRunning()).isTrue();
  }

  /** As one whose name server does not answer. */
  @Test
  @Timeout(120)
  void oneThatIsLongInTheMakingKeepsNobodyElseWaiting() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    maker =
        (nameservice, conf) -> {
          if (nameservice.getPort() == 1) {
            begun.countDown();
            await(goOn);
          }
          return new DFSClient(nameservice, conf);
        };
    Future<DFSClient> slow = threads.submit(() -> client(1));
    begun.await();
    assertThat(client(2).isClientRunning()).isTrue();
    assertThat(slow).isNotDone();
    goOn.countDown();
    assertThat(slow.get().isClientRunning()).isTrue();
  }

  @Test
  @Timeout(120)
  void ofTwoThatAreMadeAtTheSameTimeOneIsClosed() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    Queue<DFSClient> made = new ConcurrentLinkedQueue<>();
    maker =
        (nameservice, conf) -> {
          DFSClient client = new DFSClient(nameservice, conf);
          made.add(client);
          await(both);
          return client;
        };
    Future<DFSClient> other = threads.submit(() -> client(1));
    DFSClient mine = client(1);
    assertThat(other.get()).isSameAs(mine);
    assertThat(made).hasSize(2).filteredOn(DFSClient::isClientRunning).containsExactly(mine);
  }

  @Test
  void closeClosesAll() throws Exception {
    DFSClient client = client(1);
    nameNodes.close();
    assertThat(client.isClientRunning()).isFalse();
  }
}
