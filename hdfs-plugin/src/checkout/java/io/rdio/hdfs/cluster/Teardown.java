// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Leaves nothing behind, however this JVM ends. What must be undone is written to a journal before
 * it is done; a guard process outside the JVM undoes it, last entry first, as soon as its pipe to
 * this JVM closes: by {@link #close}, by a signal, or because the JVM was killed.
 *
 * <p>Thread-safe. Paths handed in must not contain white space.
 */
public final class Teardown implements AutoCloseable {
  /** Longer than all that the guard waits for, of whatever is there to be undone. */
  private static final int UNDO_MINUTES_MAX = 10;

  private final Path folder;
  private final Process guard;
  private final OutputStream leash;
  private final Thread hook = new Thread(this::undo, "teardown");

  private Teardown(Path folder, Process guard) {
    this.folder = folder;
    this.guard = guard;
    this.leash = guard.getOutputStream();
  }

  /** Guards this folder, which is removed in the end with all that is in it. */
  public static Teardown of(Path folder) throws IOException {
    Path script = folder.resolve("stop");
    try (InputStream source =
        Objects.requireNonNull(Teardown.class.getResourceAsStream("stop"), "stop in the jar")) {
      Files.copy(source, script);
    }
    if (!script.toFile().setExecutable(true)) {
      throw new IOException(
          script + " cannot be made executable; is the folder on a noexec mount?");
    }
    Files.createFile(folder.resolve("journal"));
    // A session of its own: Ctrl-C in the terminal must reach the JVM, not the guard.
    Process guard =
        new ProcessBuilder("setsid", "sh", "-c", "read -r verdict || exec sh \"$0\"", "" + script)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Teardown teardown = new Teardown(folder, guard);
    Runtime.getRuntime().addShutdownHook(teardown.hook);
    teardown.add("remove", folder.toString());
    return teardown;
  }

  static void makeExecutable(Path script) throws IOException {
    if (!script.toFile().setExecutable(true)) {
      throw new IOException(
          script + " cannot be made executable; is the folder on a noexec mount?");
    }
  }

  /** A process that carries this folder's name on its command line will be killed. */
  public void killLater(long pid) throws IOException {
    add("stop_process", pid + " " + folder);
  }

  /** Whatever is mounted here will be unmounted, once killed processes are gone from it. */
  void unmountLater(Path mountPoint) throws IOException {
    add("unmount", mountPoint.toString());
  }

  /** Whatever is mounted here will be out of sight at once, and gone when nobody uses it. */
  void hideLater(Path mountPoint) throws IOException {
    add("hide", mountPoint.toString());
  }

  /** Every loop device on this image, or over this device, will be detached. */
  void detachLater(Path image) throws IOException {
    add("detach", image.toString());
  }

  /**
   * A control group will be removed, once killed processes are gone from it; what else is in it
   * goes to the group above.
   *
   * @param group its folder, which need not be there any more by then
   */
  public void removeGroupLater(Path group) throws IOException {
    add("remove_group", group.toString());
  }

  /** Leaves everything up; {@code folder/stop} undoes it. */
  void keep() throws IOException {
    leash.write("keep\n".getBytes(UTF_8));
    close();
  }

  /**
   * Undoes everything and waits until that is done. May be called again.
   *
   * @throws UncheckedIOException if it is not done in ten minutes, as while a device does not let a
   *     killed process go: the guard goes on with it
   */
  @Override
  public void close() {
    try {
      undo();
    } finally {
      forgetHook();
    }
  }

  private void forgetHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException shuttingDown) {
      // The hook itself is at work, or has been.
    }
  }

  private synchronized void add(String step, String arguments) throws IOException {
    Files.writeString(
        folder.resolve("journal"), step + " " + arguments + "\n", StandardOpenOption.APPEND);
  }

  private synchronized void undo() {
    try {
      leash.close();
      if (!guard.waitFor(UNDO_MINUTES_MAX, TimeUnit.MINUTES)) {
        throw new IOException(
            folder
                + " has not been undone in "
                + UNDO_MINUTES_MAX
                + " minutes; its guard, process "
                + guard.pid()
                + ", goes on, and says why on standard error");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
