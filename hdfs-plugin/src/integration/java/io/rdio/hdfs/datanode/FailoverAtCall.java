// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.AddBlockFlag;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolPB;
import org.apache.hadoop.hdfs.protocolPB.ClientNamenodeProtocolTranslatorPB;
import org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider;
import org.apache.hadoop.hdfs.server.namenode.ha.HAProxyFactory;
import org.apache.hadoop.ipc.AlignmentContext;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Hadoop's provider of a nameservice's NameNodes to its clients, by which something happens at a
 * call of theirs, once: to be named in {@code dfs.client.failover.proxy.provider.NAMESERVICE}.
 */
public final class FailoverAtCall<T> extends ConfiguredFailoverProxyProvider<T> {
  private static final AtomicReference<Plan> PLAN = new AtomicReference<>();

  /** What happens. */
  @FunctionalInterface
  interface Failover {
    void happen() throws IOException;
  }

  /** When it does. */
  private enum When {
    BEFORE_THE_CALL,
    ANSWER_IS_LOST,
    BEFORE_THE_ANSWER
  }

  private record Plan(String method, When when, Failover failover) {}

  /** A call that goes on to the NameNode. */
  @FunctionalInterface
  private interface Call<R> {
    R call() throws IOException;
  }

  /** As Hadoop calls it. */
  public FailoverAtCall(Configuration conf, URI uri, Class<T> protocol, HAProxyFactory<T> factory) {
    super(conf, uri, protocol, new Factory<>(factory));
  }

  /** The next call of a method goes to a NameNode to which it has happened. */
  static void before(String method, Failover failover) {
    PLAN.set(new Plan(method, When.BEFORE_THE_CALL, failover));
  }

  /** The next call of a method does what it is for, then it happens: nobody hears the answer. */
  static void insteadOfAnswer(String method, Failover failover) {
    PLAN.set(new Plan(method, When.ANSWER_IS_LOST, failover));
  }

  /** The next call of a method does what it is for, and is answered when it has happened. */
  static void beforeAnswer(String method, Failover failover) {
    PLAN.set(new Plan(method, When.BEFORE_THE_ANSWER, failover));
  }

  /** Nothing happens, whatever was to. */
  static void never() {
    PLAN.set(null);
  }

  private static <R> R at(String method, Call<R> call) throws IOException {
    Plan plan = PLAN.get();
    if (plan == null || !plan.method.equals(method)) {
      return call.call();
    }
    if (plan.when == When.BEFORE_THE_CALL) {
      never();
      plan.failover.happen();
      return call.call();
    }
    R answer = call.call(); // which fails while the block before is not reported yet
    if (Boolean.FALSE.equals(answer)) { // as this one does
      return answer;
    }
    never();
    plan.failover.happen();
    if (plan.when == When.ANSWER_IS_LOST) {
      throw new EOFException("the answer to " + method + " is lost");
    }
    return answer;
  }

  /** Wraps what goes on to the NameNodes. */
  private static final class Factory<T> implements HAProxyFactory<T> {
    private final HAProxyFactory<T> wrapped;

    Factory(HAProxyFactory<T> wrapped) {
      this.wrapped = wrapped;
    }

    @Override
    public T createProxy(
        Configuration conf,
        InetSocketAddress nameNode,
        Class<T> protocol,
        UserGroupInformation user,
        boolean withRetries,
        AtomicBoolean fallbackToSimpleAuth)
        throws IOException {
      return planned(
          protocol,
          wrapped.createProxy(conf, nameNode, protocol, user, withRetries, fallbackToSimpleAuth));
    }

    @Override
    public T createProxy(
        Configuration conf,
        InetSocketAddress nameNode,
        Class<T> protocol,
        UserGroupInformation user,
        boolean withRetries)
        throws IOException {
      return planned(protocol, wrapped.createProxy(conf, nameNode, protocol, user, withRetries));
    }

    @Override
    public void setAlignmentContext(AlignmentContext alignmentContext) {
      wrapped.setAlignmentContext(alignmentContext);
    }

    private static <T> T planned(Class<T> protocol, T proxy) {
      return proxy instanceof ClientNamenodeProtocolTranslatorPB stock
          ? protocol.cast(new Calls((ClientNamenodeProtocolPB) stock.getUnderlyingProxyObject()))
          : proxy;
    }
  }

  /** A subclass, because Hadoop's retry handler looks for the translator's own interfaces. */
  private static final class Calls extends ClientNamenodeProtocolTranslatorPB {
    Calls(ClientNamenodeProtocolPB proxy) {
      super(proxy);
    }

    @Override
    public LocatedBlock addBlock(
        String file,
        String client,
        ExtendedBlock previous,
        DatanodeInfo[] excluded,
        long fileId,
        String[] favored,
        EnumSet<AddBlockFlag> flags)
        throws IOException {
      return at(
          "addBlock",
          () -> super.addBlock(file, client, previous, excluded, fileId, favored, flags));
    }

    @Override
    public boolean complete(String file, String client, ExtendedBlock last, long fileId)
        throws IOException {
      return at("complete", () -> super.complete(file, client, last, fileId));
    }
  }
}
