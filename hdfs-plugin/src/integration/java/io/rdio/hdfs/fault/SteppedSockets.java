// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.net.StandardSocketFactory;

/**
 * Sockets of a client to the NameNode: each message is two steps, one before it is sent and one
 * behind that, when its answer may be on the way.
 */
final class SteppedSockets extends StandardSocketFactory {
  /** By which a client has such sockets; those to DataNodes are as ever. */
  static final Map<String, String> KEYS =
      Map.of(
          "hadoop.rpc.socket.factory.class.default",
          SteppedSockets.class.getName(),
          "hadoop.rpc.socket.factory.class.ClientProtocol",
          StandardSocketFactory.class.getName());

  private static final AtomicReference<CountedSteps> STEPS = new AtomicReference<>();

  /** From now on messages are steps. */
  static void count(CountedSteps steps) {
    STEPS.set(steps);
  }

  @Override
  public Socket createSocket() {
    return new SteppedSocket();
  }

  /** Without a channel, so that Hadoop sends by its stream. */
  private static final class SteppedSocket extends Socket {
    @Override
    public OutputStream getOutputStream() throws IOException {
      return new SteppedStream(super.getOutputStream());
    }
  }

  /** Hadoop hands it a message at a time. */
  private static final class SteppedStream extends FilterOutputStream {
    SteppedStream(OutputStream to) {
      super(to);
    }

    @Override
    public void write(byte[] bytes, int at, int count) throws IOException {
      CountedSteps steps = STEPS.get();
      if (steps == null) {
        out.write(bytes, at, count);
        return;
      }
      steps.pass("before a message to the NameNode");
      out.write(bytes, at, count);
      steps.pass("behind a message to the NameNode");
    }
  }
}
