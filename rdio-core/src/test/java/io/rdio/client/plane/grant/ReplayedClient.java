// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.rdio.client.counters.ClientCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.MapListener;
import io.rdio.client.plane.MapOutcome;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockAsk;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.testing.Stepper;
import io.rdio.core.time.PausableClock;
import io.rdio.core.wire.proto.GrantReply;
import io.rdio.core.wire.proto.RenewReply;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.core.wire.proto.ReturnRequest;
import io.rdio.datanode.grant.GrantResult;
import io.rdio.datanode.grant.ReplayedDataNode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The real client of the metadata plane, with a lease on the model's one block at most: each step
 * of the model's client is taken on it when the trace says so. For one thread.
 */
public final class ReplayedClient implements AutoCloseable {
  public static final Duration TERM = Duration.ofSeconds(60);

  /** After two ticks a lease may be renewed, after three it has run out. */
  private static final Duration TICK = Duration.ofSeconds(17);

  /** A map that nobody has read by for so long is not in use. */
  private static final Duration IDLE = Duration.ofSeconds(2);

  private static final Duration MOMENT = Duration.ofMillis(2);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String ENDPOINT = "datanode:9860";

  private final String id;
  private final ReplayedDataNode dataNode;
  private final ReplayedWire wire;
  private final MetadataClient client;
  private Duration ahead = Duration.ZERO;
  private boolean paused;

  private @Nullable CompletableFuture<MapOutcome> asking;
  private @Nullable StreamObserver<GrantReply> request;
  private @Nullable Stepper<GrantResult> granting;
  private @Nullable GrantReply granted;
  private @Nullable RenewReply renewed;
  private @Nullable FileMap map;

  public final PausableClock clock = new PausableClock();

  /**
   * @param margin that the client takes off its leases; 20 s fits the ticks
   */
  public ReplayedClient(String id, ReplayedDataNode dataNode, Duration margin) {
    this.id = id;
    this.dataNode = dataNode;
    this.wire = new ReplayedWire(dataNode, id);
    this.client =
        new MetadataClient(
            new MetadataClientSettings(id, LIMIT, Duration.ZERO, margin),
            wire,
            clock,
            new ClientCounters(),
            new Unheard());
  }

  private static final class Unheard implements MapListener {
    @Override
    public void lost(FileMap lost) {}

    @Override
    public void ranOut(FileMap over) {}
  }

  public String id() {
    return id;
  }

  /** The map that it was granted last. */
  public FileMap map() {
    return Objects.requireNonNull(map, "the client was granted nothing yet");
  }

  public boolean mayRead() {
    FileMap current = map;
    return current != null && current.guard().isValid(clock.nanos());
  }

  /** The machine is paused during the tick that comes. */
  public void pause() {
    paused = true;
  }

  public void tick() {
    if (paused) {
      clock.pause(TICK);
    } else {
      clock.pass(TICK.minus(ahead));
      ahead = Duration.ZERO;
    }
    paused = false;
  }

  private void pass(Duration time) {
    clock.pass(time);
    ahead = ahead.plus(time);
  }

  /** Sends a request; before the first, one for another block, which opens the recall stream. */
  public void ask() throws FallbackException {
    pass(MOMENT); // no longer is a DataNode left alone
    map = null;
    if (!wire.listens() && dataNode.isUp()) {
      client.grant(ENDPOINT, List.of(target(new BlockKey("BP-1", 2, 1001))));
    }
    CompletableFuture<MapOutcome> outcome = new CompletableFuture<>();
    Thread thread = new Thread(() -> ask(outcome), "asking " + id);
    thread.setDaemon(true);
    thread.start();
    asking = outcome;
    request = wire.request();
    granted = null;
  }

  private void ask(CompletableFuture<MapOutcome> outcome) {
    try {
      outcome.complete(client.grant(ENDPOINT, List.of(target(dataNode.block()))).get(0));
    } catch (FallbackException e) {
      outcome.complete(MapOutcome.refused(e));
    } catch (Throwable e) {
      outcome.completeExceptionally(e);
    }
  }

  private static BlockAsk target(BlockKey block) {
    return new BlockAsk(new TokenedBlock(block));
  }

  /** The DataNode takes the request to its first step on the disk, or answers it. */
  public void serve() throws Exception {
    granting = dataNode.beginGrant(id);
    answerIfDone();
  }

  /** The DataNode takes the next step of it. */
  public void serveOn() throws Exception {
    Objects.requireNonNull(granting, "nothing is being granted").step();
    answerIfDone();
  }

