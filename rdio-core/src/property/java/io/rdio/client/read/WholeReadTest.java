// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.ReadFixture;
import io.rdio.core.testing.TestBlock;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Any range of any block by any kind of read is the block's bytes, or refused. */
class WholeReadTest {
  private static final byte UNTOUCHED = 0x55;

  record Shape(
      long seed,
      int length,
      ChecksumSpec.Type type,
      int bytesPerChecksum,
      int grain,
      int fragment,
      int alignment,
      boolean verify) {
    TestBlock block() {
      return new TestBlock(seed, length, type, bytesPerChecksum, grain, fragment);
    }
  }

  @Provide
  Arbitrary<Shape> shapes() {
    return Arbitraries.randomValue(
        random -> {
          int[] chunks = {1, 13, 512, 512, 512, 513, 4096, 65536, Integer.MAX_VALUE};
          int chunk = chunks[random.nextInt(chunks.length)];
          int length = 1 + random.nextInt(chunk < 512 ? 20_000 : 400_000);
          int[] grains = {4096, 4096, 1024, 512, 100};
          ChecksumSpec.Type[] types = {
            ChecksumSpec.Type.CRC32,
            ChecksumSpec.Type.CRC32,
            ChecksumSpec.Type.CRC32C,
            ChecksumSpec.Type.CRC32C,
            ChecksumSpec.Type.NULL
          };
          int[] alignments = {512, 4096};
          return new Shape(
              random.nextLong(),
              length,
              types[random.nextInt(types.length)],
              chunk,
              grains[random.nextInt(grains.length)],
              random.nextInt(4) == 0 ? 1 << 20 : 20_000,
              alignments[random.nextInt(2)],
              random.nextInt(5) > 0);
        });
  }

  @Property(tries = 300)
  void everyReadIsTheBlocksBytes(@ForAll("shapes") Shape shape) throws Exception {
    TestBlock block = shape.block();
    ReadFixture fixture = new ReadFixture(block, shape.alignment());
    Random random = new Random(shape.seed());
    ExtentReader reader =
        ExtentReader.open(fixture.context, block.request, shape.verify(), shape.length());

    int next = 0;
    for (int i = 0; i < 20; i++) {
      int from =
          random.nextInt(3) > 0 && next < shape.length() ? next : random.nextInt(shape.length());
      int most = shape.length() - from;
      int count = 1 + random.nextInt(random.nextBoolean() ? Math.min(most, 5000) : most);
      readAndCompare(reader, block, from, count, random);
      next = from + count;
    }
    reader.close();

    assertThat(fixture.maps.rejections()).isEmpty();
    assertThat(fixture.windows.lentBytes()).isZero();
    assertThat(fixture.counters.rdioReads.sum()).isEqualTo(20);
  }

  private static void readAndCompare(
      ExtentReader reader, TestBlock block, int from, int count, Random random) throws Exception {
    int at = random.nextInt(3) * 100;
    int room = at + count + random.nextInt(50);
    byte[] got = new byte[room];
    Arrays.fill(got, UNTOUCHED);
    if (random.nextInt(3) == 0) {
      reader.read(from, got, at, count);
    } else {
      ByteBuffer buffer = buffer(room, random);
      // Where the caller's memory begins on an alignment: as an aligned reader would have it.
      buffer.put(got).position(random.nextInt(room)).limit(room);
      int position = buffer.position();
      reader.read(from, buffer, at, count);
      assertThat(buffer.position()).isEqualTo(position);
      assertThat(buffer.limit()).isEqualTo(room);
      buffer.get(0, got);
    }
    byte[] wanted = new byte[room];
    Arrays.fill(wanted, UNTOUCHED);
    System.arraycopy(block.bytes, from, wanted, at, count);
    assertThat(got).isEqualTo(wanted);
  }

  private static ByteBuffer buffer(int room, Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> ByteBuffer.allocate(room);
      case 1 -> ByteBuffer.allocateDirect(room);
      default -> ByteBuffer.allocateDirect(room + 8192).alignedSlice(4096).limit(room).slice();
    };
  }

  @Property(tries = 200)
  void alignedDirectMemoryIsReadWithoutTheDetour(@ForAll("shapes") Shape shape) throws Exception {
    TestBlock block = shape.block();
    ReadFixture fixture = new ReadFixture(block, shape.alignment());
    ExtentReader reader =
        ExtentReader.open(fixture.context, block.request, shape.verify(), shape.length());
    ByteBuffer target = ByteBuffer.allocateDirect(shape.length() + 8192).alignedSlice(4096);
    reader.read(0, target, 0, shape.length());
    byte[] got = new byte[shape.length()];
    target.get(0, got);
    assertThat(got).isEqualTo(block.bytes);
  }

  @Property(tries = 300)
  void oneBadByteInDataOrChecksumsIsFound(@ForAll("shapes") Shape shape) throws Exception {
    TestBlock block = shape.block();
    if (!shape.verify() || shape.type() == ChecksumSpec.Type.NULL) {
      return;
    }
    Random random = new Random(shape.seed());
    int victim = random.nextInt(shape.length());
    int chunk = victim / shape.bytesPerChecksum();
    int place =
        random.nextBoolean()
            ? block.placeOf(victim)
            : block.placeInMeta(block.checksum.headerLength() + 4 * chunk + random.nextInt(4));
    block.image[place] ^= (byte) (1 + random.nextInt(255));
    ReadFixture fixture = new ReadFixture(block, shape.alignment());
    fixture.maps.then(block.map(fixture.clock));
    ExtentReader reader = ExtentReader.open(fixture.context, block.request, true, shape.length());

    ByteBuffer target = buffer(shape.length(), random);
    assertThatThrownBy(() -> reader.read(0, target, 0, shape.length()))
        .isInstanceOfSatisfying(
            FallbackException.class,
            e -> assertThat(e.reason()).isEqualTo(FallbackReason.CHECKSUM_MISMATCH));

    assertThat(fixture.maps.rejections())
        .containsExactly(FallbackReason.CHECKSUM_MISMATCH, FallbackReason.CHECKSUM_MISMATCH);
    assertThat(fixture.counters.checksumMismatches.sum()).isEqualTo(2);
    assertThat(fixture.counters.rdioBytes.sum()).isZero();
    assertThat(fixture.windows.lentBytes()).isZero();
    for (int i = victim; i < Math.min(shape.length(), victim + 1); i++) {
      assertThat(target.get(i)).isZero();
    }
  }
}
