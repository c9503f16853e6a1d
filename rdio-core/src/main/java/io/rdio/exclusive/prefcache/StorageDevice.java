// SPDX-License-Identifier: Apache-2.0
package io.rdio.exclusive.prefcache;

import java.nio.file.Path;

/**
 * A device that this storage node exports and caches.
 *
 * @param number as descriptors name it, from 0 on
 * @param node for example {@code /dev/loop3}
 * @param kernelNumber major &lt;&lt; 20 | minor
 * @param backingFile what is behind it
 * @param backingOffset bytes of that file before the device begins; a multiple of 4096
 * @param readAheadBytes that the kernel reads ahead in that file at most
 * @param namespaceUuid of the NVMe namespace that exports it; "" if there is none
 * @param wwid of that namespace as initiators see it; "" if there is none
 * @param fsUuid of the file system on it; "" if there is none that RDIO knows
 */
public record StorageDevice(
    int number,
    Path node,
    int kernelNumber,
    long sizeBytes,
    Path backingFile,
    long backingOffset,
    long readAheadBytes,
    String namespaceUuid,
    String wwid,
    String fsUuid) {
  /** The kernel's name, for example {@code loop3}. */
  public String name() {
    return String.valueOf(node.getFileName());
  }
}
