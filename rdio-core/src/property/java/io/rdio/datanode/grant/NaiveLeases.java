// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.block.BlockKey;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What {@link LeaseTable} is to do with the pins of one volume, said as plainly as can be: lists
 * that are searched from end to end, and sums that are made anew each time.
 */
final class NaiveLeases {
  static final class NaiveLease {
    final long id;
    final Holder holder;
    final Pin pin;
    long expiry;

    NaiveLease(long id, Holder holder, Pin pin, long expiry) {
      this.id = id;
      this.holder = holder;
      this.pin = pin;
      this.expiry = expiry;
    }
  }

  static final class NaivePin {
    final Pin pin;
    String payer;
    boolean speculative;
    boolean recalled;
    boolean deleted;
    boolean released;
    boolean used;
    long turn;

    NaivePin(Pin pin, String payer, boolean speculative) {
      this.pin = pin;
      this.payer = payer;
      this.speculative = speculative;
    }

    boolean live() {
      return !recalled && !released;
    }
  }

  record NaivePromise(String address, BlockKey block, long due) {}

  final List<NaiveLease> leases = new ArrayList<>();
  final List<NaivePin> pins = new ArrayList<>();
  final List<NaivePromise> promises = new ArrayList<>();
  private final int capacity;
  private long turns;

  NaiveLeases(int capacity) {
    this.capacity = capacity;
  }

  NaivePin of(Pin pin) {
    return pins.stream().filter(one -> one.pin == pin).findFirst().orElseThrow();
  }

  List<NaiveLease> on(Pin pin) {
    return leases.stream().filter(lease -> lease.pin == pin).toList();
  }

  void add(Pin pin, Demand demand) {
    NaivePin added = new NaivePin(pin, demand.address(), demand.speculative());
    added.turn = ++turns;
    pins.add(added);
  }

  /** Whether the pin was handed out by that. */
  boolean end(NaiveLease lease) {
    leases.remove(lease);
    NaivePin pin = of(lease.pin);
    List<NaiveLease> left = on(lease.pin);
    if (left.isEmpty()) {
      pin.released = true;
      return true;
    }
    String payer = left.get(0).holder.address();
    if (!payer.equals(pin.payer)) {
      pin.payer = payer;
      pin.turn = ++turns;
    }
    return false;
  }

  /** Says in which order the pins of each address are looked at from now on. */
  void takeTurns(List<Pin> inTurn) {
    for (Pin pin : inTurn) {
      of(pin).turn = ++turns;
    }
  }

  /** Whether an asker finds a place; then it has it, and a promise to it is kept. */
  boolean take(Demand demand, long now) {
    promises.removeIf(promise -> promise.due() - now <= 0);
    List<NaivePromise> mine =
        promisesTo(demand.address()).stream()
            .filter(one -> !demand.speculative() || one.block().equals(demand.block()))
            .toList();
    if (pins.size() >= capacity || (mine.isEmpty() && unpromised() <= 0)) {
      return false;
    }
    mine.stream()
        .min(Comparator.comparing(promise -> !promise.block().equals(demand.block())))
        .ifPresent(promises::remove);
    return true;
  }

  int unpromised() {
    int recalled = (int) pins.stream().filter(pin -> pin.recalled).count();
    return capacity - pins.size() + recalled - promises.size();
  }

  List<NaivePromise> promisesTo(String address) {
    return promises.stream().filter(promise -> promise.address().equals(address)).toList();
  }

  private Map<String, List<NaivePin>> liveByAddress() {
    Map<String, List<NaivePin>> all = new TreeMap<>();
    pins.stream()
        .filter(NaivePin::live)
        .forEach(pin -> all.computeIfAbsent(pin.payer, none -> new ArrayList<>()).add(pin));
    return all;
  }

  /** The pin that has to go for an asker without a place or a promise; null for none. */
  NaivePin victim(Demand demand) {
    if (demand.speculative()) {
      return null;
    }
    NaivePin next = next(demand);
    while (next != null && next.used) {
      next.used = false;
      next.speculative = false;
      next.turn = ++turns;
      next = next(demand);
    }
    return next;
  }

  private NaivePin next(Demand demand) {
    Map<String, List<NaivePin>> live = liveByAddress();
    // Of equals the first by name, as the map has them.
    Comparator<List<NaivePin>> size = Comparator.comparingInt(List::size);
    List<NaivePin> withSpeculative =
        live.values().stream()
            .filter(some -> some.stream().anyMatch(pin -> pin.speculative))
            .sorted(size.reversed())
            .findFirst()
            .orElse(null);
    if (withSpeculative != null) {
      return firstInTurn(withSpeculative.stream().filter(pin -> pin.speculative));
    }
    List<NaivePin> most = live.values().stream().sorted(size.reversed()).findFirst().orElse(null);
    if (most == null) {
      return null;
    }
    List<NaivePin> own = live.getOrDefault(demand.address(), List.of());
    int promised = promisesTo(demand.address()).size();
    if (most != own && most.size() - 1 >= own.size() + promised + 1) {
      return firstInTurn(most.stream());
    }
    return promised >= Math.max(1, (own.size() + promised) / 16) ? null : firstInTurn(own.stream());
  }

  private static NaivePin firstInTurn(Stream<NaivePin> some) {
    return some.min(Comparator.comparingLong(pin -> pin.turn)).orElse(null);
  }
}
