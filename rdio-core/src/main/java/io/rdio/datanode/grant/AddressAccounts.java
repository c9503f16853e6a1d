// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.Setting;
import java.util.HashMap;
import java.util.Map;

/**
 * What the leases of each client address add up to, and those of all of them. Counted by address
 * because a client may call itself whatever it likes. Only {@link LeaseTable} touches it, under its
 * lock.
 *
 * <p>The last {@value #RESERVE}th of what the DataNode has in all is for addresses that have less
 * than an equal share of it: who came first and took the rest does not keep the others out.
 */
final class AddressAccounts {
  private static final int RESERVE = 8;

  private final GrantConfig config;
  private final Map<String, Account> accounts = new HashMap<>();
  private int leases;
  private long pinHeap;

  /** An address with at least one lease. */
  static final class Account {
    private final String address;
    private int leases;
    private long bytes;

    private Account(String address) {
      this.address = address;
    }

    String address() {
      return address;
    }
  }

  AddressAccounts(GrantConfig config) {
    this.config = config;
  }

  /**
   * Refuses an address that has its share.
   *
   * @param underWay leases that the request is already going to get
   * @param otherHeap bytes of the heap beside leases and pins
   * @throws FallbackException LEASE_LIMIT
   */
  void check(String address, int underWay, long otherHeap) throws FallbackException {
    Account account = accounts.get(address);
    int mine = (account == null ? 0 : account.leases) + underWay;
    if (mine >= config.leasesPerAddress()) {
      throw new FallbackException(
          FallbackReason.LEASE_LIMIT, address + " holds " + mine + " leases");
    }
    if (account != null && account.bytes >= config.pinnedBytesPerAddress()) {
      throw new FallbackException(
          FallbackReason.LEASE_LIMIT,
          address + " holds leases on " + account.bytes + " bytes of blocks");
    }
    checkAll(mine, leases + underWay, config.leasesMax() - config.leasesMax() / RESERVE);
    checkHeap(mine, otherHeap, config.heapMax() - config.heapMax() / RESERVE);
  }

  /**
   * Refuses a lease, and a pin perhaps, for which the DataNode has no room at all.
   *
   * @param more bytes of the heap that the pin would take
   * @throws FallbackException LEASE_LIMIT
   */
  void checkRoom(long more, long otherHeap) throws FallbackException {
    checkAll(0, leases, config.leasesMax());
    checkHeap(0, more + otherHeap, config.heapMax());
  }

  private void checkAll(int mine, int all, int unreserved) throws FallbackException {
    if (all >= config.leasesMax() || (all >= unreserved && hasItsShare(mine))) {
      throw new FallbackException(
          FallbackReason.LEASE_LIMIT,
          "the DataNode's clients hold "
              + all
              + " leases of "
              + config.leasesMax()
              + "; raise "
              + Setting.LEASES_MAX);
    }
  }

  private void checkHeap(int mine, long otherHeap, long unreserved) throws FallbackException {
    long heap = heapBytes() + otherHeap;
    if (heap + HeapBytes.LEASE > config.heapMax() || (heap >= unreserved && hasItsShare(mine))) {
      throw new FallbackException(
          FallbackReason.LEASE_LIMIT,
          "the DataNode's leases and pins take "
              + heap
              + " bytes of its heap of "
              + config.heapMax()
              + "; raise "
              + Setting.LEASES_MEMORY_MAX);
    }
  }

  /** Whether so many leases are an equal share of all leases, or more. */
  private boolean hasItsShare(int mine) {
    return mine > 0 && (long) mine * accounts.size() >= leases;
  }

  /** The account of an address that gets a lease on so many bytes. */
  Account add(String address, long bytes) {
    Account account = accounts.computeIfAbsent(address, Account::new);
    account.leases++;
    account.bytes += bytes;
    leases++;
    return account;
  }

  void remove(Account account, long bytes) {
    account.leases--;
    account.bytes -= bytes;
    leases--;
    if (account.leases == 0) {
      accounts.remove(account.address);
    }
  }

  void addPin(long heap) {
    pinHeap += heap;
  }

  void removePin(long heap) {
    pinHeap -= heap;
  }

  /** Leases of all addresses. */
  int leases() {
    return leases;
  }

  /** Bytes of the heap that all leases and pins take. */
  long heapBytes() {
    return pinHeap + (long) leases * HeapBytes.LEASE;
  }
}