  private void answerIfDone() throws Exception {
    Stepper<GrantResult> stepper = granting;
    if (stepper != null && stepper.isDone()) {
      granted = ReplayedWire.reply(dataNode.incarnation(), stepper.finish());
      granting = null;
    }
  }

  /** Whether the DataNode has answered: "ASK" if not, else "GRANTED" or "REFUSED". */
  public String answer() {
    GrantReply reply = granted;
    if (reply == null) {
      return "ASK";
    }
    return reply.getBlocks(0).hasFileMap() ? "GRANTED" : "REFUSED";
  }

  /** The answer comes; true if the client takes a map from it. */
  public boolean takeAnswer() throws Exception {
    GrantReply reply = Objects.requireNonNull(granted, "the DataNode has not answered");
    StreamObserver<GrantReply> observer = Objects.requireNonNull(request);
    wire.refuseOnceMore(reply.getIncarnation());
    observer.onNext(reply);
    observer.onCompleted();
    map = outcome().map();
    wire.refuseOnceMore(null);
    return map != null;
  }

  private MapOutcome outcome() throws Exception {
    return Objects.requireNonNull(asking).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private void awaitOutcome() {
    try {
      outcome();
    } catch (Exception e) {
      throw new AssertionError("client " + id + " still asks", e);
    }
  }

  /** The connection breaks before the answer to what the client asked last. */
  public void loseAnswer() throws Exception {
    if (wire.renewal() != null) {
      wire.answerRenewal(null);
    } else {
      Objects.requireNonNull(request).onError(Status.UNAVAILABLE.asRuntimeException());
      outcome();
    }
  }

  /** Leases in the answer that the DataNode has given. */
  public long[] grantedIds() {
    GrantReply reply = granted;
    return reply == null || !reply.getBlocks(0).hasFileMap()
        ? new long[0]
        : new long[] {reply.getBlocks(0).getFileMap().getLeaseId()};
  }

  /** Uses the map and looks after its leases; true if that sent a renewal. */
  public boolean askRenewal() {
    map().guard().touch(clock.nanos());
    client.tend();
    return wire.renewal() != null;
  }

  /** The DataNode answers the renewal; true if the lease goes on. */
  public boolean serveRenewal() {
    RenewRequest request = Objects.requireNonNull(wire.renewal());
    long[] ids = request.getLeaseIdsList().stream().mapToLong(Long::longValue).toArray();
    RenewReply.Builder reply = RenewReply.newBuilder().setIncarnation(dataNode.incarnation());
    for (long millis : dataNode.renew(id, request.getIncarnation(), ids)) {
      reply.addLeaseMillis(millis);
    }
    renewed = reply.build();
    return reply.getLeaseMillis(0) > 0;
  }

  /** The answer to the renewal comes. */
  public void takeRenewal() {
    wire.answerRenewal(Objects.requireNonNull(renewed, "the DataNode has not answered"));
    renewed = null;
  }

  /** The recall comes, and nobody reads by the map any more; false if there is none to come. */
  public boolean takeRecall() {
    if (!wire.deliverRecalls()) {
      return false;
    }
    if (mayRead()) {
      pass(IDLE);
      client.tend();
    }
    return true;
  }

  /** A recall of leases that the client does not have; true if it makes the client return any. */
  public boolean returnsWhatItHasNot() {
    long mine = Lease.of(map()).id();
    wire.deliver(List.of(mine + 1, mine ^ Long.MIN_VALUE));
    return !wire.returned().isEmpty();
  }

  /** What the client has returned reaches the DataNode, if that is there. */
  public void deliverReturns() {
    for (ReturnRequest returned : wire.returned()) {
      if (dataNode.isUp()) {
        long[] ids = returned.getLeaseIdsList().stream().mapToLong(Long::longValue).toArray();
        dataNode.giveBack(id, returned.getIncarnation(), ids);
      }
    }
  }

  /** Gives its map up, for good. */
  public void letGo() {
    client.discard(map());
    client.tend();
    deliverReturns();
  }

  /** The DataNode's process is gone. */
  public void disconnect() {
    wire.disconnect();
    granting = null;
  }

  @Override
  public void close() {
    if (asking != null && request != null && !asking.isDone()) {
      wire.refuseOnceMore(0L);
      request.onError(Status.UNAVAILABLE.asRuntimeException());
      awaitOutcome(); // a call that begins while its channel is closed makes gRPC complain
    }
    client.close();
  }
}
