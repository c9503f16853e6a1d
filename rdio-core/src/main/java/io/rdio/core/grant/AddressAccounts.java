// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.grant;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import java.util.HashMap;
import java.util.Map;

/**
 * What the leases of each client address add up to. Counted by address because a client may call
 * itself whatever it likes. Only {@link LeaseTable} touches it, under its lock.
 */
final class AddressAccounts {
  private final GrantConfig config;
  private final Map<String, Account> accounts = new HashMap<>();

  private static final class Account {
    int leases;
    long bytes;
  }

  AddressAccounts(GrantConfig config) {
    this.config = config;
  }

  /**
   * Refuses an address that has its share.
   *
   * @param underWay leases that the request is already going to get
   * @throws FallbackException LEASE_LIMIT
   */
  void check(String address, int underWay) throws FallbackException {
    Account account = accounts.get(address);
    int leases = (account == null ? 0 : account.leases) + underWay;
    if (leases >= config.leasesPerAddress()) {
      throw new FallbackException(
          FallbackReason.LEASE_LIMIT, address + " holds " + leases + " leases");
    }
    if (account != null && account.bytes >= config.pinnedBytesPerAddress()) {
      throw new FallbackException(
          FallbackReason.LEASE_LIMIT,
          address + " holds leases on " + account.bytes + " bytes of blocks");
    }
  }

  void add(HeldLease lease) {
    Account account = accounts.computeIfAbsent(lease.holder.address(), unused -> new Account());
    account.leases++;
    account.bytes += lease.pin.bytes();
  }

  void remove(HeldLease lease) {
    Account account = accounts.get(lease.holder.address());
    if (account == null) {
      throw new IllegalStateException("no lease of " + lease.holder + " was counted");
    }
    account.leases--;
    account.bytes -= lease.pin.bytes();
    if (account.leases == 0) {
      accounts.remove(lease.holder.address());
    }
  }
}
