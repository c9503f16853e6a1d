// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Where tests step into what writers say and do: each port of theirs to the outside comes past here
 * once, when it is made, and stays as it is. A test sets a subclass before it has a writer made,
 * which puts something in the port's place; so a port costs nothing more, and a call that it gets
 * later needs no place of its own here. A test resets it with {@code set(new
 * WriterFaultInjector())}.
 */
public class WriterFaultInjector {
  private static final AtomicReference<WriterFaultInjector> CURRENT =
      new AtomicReference<>(new WriterFaultInjector());

  static WriterFaultInjector get() {
    return Objects.requireNonNull(CURRENT.get());
  }

  public static void set(WriterFaultInjector injector) {
    CURRENT.set(injector);
  }

  /**
   * What writers use for a port.
   *
   * @param port the interface: of the plane, by which DataNodes are asked, or of a device that is
   *     open for writing
   * @param real what does it
   */
  protected <T> T port(Class<T> port, T real) {
    return real;
  }
}
