// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import io.rdio.core.FallbackException;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.extent.ExtentList;
import io.rdio.datanode.volume.MetaHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does once what Commits do to files, with two files of its own: a JVM takes many times as long for
 * what it does for the first time, and for that the first writers would wait. Thread-safe.
 */
final class CommitRehearsal {
  private static final Logger LOG = LoggerFactory.getLogger(CommitRehearsal.class);
  private static final int UNITS = 16;
  private static final int CHUNK = 512;

  /** Some 300 reads: from the 200th call on a JVM compiles a method. */
  private static final int ROUNDS = 16;

  /** On whichever volumes: what fails here costs each of them as much as a Commit. */
  private static final int TRIES_MAX = 5;

  private static final ChecksumSpec SPEC =
      new ChecksumSpec(ChecksumSpec.Type.CRC32C, CHUNK, MetaHeader.LENGTH);

  private final SlotFiles files;
  private final CommitFiles blockFiles;

  /** How often it is tried yet; 0 also while somebody tries. */
  private final AtomicInteger triesLeft = new AtomicInteger(TRIES_MAX);

  CommitRehearsal(SlotFiles files) {
    this.files = files;
    this.blockFiles = new CommitFiles(files);
  }

  /**
   * Does it, unless it was done, is being done, or failed too often. Its files are where slots are
   * made: a start empties that. What fails costs nobody anything: Commits say so themselves.
   */
  void onceOn(SlotVolume volume, SlotVolume.Opened opened) {
    int tries = triesLeft.getAndSet(0);
    if (tries == 0) {
      return;
    }
    Path block = opened.directory().making(0);
    Path meta = opened.directory().making(1);
    boolean done = false;
    try {
      rehearse(block, meta, opened.unit());
      done = true;
    } catch (IOException | FallbackException e) {
      LOG.debug("Commits cannot be rehearsed on {}", volume, e);
    } finally {
      if (!done) {
        triesLeft.set(tries - 1);
      }
    }
  }

  private void rehearse(Path block, Path meta, int unit) throws IOException, FallbackException {
    byte[] content = new byte[UNITS * unit];
    int length = content.length - 1;
    byte[] crcs = crcs(content, length);
    try {
      Files.write(block, content);
      Files.write(meta, new byte[MetaHeader.LENGTH]);
      blockFiles.cut(block, length);
      readBack(block, length, crcs, unit);
      CommitFiles.writeMeta(meta, SPEC, crcs);
    } finally {
      Files.deleteIfExists(block);
      Files.deleteIfExists(meta);
    }
  }

  private void readBack(Path block, int length, byte[] crcs, int unit)
      throws IOException, FallbackException {
    ExtentList one = ExtentList.of(new long[] {0}, new long[] {length});
    LongSupplier chunks = new AtomicLong()::incrementAndGet;
    try (ReadBack back = new ReadBack(files, block, length, SPEC, crcs, unit)) {
      for (int i = 0; i < ROUNDS; i++) {
        back.sample(one, chunks);
      }
    }
  }

  private static byte[] crcs(byte[] content, int length) {
    ByteBuffer crcs = ByteBuffer.allocate((length + CHUNK - 1) / CHUNK * ChecksumSpec.CRC_BYTES);
    for (int at = 0; at < length; at += CHUNK) {
      CRC32C crc = new CRC32C();
      crc.update(content, at, Math.min(CHUNK, length - at));
      crcs.putInt((int) crc.getValue());
    }
    return crcs.array();
  }
}
