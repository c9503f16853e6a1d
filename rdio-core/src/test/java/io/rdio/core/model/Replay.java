// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.model;

import io.rdio.client.plane.grant.ReplayedClient;
import io.rdio.core.device.WitnessedDevices.Shown;
import io.rdio.core.model.Trace.Step;
import io.rdio.core.time.MonotonicClock;
import io.rdio.datanode.grant.ReplayedDataNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes the steps of one trace on the real DataNode and the real clients, and compares the state
 * behind each step. For one thread: it decides who goes on, and what time it is.
 */
final class Replay implements AutoCloseable {
  private static final int CLIENTS = 2;

  /** Fits the ticks: a lease is good for two and a half of them. */
  private static final Duration MARGIN = Duration.ofSeconds(20);

  private final ReplayedDataNode dataNode;
  private final ReplayedReader reader;
  private final ReplayedDisk disk;
  private final Rules rules;
  private final List<ReplayedClient> clients = new ArrayList<>();
  private final List<ReplayedReader.Read> reads = new ArrayList<>();
  private final List<Shown> shown = new ArrayList<>();

  /**
   * What the clients keep to.
   *
   * @param margin that they take off their leases
   * @param witness whether they look at a device's witness
   * @param fence whether they look at their clock again after a read
   */
  record Rules(Duration margin, boolean witness, boolean fence) {
    static final Rules ALL = new Rules(MARGIN, true, true);
  }

