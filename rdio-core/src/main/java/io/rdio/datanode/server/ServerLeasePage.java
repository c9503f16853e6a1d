// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.rdio.core.wire.proto.ListLeasesReply;
import io.rdio.core.wire.proto.ListLeasesRequest;
import io.rdio.datanode.grant.GrantService;
import io.rdio.datanode.grant.LeaseInfo;
import java.util.List;

/** One page of the leases that a DataNode has granted. */
final class ServerLeasePage {
  /** Leases in one answer, which then has less than a megabyte. */
  static final int LISTED_MAX = 5_000;

  /** For so many the table's lock is held. */
  private static final int LISTED_AT_ONCE = 500;

  private ServerLeasePage() {}

  /** The page that is asked for; one of {@link #LISTED_MAX} where its size makes no sense. */
  static ListLeasesReply of(ListLeasesRequest request, GrantService grants) {
    int asked = request.getMax();
    int max = asked < 1 || asked > LISTED_MAX ? LISTED_MAX : asked;
    ListLeasesReply.Builder reply = ListLeasesReply.newBuilder();
    long after = Math.max(0, request.getAfter());
    List<LeaseInfo> some = grants.leases(after, Math.min(max, LISTED_AT_ONCE));
    while (!some.isEmpty()) {
      some.forEach(lease -> reply.addLeases(ServerMessages.lease(lease)));
      after = some.get(some.size() - 1).number();
      int left = max - reply.getLeasesCount();
      if (left == 0) {
        return reply.setNext(after).build();
      }
      some = grants.leases(after, Math.min(left, LISTED_AT_ONCE));
    }
    return reply.build();
  }
}
