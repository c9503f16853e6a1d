// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.client.locate;

import java.io.FileNotFoundException;
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

/** Says what another NameNode says: once it is active, or of paths below a mount point. */
final class RelayNameNode implements AutoCloseable {
  private final ClientProtocol other;
  private final String mount;
  private final RPC.Server server;
  private volatile boolean active;

  /** One that is standby. */
  static RelayNameNode hesitant(ClientProtocol other) throws IOException {
    return new RelayNameNode(other, "", false);
  }

  /** As a router in front of the other one, whose root it calls by this path. */
  static RelayNameNode router(ClientProtocol other, String mount) throws IOException {
    return new RelayNameNode(other, mount, true);
  }

  private RelayNameNode(ClientProtocol other, String mount, boolean active) throws IOException {
    this.other = other;
    this.mount = mount;
    this.active = active;
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
    if (arguments != null && arguments.length > 0 && arguments[0] instanceof String path) {
      if (!path.startsWith(mount)) {
        throw new FileNotFoundException(path + " is below no mount point");
      }
      arguments[0] = path.substring(mount.length());
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
