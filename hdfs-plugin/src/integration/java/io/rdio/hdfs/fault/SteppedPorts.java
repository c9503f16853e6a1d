// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.client.write.WriterFaultInjector;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Each message of an agent's writers to a DataNode, and each call of a device or of a lease in the
 * library, is two steps: one before it, and one behind it. Whatever a port can do is one, without
 * being named here.
 */
final class SteppedPorts extends WriterFaultInjector {
  private final CountedSteps steps;

  SteppedPorts(CountedSteps steps) {
    this.steps = steps;
  }

  @Override
  protected <T> T port(Class<T> port, T real) {
    return port.cast(stepped(port, real));
  }

  private Object stepped(Class<?> port, Object real) {
    InvocationHandler calls = (proxy, method, arguments) -> call(port, real, method, arguments);
    return Proxy.newProxyInstance(port.getClassLoader(), new Class<?>[] {port}, calls);
  }

  private Object call(Class<?> port, Object real, Method method, Object[] arguments)
      throws Throwable {
    if (method.getDeclaringClass() == Object.class) { // what messages say of it
      return invoke(real, method, arguments);
    }
    String name = port.getSimpleName() + "." + method.getName();
    steps.pass("before " + name);
    try {
      Object result = invoke(real, method, arguments);
      Class<?> type = method.getReturnType();
      return isPort(type) ? stepped(type, result) : result;
    } finally {
      steps.pass("behind " + name);
    }
  }

  /** Whether what a port returns is another one: a device's lease, and not a DataNode's slot. */
  private static boolean isPort(Class<?> type) {
    return type.isInterface()
        && type.getPackageName().equals(WriterFaultInjector.class.getPackageName());
  }

  private static Object invoke(Object real, Method method, Object[] arguments) throws Throwable {
    method.setAccessible(true); // its interface may be seen in its package only
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
