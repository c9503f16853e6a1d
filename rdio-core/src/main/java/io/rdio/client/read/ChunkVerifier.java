// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.nativeio.DirectReader;
import io.rdio.nativeio.NativeLibrary;
import io.rdio.nativeio.VerifyCopy;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.jspecify.annotations.Nullable;

/**
 * Checks data chunk by chunk against the CRCs of the meta file, and copies what is right. Where
 * librdio is available and all lies in direct buffers, it checks several chunks side by side and
 * copies them while they are in the nearest cache; else the CRC classes of the JDK check one after
 * the other, and the copy comes behind that. Of what is wrong nothing is copied, nor of what lies
 * behind it. For one thread at a time.
 */
public final class ChunkVerifier {
  /** What says that every chunk matches; else it is the index of the first one that does not. */
  public static final int ALL_GOOD = VerifyCopy.ALL_GOOD;

  private static final long CHECKED_ONLY = 0;

  private final boolean byLibrary;
  private final CRC32 crc32 = new CRC32();
  private final CRC32C crc32c = new CRC32C();

  // What is looked at again and again, and where it lies: memory does not move, and asking where a
  // buffer's is takes a call through JNI.
  private final @Nullable ByteBuffer usualData;
  private final @Nullable ByteBuffer usualCrcs;
  private final long usualDataAddress;
  private final long usualCrcsAddress;

  // The chunks at hand.
  private @Nullable ChecksumSpec spec;
  private @Nullable ByteBuffer data;
  private int at;
  private int length;
  private @Nullable ByteBuffer crcs;
  private int crcAt;

  /** By the fastest way that there is here. */
  public ChunkVerifier() {
    this(NativeLibrary.availability().isAvailable());
  }

  /**
   * By a way of the caller's choice, as measurements have it.
   *
   * @param byLibrary whether librdio is asked, which must be available then
   */
  public ChunkVerifier(boolean byLibrary) {
    this(byLibrary, null, null);
  }

  /**
   * By the fastest way that there is here, mostly of the same two buffers.
   *
   * @param data in which chunks lie mostly
   * @param crcs in which their CRCs do; both stay reachable as long as this
   */
  ChunkVerifier(ByteBuffer data, ByteBuffer crcs) {
    this(NativeLibrary.availability().isAvailable(), data, crcs);
  }

  private ChunkVerifier(
      boolean byLibrary, @Nullable ByteBuffer usualData, @Nullable ByteBuffer usualCrcs) {
    this.byLibrary = byLibrary;
    this.usualData = usualData;
    this.usualCrcs = usualCrcs;
    this.usualDataAddress = byLibrary && usualData != null ? DirectReader.addressOf(usualData) : 0;
    this.usualCrcsAddress = byLibrary && usualCrcs != null ? DirectReader.addressOf(usualCrcs) : 0;
  }

  /**
   * Says where the chunks are, until they are checked.
   *
   * @param how with a checksum, not NULL
   * @param bytes their content from {@code from} on, {@code count} bytes, at least 1; the last
   *     chunk may be short. Its position and limit are changed by a check
   */
  public ChunkVerifier chunks(ChecksumSpec how, ByteBuffer bytes, int from, int count) {
    spec = how;
    data = bytes;
    at = from;
    length = count;
    return this;
  }

  /**
   * Says where their CRCs are.
   *
   * @param bytes the big-endian CRC of the first chunk at {@code from}, the others behind it
   */
  public ChunkVerifier against(ByteBuffer bytes, int from) {
    crcs = bytes;
    crcAt = from;
    return this;
  }

  /** Checks all of them: {@link #ALL_GOOD}, or the first that is wrong. */
  public int check() {
    return ended(isForLibrary() ? toMemory(0, 0, CHECKED_ONLY) : checkByJava());
  }

  /**
   * Checks all of them, and copies {@code wanted} bytes from {@code skip} on to an array.
   *
   * @return {@link #ALL_GOOD}, or the first that is wrong
   */
  public int copy(int skip, int wanted, byte[] to, int toAt) {
    if (isForLibrary()) {
      return ended(
          VerifyCopy.toArray(
              spec().type().id(),
              dataAddress() + at,
              length,
              spec().bytesPerChecksum(),
              crcsAddress() + crcAt,
              skip,
              wanted,
              to,
              toAt));
    }
    int bad = checkByJava();
    if (bad == ALL_GOOD) {
      data().clear().get(at + skip, to, toAt, wanted);
    }
    return ended(bad);
  }

  /** The same to a buffer, at an absolute index. */
  public int copy(int skip, int wanted, ByteBuffer to, int toAt) {
    if (to.hasArray()) {
      return copy(skip, wanted, to.array(), to.arrayOffset() + toAt);
    }
    if (to.isDirect() && isForLibrary()) {
      return ended(toMemory(skip, wanted, DirectReader.addressOf(to) + toAt));
    }
    int bad = checkByJava();
    if (bad == ALL_GOOD) {
      to.put(toAt, data().clear(), at + skip, wanted);
    }
    return ended(bad);
  }

  /** Lets go of the chunks, whose memory may be a caller's. */
  private int ended(int firstBad) {
    data = null;
    crcs = null;
    return firstBad;
  }

  private boolean isForLibrary() {
    return byLibrary && data().isDirect() && crcs().isDirect();
  }

  private int toMemory(int skip, int wanted, long target) {
    return VerifyCopy.toMemory(
        spec().type().id(),
        dataAddress() + at,
        length,
        spec().bytesPerChecksum(),
        crcsAddress() + crcAt,
        skip,
        wanted,
        target);
  }

  private int checkByJava() {
    Checksum crc = spec().type() == ChecksumSpec.Type.CRC32 ? crc32 : crc32c;
    int chunk = spec().bytesPerChecksum();
    int end = at + length;
    int index = 0;
    data().clear();
    for (int from = at; from < end; index++) {
      int to = chunk < end - from ? from + chunk : end;
      data().limit(to).position(from);
      crc.reset();
      crc.update(data());
      if ((int) crc.getValue() != crcs().getInt(crcAt + index * ChecksumSpec.CRC_BYTES)) {
        return index;
      }
      from = to;
    }
    return ALL_GOOD;
  }

  @SuppressWarnings("ReferenceEquality") // Equal content is other memory.
  private long dataAddress() {
    return data == usualData ? usualDataAddress : DirectReader.addressOf(data());
  }

  @SuppressWarnings("ReferenceEquality") // Equal content is other memory.
  private long crcsAddress() {
    return crcs == usualCrcs ? usualCrcsAddress : DirectReader.addressOf(crcs());
  }

  private ChecksumSpec spec() {
    return Objects.requireNonNull(spec);
  }

  private ByteBuffer data() {
    return Objects.requireNonNull(data);
  }

  private ByteBuffer crcs() {
    return Objects.requireNonNull(crcs);
  }
}