  Replay(ReplayedDataNode dataNode, ReplayedReader reader, Rules rules) {
    this.dataNode = dataNode;
    this.reader = reader;
    this.rules = rules;
    this.disk = new ReplayedDisk(dataNode);
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new ReplayedClient("client" + i, dataNode, rules.margin()));
      reads.add(new ReplayedReader.Read());
      shown.add(new Shown());
    }
  }

  /**
   * Follows a trace to its end.
   *
   * @throws Divergence where the code does something else
   * @throws AssertionError if the code gives out bytes that are not the block's
   */
  void follow(Trace trace) throws Exception {
    boolean single = trace.steps().stream().allMatch(step -> step.client() == 0);
    int fields = Step.FIELDS.size() - (single ? 2 : 0); // the model then says the last two twice
    for (Step step : trace.steps()) {
      String refused = take(step);
      if (refused != null) {
        throw new Divergence(step, refused);
      }
      if (!step.name().equals("pause")) { // which is a part of the tick behind it
        compare(step, fields);
      }
    }
  }

  private void compare(Step step, int fields) throws Divergence {
    List<Integer> actual = state(step.state());
    for (int i = 0; i < fields; i++) {
      if (!actual.get(i).equals(step.state().get(i))) {
        throw new Divergence(
            step,
            "%s: %d in the model, %d in the code"
                .formatted(Step.FIELDS.get(i), step.state().get(i), actual.get(i)));
      }
    }
  }

  private List<Integer> state(List<Integer> model) {
    List<Integer> state = new ArrayList<>();
    state.add(number(dataNode.isUp()));
    state.add(number(dataNode.isFree()));
    state.add(number(dataNode.isLinked()));
    state.add(model.get(3)); // the leases below say it
    state.add(number(dataNode.isRecalled()));
    state.add(number(disk.isForeign()));
    for (ReplayedClient client : clients) {
      state.add(dataNode.holds(client.id()));
      state.add(number(client.mayRead()));
    }
    return state;
  }

  private static int number(boolean is) {
    return is ? 1 : 0;
  }

  /** Null if the code took the step. */
  private @Nullable String take(Step step) throws Exception {
    ReplayedClient client = clients.get(step.client());
    return switch (step.name()) {
      case "ask", "accept", "late", "refused", "lost", "let_go", "send_recall", "return_lease" ->
          leaseStep(step, client);
      case "ask_renewal", "renew", "renewed", "not_renewed" -> renewalStep(step, client);
      case "begin_pin", "share", "refuse", "link", "sync", "look_again", "map" ->
          grantStep(step, client);
      case "send", "send_copy", "try_copy", "answer", "use", "drop" -> readStep(step);
      case "stranger", "no_match" -> strangerStep(step, client);
      default -> worldStep(step, client);
    };
  }

  private @Nullable String leaseStep(Step step, ReplayedClient client) throws Exception {
    switch (step.name()) {
      case "ask" -> client.ask();
      case "accept" -> {
        if (!client.takeAnswer()) {
          return "the client takes no map from the answer";
        }
        reader.look(disk, rules.witness(), client.map(), shown.get(step.client()));
      }
      case "late", "refused" -> {
        if (client.takeAnswer()) {
          return "the client takes a map from the answer";
        }
        client.deliverReturns();
      }
      case "lost" -> client.loseAnswer();
      case "let_go" -> client.letGo();
      case "send_recall" -> {
        if (!client.takeRecall()) {
          return "the DataNode recalls nothing";
        }
      }
      default -> client.deliverReturns();
    }
    return null;
  }

  private static @Nullable String renewalStep(Step step, ReplayedClient client) {
    switch (step.name()) {
      case "ask_renewal" -> {
        return client.askRenewal() ? null : "the client asks for no renewal";
      }
      case "renew" -> {
        boolean renewed = client.serveRenewal();
        boolean wanted = step.mail().equals("GRANTED");
        return renewed == wanted ? null : "the DataNode " + (renewed ? "renews" : "refuses");
      }
      default -> {
        client.takeRenewal();
        return null;
      }
    }
  }

  private @Nullable String grantStep(Step step, ReplayedClient client) throws Exception {
    switch (step.name()) {
      case "begin_pin", "share", "refuse" -> client.serve();
      default -> client.serveOn();
    }
    if (step.name().equals("sync")) {
      disk.write();
    }
    if (step.name().equals("share") || step.name().equals("map")) {
      dataNode.overhear(client.grantedIds());
    }
    return client.answer().equals(step.mail())
        ? null
        : "the request is " + step.mail() + " in the model, " + client.answer() + " in the code";
  }

  private @Nullable String readStep(Step step) throws Exception {
    int c = step.client();
    switch (step.name()) {
      case "send", "send_copy" -> {
        reads.set(c, begin(c, step.name().equals("send_copy")));
        return reads.get(c).isUnderWay() ? null : "the reader does not read";
      }
      case "try_copy" -> {
        ReplayedReader.Read read = begin(c, true);
        boolean reads = read.isUnderWay();
        read.close();
        return reads ? "the reader reads an older copy" : null;
      }
      case "answer" -> {
        reads.get(c).answer();
        return null;
      }
      default -> {
        byte[] bytes = reads.get(c).finish();
        if (bytes != null && !ReplayedDisk.isGood(bytes)) {
          throw new AssertionError(step + ": the reader got another file's bytes");
        }
        boolean used = step.name().equals("use");
        return used == (bytes != null) ? null : "the reader " + (used ? "drops" : "uses") + " it";
      }
    }
  }

  private ReplayedReader.Read begin(int c, boolean copy) {
    ReplayedClient client = clients.get(c);
    long now = client.clock.nanos();
    MonotonicClock clock = rules.fence() ? client.clock : () -> now;
    Shown before = copy ? new Shown() : shown.get(c); // a copy is another device
    return reader.begin(disk, copy, rules.witness(), client.map(), clock, before);
  }

  private @Nullable String strangerStep(Step step, ReplayedClient client) {
    if (step.name().equals("stranger")) {
      dataNode.strangerMeddles(client.id());
      return null;
    }
    return client.returnsWhatItHasNot() ? "the client returns what it does not have" : null;
  }

  private @Nullable String worldStep(Step step, ReplayedClient client) {
    switch (step.name()) {
      case "tick_clock" -> {
        dataNode.tick();
        clients.forEach(ReplayedClient::tick);
      }
      case "pause" -> client.pause();
      case "delete" -> dataNode.delete();
      case "begin_truncate" -> dataNode.beginTruncate();
      case "look_at_links" -> dataNode.lookAtLinks();
      case "truncate" -> dataNode.truncate();
      case "reuse" -> {
        if (!dataNode.isFree()) {
          return "the extent is not free";
        }
        disk.reuse();
      }
      case "kill" -> dataNode.kill();
      case "power_loss" -> dataNode.losePower();
      case "start" -> dataNode.start();
      case "sweep" -> dataNode.sweep();
      case "write_back" -> disk.write();
      case "copy_device" -> disk.copy();
      case "swap" -> dataNode.swap();
      default -> throw new IllegalArgumentException("unknown: " + step);
    }
    if (!dataNode.isUp()) {
      clients.forEach(ReplayedClient::disconnect);
    }
    return null;
  }

  @Override
  public void close() {
    reads.forEach(ReplayedReader.Read::close);
    dataNode.close();
    clients.forEach(ReplayedClient::close);
  }
}
