// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code xfs_logprint} says of a log. */
final class XfsLogText {
  /** As it names buffers, in sectors, and inodes. */
  private static final Pattern BUFFER =
      Pattern.compile("BUF: .*blkno:0x([0-9a-f]{1,15}) +len:(\\d{1,9})\\b");

  private static final Pattern INODE = Pattern.compile("INODE: .*ino:0x([0-9a-f]{1,15})\\b");

  /** No buffer of metadata is larger. */
  private static final int BUFFER_SECTORS_MAX = 256;

  private XfsLogText() {}

  /** Sectors of the device that its lines name, by a buffer or an inode. */
  static Sectors named(BufferedReader lines, XfsGeometry geometry, long deviceSectors)
      throws IOException {
    Sectors named = new Sectors();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher buffer = BUFFER.matcher(line);
      Matcher inode = INODE.matcher(line);
      if (buffer.find()) {
        long first = Long.parseLong(buffer.group(1), 16);
        long end = first + Math.min(Long.parseLong(buffer.group(2)), BUFFER_SECTORS_MAX);
        named.add(first, end);
      } else if (inode.find()) {
        long first = geometry.chunkSector(Long.parseLong(inode.group(1), 16));
        named.add(first, first + geometry.chunkSectors());
      }
    }
    Sectors beyond = new Sectors();
    beyond.add(deviceSectors, Long.MAX_VALUE);
    return named.without(beyond);
  }
}
