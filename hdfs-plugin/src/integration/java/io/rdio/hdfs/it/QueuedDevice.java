// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.it;

import io.rdio.core.testing.Command;
import io.rdio.core.testing.HangingFile;
import io.rdio.core.testing.LoopDevice;
import java.io.IOException;
import java.nio.file.Path;

/**
 * An agent's own way to a DataNode's device: another block device over the same bytes, whose writes
 * go through a queue, as those of a host go through a fabric.
 */
public final class QueuedDevice implements AutoCloseable {
  private final String uuid;
  private final String device;
  private final HangingFile file;
  private final LoopDevice loop;

  private QueuedDevice(String uuid, String device, HangingFile file, LoopDevice loop) {
    this.uuid = uuid;
    this.device = device;
    this.file = file;
    this.loop = loop;
  }

  /**
   * One more way to a loop device that a file system is on. Skips the test where it cannot be.
   *
   * @param device such as /dev/loop3
   * @param queue that writes go through; it must let go of them all before this is closed
   */
  public static QueuedDevice to(String device, HangingFile.WriteQueue queue) throws IOException {
    String uuid = Command.run("blkid", "-p", "-o", "value", "-s", "UUID", device);
    Path image = Path.of(Command.run("losetup", "--noheadings", "-O", "BACK-FILE", device));
    HangingFile file = HangingFile.over(image, queue);
    try {
      return new QueuedDevice(uuid, device, file, LoopDevice.attach(file.file()));
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  /** The device node. */
  public Path node() {
    return loop.node();
  }

  /** What {@code dfs.client.rdio.devices} says of it: without it two devices look alike. */
  public String asKey() {
    return uuid + "=" + node();
  }

  /** The same of the DataNode's own device, for those that are to go past the queue. */
  public String ownAsKey() {
    return uuid + "=" + device;
  }

  @Override
  public void close() throws IOException {
    try {
      loop.close();
    } finally {
      file.close();
    }
  }
}
