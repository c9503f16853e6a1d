// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane;

import io.rdio.core.FallbackException;
import io.rdio.core.wire.SlotAsk;
import io.rdio.core.write.SlotEnd;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.OptionalLong;

/**
 * Where an agent may write replicas, and how they become blocks: DataNodes' plugins as a writer
 * sees them. Nothing happens by itself; who has a slot must renew it, and commit or abort it.
 * Thread-safe. Each call waits for a bounded time.
 */
public interface WritePlane {
  /**
   * Asks a DataNode for a slot for one replica.
   *
   * @param token of mode WRITE, in the form of {@code Token.write}; empty where blocks have none
   * @throws FallbackException WRITE_UNPROVEN where there is neither token nor TLS;
   *     WRITE_UNSUPPORTED where the DataNode takes no writes; DATANODE_BUSY; what it refuses with;
   *     or why there is no answer
   */
  WriteSlot allocate(DataNodeId target, byte[] token, SlotAsk ask) throws FallbackException;

  /**
   * Asks for new terms for slots of one DataNode.
   *
   * @return for each slot, in order, until when its lease is believed now, on the plane's clock;
   *     empty where it was not renewed
   * @throws FallbackException why there is no answer: none was renewed, as far as is known
   */
  List<OptionalLong> renew(DataNodeId target, List<WriteSlot> slots) throws FallbackException;

  /**
   * Makes what was written a replica: durable, finalized and known to the NameNode when this
   * returns. The lease must have been ended before, and all writes have been answered and flushed.
   * May be asked again after no answer, and says the same then. A DataNode that takes its time is
   * waited for as long as it says that it is there; one that is silent is not, for long.
   *
   * @param length bytes of the block, at least 1
   * @param checksums the block's CRCs as in its meta file behind the header, from position to
   *     limit; both stay as they are
   * @throws FallbackException DATANODE_BUSY: ask again in a moment; what the DataNode refuses with:
   *     the lease is over, and there is no replica; or why there is no answer
   */
  void commit(DataNodeId target, WriteSlot slot, long length, ByteBuffer checksums)
      throws FallbackException;

  /**
   * A slot whose lease was ended, and which is not wanted any more.
   *
   * @param how what became of the writes to it
   */
  record Ended(WriteSlot slot, SlotEnd how) {
    /** Whether each write to it was answered. */
    public boolean quiet() {
      return how != SlotEnd.UNDER_WAY;
    }
  }

  /**
   * Tells a DataNode of slots that are not wanted; those that are not theirs any more mean nothing
   * to it.
   *
   * @return those of which it heard too late: their leases had ended before, and not by a commit;
   *     and where it did not answer for all, those of which there is no answer
   * @throws FallbackException why there is no answer for any: their leases run out by themselves
   */
  List<Ended> abort(DataNodeId target, List<Ended> ended) throws FallbackException;
}
