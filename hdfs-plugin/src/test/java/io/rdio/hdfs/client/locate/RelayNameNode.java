// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.proto.ClientNamenodeProtocolProtos.ClientNamenodeProtocol;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolServerSideTranslatorPB;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.StandbyException;

/** Says that it is standby until it becomes active, and then what another NameNode says. */
final class HesitantNameNode implements AutoCloseable {
  private final ClientProtocol other;
  private final RPC.Server server;
  private volatile boolean active;

  HesitantNameNode(ClientProtocol other) throws IOException {
    this.other = other;
    Configuration conf = new Configuration();
    RPC.setProtocolEngine(conf, ClientNamenodeProtocolPB.class, ProtobufRpcEngine2.class);
    Object answers =
        Proxy.newProxyInstance(
            ClientProtocol.class.getClassLoader(),
            new Class<?>[] {ClientProtocol.class},
            (proxy, method, arguments) -> answer(method, arguments));
    server =
        new RPC.Builder(conf)
            .setProtocol(ClientNamenodeProtocolPB.class)
            .setInstance(
                ClientNamenodeProtocol.newReflectiveBlockingService(
                    new ClientNamenodeProtocolServerSideTranslatorPB((ClientProtocol) answers)))
            .setBindAddress("127.0.0.1")
            .setPort(0)
            .setNumHandlers(1)
            .build();
    server.start();
  }

  private Object answer(Method method, Object[] arguments) throws Throwable {
    if (!active) {
      throw new StandbyException("not active yet");
    }
    try {
      return method.invoke(other, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  String uri() {
    return "hdfs://127.0.0.1:" + server.getListenerAddress().getPort();
  }

  void becomeActive() {
    active = true;
  }

  @Override
  public void close() {
    server.stop();
  }
}
