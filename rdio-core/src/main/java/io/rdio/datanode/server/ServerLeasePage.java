// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.rdio.core.wire.proto.LeaseInfo;
import io.rdio.core.wire.proto.ListLeasesReply;
import io.rdio.core.wire.proto.ListLeasesRequest;
import io.rdio.datanode.allocate.WriteRoom;
import io.rdio.datanode.grant.GrantService;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of the leases that a DataNode has granted: first those to read by, then those to write
 * by.
 */
final class ServerLeasePage {
  /** Leases in one answer, which then has less than a megabyte. */
  static final int LISTED_MAX = 5_000;

  /** Where write leases are counted from in what is asked for as {@code after}. */
  static final long WRITES_FROM = 1L << 62;

  /** For so many the table's lock is held. */
  private static final int LISTED_AT_ONCE = 500;

  private final int max;
  private final ListLeasesReply.Builder reply = ListLeasesReply.newBuilder();

  private ServerLeasePage(int max) {
    this.max = max;
  }

  /** The page that is asked for; one of {@link #LISTED_MAX} where its size makes no sense. */
  static ListLeasesReply of(
      ListLeasesRequest request, GrantService grants, @Nullable WriteRoom room) {
    int asked = request.getMax();
    int max = asked < 1 || asked > LISTED_MAX ? LISTED_MAX : asked;
    return new ServerLeasePage(max).fill(Math.max(0, request.getAfter()), grants, room);
  }

  private ListLeasesReply fill(long asked, GrantService grants, @Nullable WriteRoom room) {
    long after = asked;
    if (after < WRITES_FROM) {
      long last = add(after, (from, some) -> reads(grants, from, some));
      if (isFull()) {
        return reply.setNext(last).build();
      }
      after = WRITES_FROM;
    }
    if (room != null) {
      long last = add(after - WRITES_FROM, (from, some) -> writes(room, from, some));
      if (isFull()) {
        reply.setNext(WRITES_FROM + last);
      }
    }
    return reply.build();
  }

  private static List<LeaseInfo> reads(GrantService grants, long after, int some) {
    return grants.leases(after, some).stream().map(ServerMessages::lease).toList();
  }

  private static List<LeaseInfo> writes(WriteRoom room, long after, int some) {
    return room.leases(after, some).stream().map(ServerMessages::lease).toList();
  }

  /** Some leases behind a number. */
  private interface Source {
    List<LeaseInfo> leases(long after, int max);
  }

  private boolean isFull() {
    return reply.getLeasesCount() == max;
  }

  /** Adds what there is, as far as it fits; returns the last number. */
  private long add(long from, Source source) {
    long after = from;
    while (!isFull()) {
      int some = Math.min(max - reply.getLeasesCount(), LISTED_AT_ONCE);
      List<LeaseInfo> leases = source.leases(after, some);
      if (leases.isEmpty()) {
        return after;
      }
      reply.addAllLeases(leases);
      after = leases.get(leases.size() - 1).getLeaseId();
    }
    return after;
  }
}
