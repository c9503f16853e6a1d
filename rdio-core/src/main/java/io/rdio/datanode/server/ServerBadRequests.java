// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.server;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the calls that were refused as a whole, whoever refused them: gRPC itself refuses what is
 * too large before any code of ours runs. Thread-safe.
 */
final class ServerBadRequests extends ServerStreamTracer.Factory {
  private final LongAdder count = new LongAdder();
  private final ServerStreamTracer tracer =
      new ServerStreamTracer() {
        @Override
        public void streamClosed(Status status) {
          switch (status.getCode()) {
            case INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED, INTERNAL -> count.increment();
            default -> {
              // Answered, or given up by the client.
            }
          }
        }
      };

  @Override
  public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
    return tracer;
  }

  long count() {
    return count.sum();
  }
}
