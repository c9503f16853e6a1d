// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import jnr.ffi.LibraryLoader;

/** Runs code on a thread to which the kernel gives the file permissions of user nobody. */
public final class Unprivileged {
  private static final int NOBODY = 65534;

  private Unprivileged() {}

  /** Of the C library. Linux drops CAP_DAC_OVERRIDE from a thread that leaves file-system uid 0. */
  public interface Users {
    int setfsuid(int uid);
  }

  /**
   * What the code answers.
   *
   * @throws ExecutionException with what it threw
   */
  public static <T> T call(Callable<T> code) throws ExecutionException, InterruptedException {
    Users users = LibraryLoader.create(Users.class).load("c");
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              users.setfsuid(NOBODY);
              return code.call();
            });
    Thread thread = new Thread(task, "nobody");
    thread.start();
    return task.get();
  }
}
