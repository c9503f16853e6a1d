// SPDX-License-Identifier: Apache-2.0
package io.rdio.agent.ipc;

import java.io.IOException;

/** A message that breaks the protocol: whoever sent it cannot be talked to. */
public final class MalformedMessageException extends IOException {
  public MalformedMessageException(String message) {
    super(message);
  }
}
