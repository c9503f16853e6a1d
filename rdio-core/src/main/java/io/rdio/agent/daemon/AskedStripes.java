// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.daemon;

import io.rdio.agent.ipc.Frame;
import io.rdio.agent.ipc.MalformedMessageException;
import io.rdio.agent.ipc.Protocol;
import io.rdio.client.write.ParityMode;
import io.rdio.client.write.StripeLayout;

/** What an ALLOCATE_GROUP says of a group beyond what is said of a block. Not checked. */
record AskedStripes(int dataUnits, int parityUnits, int cellBytes, int mode, String codec) {
  static AskedStripes parse(Frame in) throws MalformedMessageException {
    return new AskedStripes(
        in.getInt(), in.getInt(), in.getInt(), in.getInt(), in.getText(Protocol.CODEC_MAX));
  }

  /**
   * How the group lies on its blocks.
   *
   * @throws IllegalArgumentException if that cannot be
   */
  StripeLayout layout() {
    return new StripeLayout(dataUnits, parityUnits, cellBytes);
  }

  /**
   * When its parity is made.
   *
   * @throws IllegalArgumentException if it is not known
   */
  ParityMode parity() {
    return switch (mode) {
      case Protocol.PARITY_IMMEDIATE -> ParityMode.IMMEDIATE;
      case Protocol.PARITY_AWAITED -> ParityMode.AWAITED;
      case Protocol.PARITY_DEFERRED -> ParityMode.DEFERRED;
      default -> throw new IllegalArgumentException("parity of mode " + mode);
    };
  }
}
