// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.grant;

import io.rdio.client.plane.WriteSlot;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.SlotGrant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A slot with the session that its lease is bound to.
 *
 * @param session null if it is bound to none
 */
record GrantedSlot(
    TokenedBlock block, SlotGrant grant, long deadlineNanos, @Nullable SessionProof session)
    implements WriteSlot {

  /** What slots must have in common to be in one request. */
  private record Owner(long incarnation, @Nullable SessionProof session) {}

  static GrantedSlot of(WriteSlot slot) {
    return (GrantedSlot) slot;
  }

  /** Places of slots, by who can speak for them, at most so many in one list. */
  static List<List<Integer>> batches(List<GrantedSlot> slots, int max) {
    Map<Owner, List<Integer>> open = new LinkedHashMap<>();
    List<List<Integer>> batches = new ArrayList<>();
    for (int i = 0; i < slots.size(); i++) {
      GrantedSlot slot = slots.get(i);
      Owner owner = new Owner(slot.grant().incarnation(), slot.session());
      List<Integer> batch = open.get(owner);
      if (batch == null || batch.size() == max) {
        batch = new ArrayList<>();
        batches.add(batch);
        open.put(owner, batch);
      }
      batch.add(i);
    }
    return batches;
  }
}
