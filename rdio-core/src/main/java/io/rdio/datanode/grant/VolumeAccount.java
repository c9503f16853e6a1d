// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.datanode.grant.VolumeShare.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The places for pins on one volume, and who has them. Only {@link LeaseTable} touches it, under
 * its lock; nothing here depends on the number of pins.
 *
 * <p>Places are shared by client address, max-min fairly: while there is room anybody takes it, and
 * one address may have all places. On a full volume a place goes from the address with most pins to
 * one that has at least two fewer, so that the difference gets smaller; nobody gets anything by
 * asking again and again. Otherwise an address makes room among its own pins. Before all these go
 * speculative ones, whoever has them. Among its own an address has one in {@value #OWN_PART}
 * recalled at a time at most: a scan is faster than pins are given back, and would otherwise have
 * all of them recalled before it gets the first place.
 *
 * <p>Of an address's pins the first goes that was not used since it was looked at last, or made: a
 * grant uses a pin, and so does a renewal. One that was used goes back behind all others (second
 * chance, Corbató 1969). In place of an exact order by last use this makes a use one write, however
 * many pins there are; what is looked at in vain was used since, so there is a use for each look.
 *
 * <p>A recalled pin keeps its place until its holders have given it back. That place is promised to
 * the address for which the pin was recalled: no other gets it meanwhile, and no second pin is
 * recalled for a block that is asked for again. So what is recalled becomes a place for the asker,
 * and a refusal that promises nothing recalls nothing.
 *
 * <p>A pin that several addresses hold leases on is charged to the one that has the oldest of them.
 */
final class VolumeAccount {
  private static final int OWN_PART = 16;
  private static final int LOOKS_AT_ONCE = 1_000;

  /** The address with most pins first; addresses break ties, for the order must be total. */
  private static final Comparator<VolumeShare> MOST_PINS =
      Comparator.comparingInt((VolumeShare share) -> -share.live())
          .thenComparing(share -> share.address);

  private final Map<String, VolumeShare> shares = new HashMap<>();
  private final TreeSet<VolumeShare> byPins = new TreeSet<>(MOST_PINS);
  private final TreeSet<VolumeShare> bySpeculative = new TreeSet<>(MOST_PINS);
  private final ArrayDeque<Promise> promises = new ArrayDeque<>();
  private int promised;
  private int recalled;
  private int places;
  private int addressesWithDeleted;
  private long bytes;
  private long deletedBytes;
  private boolean closed;

  /**
   * Takes a place for a pin that is to be made.
   *
   * @return false if none is free, or those that are or will be are promised to others
   */
  boolean take(Demand demand, int capacity, long nowNanos) {
    dropOverdue(nowNanos);
    VolumeShare share = shares.get(demand.address());
    boolean entitled = share != null && share.promiseFor(demand) != null;
    if (places >= capacity || (!entitled && unpromised(capacity) <= 0)) {
      return false;
    }
    VolumeShare mine = share(demand.address());
    keepPromise(mine.promiseFor(demand));
    mine.making++;
    places++;
    return true;
  }

  /** Places that are free, or will be once recalled pins are gone, and that nobody was promised. */
  private int unpromised(int capacity) {
    return capacity - places + recalled - promised;
  }

  /** Gives a place back that no pin came to use. */
  void giveUp(Demand demand) {
    VolumeShare share = share(demand.address());
    share.making--;
    places--;
    forgetIfEmpty(share);
  }

  /**
   * Promises a place to an asker that found none, if one is due to it.
   *
   * @param dueNanos until when it has to be taken
   * @param last whether a used pin may go, where this finds no other
   * @return null if it looked at many pins and found all of them used: ask again
   */
  @Nullable Promised promise(Demand demand, int capacity, long dueNanos, boolean last) {
    VolumeShare mine = shares.get(demand.address());
    if (mine != null && mine.promises.containsKey(demand.block())) {
      return new Promised(true, null);
    }
    Pin victim = null;
    if (unpromised(capacity) <= 0) {
      if (!demand.speculative() && !passOverUsed(mine) && !last) {
        return null;
      }
      victim = demand.speculative() ? null : victim(mine);
      if (victim == null) {
        return new Promised(false, null);
      }
    }
    mine = share(demand.address());
    Promise promise = new Promise(mine, demand.block(), dueNanos);
    mine.promises.put(demand.block(), promise);
    promises.add(promise);
    promised++;
    return new Promised(true, victim);
  }

  /**
   * What a refused asker may hope for.
   *
   * @param place whether a place is kept for it
   * @param toRecall the pin that has to go for it, if one has
   */
  record Promised(boolean place, @Nullable Pin toRecall) {}

  /** Gives used pins their second chance; false if the next one, after many, is used as well. */
  private boolean passOverUsed(@Nullable VolumeShare asker) {
    Pin next = victim(asker);
    for (int looks = 0; next != null && next.used; looks++) {
      if (looks == LOOKS_AT_ONCE) {
        return false;
      }
      passOver(next);
      next = victim(asker);
    }
    return true;
  }

  private void passOver(Pin pin) {
    pin.used = false;
    if (pin.speculative) {
      delist(pin, pin.share());
      pin.speculative = false;
      enlist(pin, pin.share());
    } else {
      pin.share().ordinary.moveToEnd(pin);
    }
  }

  /** The next to be looked at for a pin that may go. */
  private @Nullable Pin victim(@Nullable VolumeShare asker) {
    if (!bySpeculative.isEmpty()) {
      return bySpeculative.first().speculative.first();
    }
    if (byPins.isEmpty()) {
      return null;
    }
    VolumeShare most = byPins.first();
    int claimed = asker == null ? 0 : asker.claimed();
    if (most != asker && most.live() - 1 >= claimed + 1) {
      return most.ordinary.first();
    }
    if (asker == null || asker.promises.size() >= Math.max(1, asker.claimed() / OWN_PART)) {
      return null;
    }
    return asker.ordinary.first();
  }

  private void keepPromise(@Nullable Promise promise) {
    if (promise != null) {
      promise.share.promises.remove(promise.block);
      promise.kept = true;
      promised--;
    }
  }

  private void dropOverdue(long nowNanos) {
    Promise first = promises.peek();
    while (first != null && (first.kept || first.dueNanos - nowNanos <= 0)) {
      promises.remove();
      if (!first.kept) {
        first.share.promises.remove(first.block);
        promised--;
        forgetIfEmpty(first.share);
      }
      first = promises.peek();
    }
  }

  /** A pin is made, in the place that was taken for it. */
  void add(Pin pin, Demand demand) {
    VolumeShare share = share(demand.address());
    share.making--;
    share.charged++;
    bytes += pin.bytes();
    pin.speculative = demand.speculative();
    pin.share = share;
    enlist(pin, share);
  }

  /** Undoes {@link #add}, also where that ended in an {@code Error}; the place stays taken. */
  void takeOut(Pin pin) {
    VolumeShare share = pin.share;
    if (share != null) {
      share.making++;
      share.charged--;
      bytes -= pin.bytes();
      pin.share = null;
      delist(pin, share);
    }
  }

  /** Charges a pin to another address. */
  void charge(Pin pin, String address) {
    VolumeShare from = pin.share();
    if (from.address.equals(address)) {
      return;
    }
    VolumeShare to = share(address);
    if (!pin.recalled) {
      delist(pin, from);
      enlist(pin, to);
    }
    if (pin.deleted) {
      addDeleted(from, -pin.bytes());
      addDeleted(to, pin.bytes());
    }
    from.charged--;
    to.charged++;
    pin.share = to;
    forgetIfEmpty(from);
  }

  /** A pin of this account is recalled; its place comes free when it is {@link #unpinned}. */
  void recalled(Pin pin) {
    delist(pin, pin.share());
    recalled++;
  }

  /** HDFS let go the block of a pin of this account. */
  void deleted(Pin pin) {
    addDeleted(pin.share(), pin.bytes());
    deletedBytes += pin.bytes();
  }

  /** The last lease on a pin is gone. */
  void released(Pin pin) {
    if (!pin.recalled) {
      delist(pin, pin.share());
    }
  }

  /** A released pin gives its place back. */
  void unpinned(Pin pin) {
    places--;
    bytes -= pin.bytes();
    if (pin.recalled) {
      recalled--;
    }
    if (pin.deleted) {
      deletedBytes -= pin.bytes();
      addDeleted(pin.share(), -pin.bytes());
    }
    pin.share().charged--;
    forgetIfEmpty(pin.share());
  }

  private void enlist(Pin pin, VolumeShare share) {
    leaveOrder(share);
    share.turnsOf(pin).append(pin);
    enterOrder(share);
  }

  private void delist(Pin pin, VolumeShare share) {
    leaveOrder(share);
    share.turnsOf(pin).unlink(pin);
    enterOrder(share);
  }

  /** A share's pins change only while it is out of the sets that are sorted by them. */
  private void leaveOrder(VolumeShare share) {
    byPins.remove(share);
    bySpeculative.remove(share);
  }

  private void enterOrder(VolumeShare share) {
    if (share.live() > 0) {
      byPins.add(share);
    }
    if (!share.speculative.isEmpty()) {
      bySpeculative.add(share);
    }
  }

  private void addDeleted(VolumeShare share, long more) {
    addressesWithDeleted -= share.deletedBytes > 0 ? 1 : 0;
    share.deletedBytes += more;
    addressesWithDeleted += share.deletedBytes > 0 ? 1 : 0;
  }

  private VolumeShare share(String address) {
    return shares.computeIfAbsent(address, VolumeShare::new);
  }

  private void forgetIfEmpty(VolumeShare share) {
    if (share.isEmpty()) {
      shares.remove(share.address, share);
    }
  }

  /** Whether an address keeps an equal share or more of so many bytes of deleted blocks. */
  boolean hasItsShareOfDeleted(String address, long ofBytes) {
    VolumeShare share = shares.get(address);
    long mine = share == null ? 0 : share.deletedBytes;
    return mine > 0 && mine >= ofBytes / addressesWithDeleted;
  }

  /** Every pin that is not recalled. */
  List<Pin> livePins() {
    List<Pin> all = new ArrayList<>();
    for (VolumeShare share : byPins) {
      all.addAll(share.speculative);
      all.addAll(share.ordinary);
    }
    return all;
  }

  /** Pins that exist or are being made. */
  int places() {
    return places;
  }

  /** Bytes of pinned files. */
  long bytes() {
    return bytes;
  }

  /** Bytes of pinned files that HDFS let go. */
  long deletedBytes() {
    return deletedBytes;
  }

  /** Lets no further pin in. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }
}
