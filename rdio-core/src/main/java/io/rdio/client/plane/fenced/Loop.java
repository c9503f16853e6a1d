// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A loop device, which is detached when it is closed here, nobody else has it open, and it is not
 * mounted: also where this program is killed, but for the moment between attaching and opening it.
 * What is left of that moment over an image, {@link #detachLeft} detaches.
 */
final class Loop implements AutoCloseable {
  private static final Path BLOCKS = Path.of("/sys/block");

  private final Path node;
  private final FileChannel held;

  private Loop(Path node, FileChannel held) {
    this.node = node;
    this.held = held;
  }

  /** Of an image, to be written to. */
  static Loop of(Tools tools, Path image) throws IOException {
    return attach(tools, List.of(), image);
  }

  /**
   * A view of a device that cannot be written to and shows what the medium has: this host may have
   * old pages of the device in its memory, and most tools would read those.
   */
  static Loop view(Tools tools, Path device) throws IOException {
    String sector = tools.run("blockdev", "--getss", device.toString());
    Loop loop =
        attach(tools, List.of("--read-only", "--direct-io=on", "--sector-size", sector), device);
    boolean direct = false;
    try {
      direct = attribute(BLOCKS.resolve(name(loop.node)), "dio").equals("1");
    } finally {
      if (!direct) {
        loop.close();
      }
    }
    if (!direct) {
      throw new IOException("this kernel's loop devices do not read " + device + " directly");
    }
    return loop;
  }

  private static Loop attach(Tools tools, List<String> options, Path of) throws IOException {
    List<String> command = new ArrayList<>(List.of("losetup", "--find", "--show"));
    command.addAll(options);
    command.add(of.toString());
    tools.requireTime("losetup");
    Tools patient = tools.patient(); // one that is ended in the midst may have attached it
    Path node = Path.of(patient.run(command.toArray(String[]::new)));
    FileChannel held = null;
    try {
      held = FileChannel.open(node, StandardOpenOption.READ);
      // Takes effect when nobody has it open any more.
      patient.run("losetup", "--detach", node.toString());
      return new Loop(node, held);
    } catch (IOException e) {
      undo(tools.patient(), node, held, e);
      throw e;
    }
  }

  private static void undo(Tools tools, Path node, @Nullable FileChannel held, IOException why) {
    try (held) {
      tools.run("losetup", "--detach", node.toString());
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  /** Detaches those over files of a folder that a program left which was killed. */
  static void detachLeft(Tools tools, Path folder) throws IOException {
    for (Path node : left(BLOCKS, folder)) {
      tools.run("losetup", "--detach", node.toString());
    }
  }

  /**
   * Nodes of loop devices over files of a folder, but for those that are detached when they are
   * closed: such a number may be somebody else's in a moment.
   *
   * @param blocks the kernel's folder of block devices
   */
  static List<Path> left(Path blocks, Path folder) throws IOException {
    String start = folder.toRealPath() + "/";
    List<Path> nodes = new ArrayList<>();
    for (Path block : Folders.list(blocks, "loop*")) {
      if (attribute(block, "autoclear").equals("0")
          && attribute(block, "backing_file").startsWith(start)) {
        nodes.add(Path.of("/dev", name(block)));
      }
    }
    return nodes;
  }

  /** Empty where nothing is attached. */
  private static String attribute(Path block, String name) throws IOException {
    Path file = block.resolve("loop").resolve(name);
    try {
      // A file of somebody else may have a name of any bytes.
      return new String(Files.readAllBytes(file), UTF_8).strip();
    } catch (IOException e) {
      if (Files.exists(file)) {
        throw e;
      }
      return ""; // also where it goes meanwhile
    }
  }

  private static String name(Path node) {
    return Objects.toString(node.getFileName(), "");
  }

  Path node() {
    return node;
  }

  /** What it shows. */
  FileChannel channel() {
    return held;
  }

  @Override
  public void close() throws IOException {
    held.close();
  }
}
