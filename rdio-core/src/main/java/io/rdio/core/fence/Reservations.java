// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.fence;

import java.io.Closeable;

/**
 * NVMe reservations of one namespace, asked for by this host. Each call is one command to the
 * target, and may take as long as the target does. For one thread at a time.
 */
public interface Reservations extends Closeable {
  /** No key: all other hosts that are registered, where all of these hold the reservation. */
  long ALL_OTHERS = 0;

  /** The namespace, for messages. */
  String name();

  /** This host's NVMe host identifier, in hexadecimal digits; empty where it cannot be told. */
  String hostId();

  /** Who is registered, and who holds the reservation. */
  ReservationReport report() throws ReservationException;

  /**
   * Registers this host by a key; without effect where it is by this one.
   *
   * @throws ReservationException CONFLICT where this host is registered by another key
   */
  void register(long key) throws ReservationException;

  /** Gives this host, which is registered, another key; it goes on to hold what it holds. */
  void replaceKey(long key) throws ReservationException;

  /**
   * Ends this host's registration by a key, and with it the reservation if it is the only holder.
   */
  void unregister(long key) throws ReservationException;

  /**
   * Reserves the namespace for this host, which is registered by this key; without effect where it
   * holds that reservation.
   *
   * @throws ReservationException CONFLICT where another host holds one
   */
  void reserve(long key, ReservationType type) throws ReservationException;

  /**
   * Takes registration and reservation away from all hosts with a key, and returns when no command
   * that these had under way can reach the medium any more. Where these held the reservation, this
   * host holds it then.
   *
   * @param key by which this host is registered; where it holds the reservation alone, it gives it
   *     another kind by naming this one as the others', too
   * @param others key of those hosts, or {@link #ALL_OTHERS}
   * @param type of the reservation that this host gets
   */
  void preemptAndAbort(long key, long others, ReservationType type) throws ReservationException;

  @Override
  void close();
}
