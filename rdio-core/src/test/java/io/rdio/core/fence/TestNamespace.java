// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import io.rdio.core.fence.ReservationException.Obstacle;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A namespace in memory that takes reservations as Linux's target does, also in what that has of
 * its own: a holder of the reservation that preempts only sets the type. For one thread.
 */
public final class TestNamespace {
  private final Map<String, Long> keys = new LinkedHashMap<>();
  private long generation;
  private @Nullable String holder;
  private int type;
  private boolean supported = true;
  private boolean reachable = true;
  private boolean readersOnly;

  /** What a host may be killed before or behind; the other commands go through. */
  @FunctionalInterface
  public interface Interruption {
    /**
     * Is told of each command, twice.
     *
     * @param count commands that this host has sent before
     */
    void at(int count, boolean behind);
  }

  /** The namespace as a host sees it. */
  public Reservations of(String host) {
    return of(host, (count, behind) -> {});
  }

  /** The same, of a host that may be killed. */
  public Reservations of(String host, Interruption interruption) {
    return new Host(host, interruption);
  }

  /** A host takes it for itself alone. */
  public ReservationReport take(String host, long key) throws ReservationException {
    return OwnReservation.take(of(host), key, ReservationType.WRITE_EXCLUSIVE);
  }

  /** Its target takes no reservations. */
  public TestNamespace unsupported() {
    supported = false;
    return this;
  }

  /** It takes them, from now on. */
  public void supported() {
    supported = true;
  }

  /** Its fabric does not answer, or does again. */
  public void reachable(boolean answers) {
    reachable = answers;
  }

  /** Who asks from now on may only read. */
  public void readersOnly() {
    readersOnly = true;
  }

  /** Its target is started anew: it has forgotten all. */
  public void forget() {
    keys.clear();
    holder = null;
    type = 0;
    generation = 0;
  }

  /** Whether it takes a host's writes. */
  public boolean takesWritesOf(String host) {
    return switch (type) {
      case 0 -> true;
      case 1 -> host.equals(holder);
      default -> keys.containsKey(host);
    };
  }

  private boolean isOfAll() {
    return type == ReservationType.WRITE_EXCLUSIVE_ALL_REGISTRANTS.number();
  }

  private void remove(String host) {
    keys.remove(host);
    if (host.equals(holder)) {
      holder = isOfAll() ? keys.keySet().stream().findFirst().orElse(null) : null;
      type = holder == null ? 0 : type;
    }
  }

  private void removeAll(long key, String but) {
    for (String host : List.copyOf(keys.keySet())) {
      if (keys.get(host) == key && !host.equals(but)) {
        remove(host);
      }
    }
  }

  private final class Host implements Reservations {
    private final String host;
    private final Interruption interruption;
    private int count;

    Host(String host, Interruption interruption) {
      this.host = host;
      this.interruption = interruption;
    }

    /** What a command does at the target. */
    private interface Command<T> {
      T run() throws ReservationException;
    }

    private <T> T send(Command<T> command) throws ReservationException {
      interruption.at(count, false);
      if (!reachable) {
        throw new ReservationException(Obstacle.FAILED, name() + ": no path");
      }
      if (!supported) {
        throw new ReservationException(Obstacle.UNSUPPORTED, name() + ": takes no reservations");
      }
      T answer = command.run();
      interruption.at(count++, true);
      return answer;
    }

    private void requireRights() throws ReservationException {
      if (readersOnly) {
        throw new ReservationException(Obstacle.DENIED, name() + ": Operation not permitted");
      }
    }

    private ReservationException conflict() {
      return new ReservationException(Obstacle.CONFLICT, name() + ": reservation conflict");
    }

    private void requireKey(long key) throws ReservationException {
      if (keys.getOrDefault(host, 0L) != key) {
        throw conflict();
      }
    }

    @Override
    public String name() {
      return "namespace";
    }

    @Override
    public String hostId() {
      return host;
    }

    @Override
    public ReservationReport report() throws ReservationException {
      return send(
          () -> {
            List<Registrant> all = new ArrayList<>();
            keys.forEach(
                (each, key) ->
                    all.add(new Registrant(each, key, isOfAll() || each.equals(holder))));
            return new ReservationReport(generation, type, false, all);
          });
    }

    @Override
    public void register(long key) throws ReservationException {
      requireRights();
      send(
          () -> {
            Long before = keys.putIfAbsent(host, key);
            if (before != null && before != key) {
              throw conflict();
            }
            return generation++;
          });
    }

    @Override
    public void replaceKey(long key) throws ReservationException {
      send(
          () -> {
            if (keys.replace(host, key) == null) {
              throw conflict();
            }
            return generation++;
          });
    }

    @Override
    public void unregister(long key) throws ReservationException {
      send(
          () -> {
            requireKey(key);
            remove(host);
            return generation++;
          });
    }

    @Override
    public void reserve(long key, ReservationType wanted) throws ReservationException {
      send(
          () -> {
            requireKey(key);
            if (holder != null && !(host.equals(holder) && type == wanted.number())) {
              throw conflict();
            }
            holder = host;
            type = wanted.number();
            return null;
          });
    }

    @Override
    public void preemptAndAbort(long key, long others, ReservationType wanted)
        throws ReservationException {
      send(
          () -> {
            requireKey(key);
            preempt(others, wanted);
            return generation++;
          });
    }

    private void preempt(long others, ReservationType wanted) throws ReservationException {
      if (holder != null && isOfAll() && others == ALL_OTHERS) {
        holder = host;
        type = wanted.number();
        keys.keySet().retainAll(List.of(host));
        return;
      }
      if (holder != null && !isOfAll()) {
        if (host.equals(holder)) {
          type = wanted.number();
          return;
        }
        if (keys.getOrDefault(holder, 0L) == others) {
          holder = host;
          type = wanted.number();
          removeAll(others, host);
          return;
        }
      }
      if (!keys.containsValue(others)) {
        throw conflict();
      }
      removeAll(others, "");
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}
