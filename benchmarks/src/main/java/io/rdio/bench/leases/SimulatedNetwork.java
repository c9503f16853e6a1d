// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.leases;

import io.rdio.hdfs.carried.CallEnd;
import io.rdio.hdfs.carried.Carrier;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Brings calls to DataNodes and their answers back, each way in the same time, whatever there is on
 * it. Callers give up what is not answered in time, but for the stream of recalls. A DataNode that
 * is cut off loses its open calls, and answers no more. For one thread at a time.
 */
final class SimulatedNetwork {
  static final String SERVICE = "rdio.v1.MetadataPlane/";

  /** How long callers wait for an answer, as {@code dfs.client.rdio.rpc.timeout} has it. */
  static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final String STREAM = SERVICE + "Recalls";
  private static final long WAY_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final CallEnd LOST = CallEnd.failed("UNAVAILABLE", "cut off");
  private static final CallEnd SILENT = CallEnd.failed("DEADLINE_EXCEEDED", "no answer");

  private final VirtualTime time;
  private final Map<String, Peer> peers = new HashMap<>();
  private final Map<String, Set<Way>> open = new HashMap<>();
  private final Set<String> cut = new HashSet<>();
  private long refusedAsBusy;

  /** A DataNode, as calls see it. */
  @FunctionalInterface
  interface Peer {
    /** Takes a call; answers it now or later. */
    Carrier.Call serve(InetAddress client, String method, byte[] request, Carrier.Answers answers);
  }

  SimulatedNetwork(VirtualTime time) {
    this.time = time;
  }

  void add(String endpoint, Peer peer) {
    peers.put(endpoint, peer);
    open.put(endpoint, new LinkedHashSet<>());
  }

  /** Cuts a DataNode off. */
  void cut(String endpoint) {
    cut.add(endpoint);
    List.copyOf(openCalls(endpoint)).forEach(Way::lose);
  }

  void mend(String endpoint) {
    cut.remove(endpoint);
  }

  /** Calls that DataNodes refused for want of room. */
  long refusedAsBusy() {
    return refusedAsBusy;
  }

  /** Sends a call, which is answered later. */
  Carrier.Call send(
      InetAddress from, String endpoint, String method, byte[] request, Carrier.Answers answers) {
    Way way = new Way(endpoint, answers);
    time.after(WAY_NANOS, () -> way.arrive(from, method, request));
    return way;
  }

  private Set<Way> openCalls(String endpoint) {
    return Objects.requireNonNull(open.get(endpoint), endpoint);
  }

  /** A call under way. */
  private final class Way implements Carrier.Call, Carrier.Answers {
    private final String endpoint;
    private final Carrier.Answers caller;
    private Carrier.@Nullable Call served;

    /** The caller hears no more, but for what is on its way to it. */
    private boolean over;

    private boolean cancelled;

    Way(String endpoint, Carrier.Answers caller) {
      this.endpoint = endpoint;
      this.caller = caller;
    }

    void arrive(InetAddress from, String method, byte[] request) {
      if (cancelled) {
        return;
      }
      boolean isCut = cut.contains(endpoint);
      if (isCut || !method.equals(STREAM)) {
        time.after(PATIENCE_NANOS, this::giveUp);
      }
      if (!isCut) {
        openCalls(endpoint).add(this);
        Peer peer = Objects.requireNonNull(peers.get(endpoint), endpoint);
        served = peer.serve(from, method, request, this);
      }
    }

    /** The caller has waited long enough. */
    private void giveUp() {
      if (over || cancelled) {
        return;
      }
      over = true;
      openCalls(endpoint).remove(this);
      Carrier.Call call = served;
      if (call != null) {
        call.cancel();
      }
      tell(SILENT);
    }

    @Override
    public void message(byte[] bytes) {
      if (!over) {
        time.after(
            WAY_NANOS,
            () -> {
              if (!cancelled) {
                caller.message(bytes);
              }
            });
      }
    }

    @Override
    public void ended(CallEnd end) {
      if (over) {
        return;
      }
      over = true;
      openCalls(endpoint).remove(this);
      refusedAsBusy += end.retryAfterMillis() < 0 ? 0 : 1;
      time.after(WAY_NANOS, () -> tell(end));
    }

    private void tell(CallEnd end) {
      if (!cancelled) {
        caller.ended(end);
      }
    }

    void lose() {
      ended(LOST);
    }

    @Override
    public void cancel() {
      if (cancelled) {
        return;
      }
      cancelled = true;
      openCalls(endpoint).remove(this);
      Carrier.Call call = served;
      if (call != null && !over) {
        over = true;
        call.cancel();
      }
    }
  }
}
