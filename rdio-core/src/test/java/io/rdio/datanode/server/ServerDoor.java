// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.StatusRuntimeException;
import io.rdio.core.wire.SessionProof;
import io.rdio.core.wire.proto.BlockGrant;
import io.rdio.core.wire.proto.GrantRequest;
import io.rdio.core.wire.proto.OpenSessionReply;
import io.rdio.core.wire.proto.OpenSessionRequest;
import io.rdio.core.wire.proto.RenewRequest;
import io.rdio.datanode.grant.GrantResult;
import io.rdio.datanode.grant.GrantService;
import org.jspecify.annotations.Nullable;

/** Parts of the server without a network, for tests that need both ends at once. */
public final class ServerDoor {
  private final ServerSessions sessions;

  /** A server that knows no session yet. */
  public ServerDoor(GrantService grants) {
    sessions = new ServerSessions(grants);
  }

  /** What it answers for a result. */
  public static BlockGrant blockGrant(GrantResult result) {
    return ServerMessages.blockGrant(result);
  }

  /**
   * What it answers.
   *
   * @throws StatusRuntimeException if it refuses the call
   */
  public OpenSessionReply open(OpenSessionRequest request) {
    try {
      return sessions.open(request);
    } catch (ServerRequestException e) {
      throw e.status().asRuntimeException();
    }
  }

  /**
   * Whose request it is; null if nobody's that it knows.
   *
   * @throws StatusRuntimeException if it refuses the call
   */
  public @Nullable SessionProof of(GrantRequest request) {
    try {
      return request.hasAuth() ? sessions.of(request) : null;
    } catch (ServerRequestException e) {
      throw e.status().asRuntimeException();
    }
  }

  /** As {@link #of(GrantRequest)}. */
  public @Nullable SessionProof of(RenewRequest request) {
    try {
      return request.hasAuth()
          ? sessions.of(
              SessionProof.Call.RENEW,
              request.getClientId(),
              request.getAuth(),
              request.getLeaseIdsList())
          : null;
    } catch (ServerRequestException e) {
      throw e.status().asRuntimeException();
    }
  }
}
