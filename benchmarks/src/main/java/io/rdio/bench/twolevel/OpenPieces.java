// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.twolevel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/** Many files in pieces, all of them open. */
final class OpenPieces implements ReadableData {
  private final PieceFiles pieces;
  private final List<FileChannel> channels = new ArrayList<>();

  OpenPieces(PieceFiles pieces) throws IOException {
    this.pieces = pieces;
    for (int file = 0; file < pieces.files(); file++) {
      channels.add(FileChannel.open(pieces.path(file)));
    }
  }

  @Override
  public void read(int first, int blocks, ByteBuffer target) throws IOException {
    for (int block = first; block < first + blocks; block++) {
      ByteBuffer one = target.slice(target.position(), Workload.BLOCK_BYTES);
      ReadableData.fill(one, channels.get(pieces.fileOf(block)), pieces.offsetOf(block));
      target.position(target.position() + Workload.BLOCK_BYTES);
    }
  }
}
