// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A loop device, which is detached when it is closed here, nobody else has it open, and it is not
 * mounted: also where this program is killed.
 */
final class Loop implements AutoCloseable {
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
    Path direct =
        Path.of("/sys/class/block", Objects.toString(loop.node.getFileName(), ""), "loop/dio");
    if (!Files.readString(direct).strip().equals("1")) {
      loop.close();
      throw new IOException("this kernel's loop devices do not read " + device + " directly");
    }
    return loop;
  }

  private static Loop attach(Tools tools, List<String> options, Path of) throws IOException {
    List<String> command = new ArrayList<>(List.of("losetup", "--find", "--show"));
    command.addAll(options);
    command.add(of.toString());
    Path node = Path.of(tools.run(command.toArray(String[]::new)));
    try {
      FileChannel held = FileChannel.open(node, StandardOpenOption.READ);
      // Takes effect when nobody has it open any more.
      tools.run("losetup", "--detach", node.toString());
      return new Loop(node, held);
    } catch (IOException e) {
      tools.run("losetup", "--detach", node.toString());
      throw e;
    }
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
