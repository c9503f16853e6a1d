// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One file, open several times: the kernel reads ahead for each scan by itself. */
final class ScannedFile implements ReadableData {
  /** As many scans go on at a time as the kernel can tell apart. */
  private static final int FILES = 8;

  /** The file, opened anew for each scan, and where that scan goes on. */
  private static final class OpenFile {
    final FileChannel channel;
    int next = -1;

    OpenFile(Path path) throws IOException {
      channel = FileChannel.open(path);
    }
  }

  // The one that was read last at the end.
  private final List<OpenFile> files = new ArrayList<>();

  ScannedFile(Path path) throws IOException {
    for (int i = 0; i < FILES; i++) {
      files.add(new OpenFile(path));
    }
  }

  @Override
  public void read(int first, int blocks, ByteBuffer target) throws IOException {
    FileChannel file = fileFor(first, first + blocks);
    ReadableData.fill(target, file, (long) first * Workload.BLOCK_BYTES);
  }

  /** The kernel reads ahead for each open file: so the one that was read up to here. */
  private FileChannel fileFor(int first, int end) {
    int found = 0;
    for (int i = 0; i < files.size(); i++) {
      if (files.get(i).next == first) {
        found = i;
      }
    }
    OpenFile file = files.remove(found);
    file.next = end;
    files.add(file);
    return file.channel;
  }
}
