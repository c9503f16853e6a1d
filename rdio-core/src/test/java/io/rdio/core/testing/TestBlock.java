// SPDX-License-Identifier: Apache-2.0
package io.rdio.core.testing;

import io.rdio.client.plane.FileMap;
import io.rdio.client.plane.Guard;
import io.rdio.client.plane.grant.GrantOrigin;
import io.rdio.client.plane.grant.Lease;
import io.rdio.core.block.BlockKey;
import io.rdio.core.block.BlockRequest;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.block.TokenedBlock;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** A block of random bytes with its meta file, scattered over the image of a device. */
public final class TestBlock {
  public static final Duration LEASE = Duration.ofSeconds(60);
  private static final int HEADER = 7;
  private static final int IMAGE_ROUNDING = 4096;

  public final BlockKey key = new BlockKey("BP-1-127.0.0.1-1", 1073741825, 1001);
  public final BlockRequest request = new BlockRequest(new TokenedBlock(key), "/file");
  public final byte[] bytes;
  public final byte[] meta;
  public final byte[] image;
  public final ChecksumSpec checksum;
  public final ExtentList blockExtents;
  public final ExtentList metaExtents;
  public final DeviceIdentity identity;

  /**
   * @param grain extents start at and are as long as multiples of it, as file-system blocks do
   * @param fragment extents have at most this many bytes
   */
  public TestBlock(
      long seed,
      int length,
      ChecksumSpec.Type type,
      int bytesPerChecksum,
      int grain,
      int fragment) {
    Random random = new Random(seed);
    bytes = new byte[length];
    random.nextBytes(bytes);
    checksum = new ChecksumSpec(type, bytesPerChecksum, HEADER);
    meta = meta(random);
    List<long[]> pieces = new ArrayList<>();
    cut(pieces, 0, bytes.length, grain, fragment, random);
    int blockPieces = pieces.size();
    cut(pieces, 1, meta.length, grain, fragment, random);
    long end = place(pieces, grain, random);
    image = new byte[(int) ((end + IMAGE_ROUNDING - 1) / IMAGE_ROUNDING) * IMAGE_ROUNDING];
    random.nextBytes(image);
    blockExtents = write(pieces.subList(0, blockPieces), bytes);
    metaExtents = write(pieces.subList(blockPieces, pieces.size()), meta);
    identity = new DeviceIdentity("ext4", new UUID(seed, 1), image.length, "", 0, "/dev/there");
  }

  /** A map of it under a new lease. */
  public FileMap map(ManualClock clock) {
    return map(new Lease(1, 1, clock.nanos(), clock.nanos() + LEASE.toNanos()));
  }

  public FileMap map(Guard guard) {
    return map(identity, bytes.length, blockExtents, guard);
  }

  /** A map of it that is not as it should be. */
  public FileMap map(DeviceIdentity device, long length, ExtentList extents, Guard guard) {
    return new FileMap(
        key,
        new GrantOrigin("datanode:9860", 2, "DS-1", device, 0, 2, checksum),
        length,
        extents,
        metaExtents,
        guard);
  }

  /** Where the byte at an offset of the block file is on the device. */
  public int placeOf(int offset) {
    return place(blockExtents, offset);
  }

  /** Where the byte at an offset of the meta file is on the device. */
  public int placeInMeta(int offset) {
    return place(metaExtents, offset);
  }

  public byte[] range(long from, int length) {
    return Arrays.copyOfRange(bytes, (int) from, (int) from + length);
  }

  private static int place(ExtentList extents, int offset) {
    int i = extents.indexOf(offset);
    return (int) (extents.physical(i) + offset - extents.start(i));
  }

  private byte[] meta(Random random) {
    ByteBuffer out = ByteBuffer.allocate((int) checksum.metaLength(bytes.length));
    byte[] header = new byte[HEADER];
    random.nextBytes(header);
    out.put(header);
    Checksum crc = checksum.type() == ChecksumSpec.Type.CRC32 ? new CRC32() : new CRC32C();
    while (out.hasRemaining()) {
      int from = (out.position() - HEADER) / ChecksumSpec.CRC_BYTES * checksum.bytesPerChecksum();
      crc.reset();
      crc.update(bytes, from, Math.min(checksum.bytesPerChecksum(), bytes.length - from));
      out.putInt((int) crc.getValue());
    }
    return out.array();
  }

  // A piece: the file it belongs to, its length, its place.
  private static void cut(
      List<long[]> pieces, int file, int length, int grain, int fragment, Random random) {
    int grains = (length + grain - 1) / grain;
    while (grains > 0) {
      int taken = Math.min(grains, 1 + random.nextInt(Math.max(1, fragment / grain)));
      pieces.add(new long[] {file, (long) taken * grain, 0});
      grains -= taken;
    }
  }

  private static long place(List<long[]> pieces, int grain, Random random) {
    List<long[]> order = new ArrayList<>(pieces);
    if (random.nextInt(3) > 0) {
      Collections.shuffle(order, random);
    }
    long end = (long) random.nextInt(8) * grain;
    for (long[] piece : order) {
      piece[2] = end;
      end += piece[1] + (long) random.nextInt(3) * grain;
    }
    return end;
  }

  private ExtentList write(List<long[]> pieces, byte[] file) {
    int done = 0;
    for (long[] piece : pieces) {
      int count = (int) Math.min(piece[1], file.length - done);
      System.arraycopy(file, done, image, (int) piece[2], count);
      done += count;
    }
    return ExtentList.of(
        pieces.stream().mapToLong(piece -> piece[2]).toArray(),
        pieces.stream().mapToLong(piece -> piece[1]).toArray());
  }
}
