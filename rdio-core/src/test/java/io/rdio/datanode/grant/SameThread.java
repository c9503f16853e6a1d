// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.grant;

import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Does all work at once, where it is asked for; no time ever passes. */
public class SameThread implements GrantThreads {
  @Override
  public Executor pinning(Path volumeRoot) {
    return Runnable::run;
  }

  @Override
  public Executor upkeep(Path volumeRoot) {
    return Runnable::run;
  }

  @Override
  public Runnable after(long nanos, Runnable work) {
    return () -> {};
  }
}
