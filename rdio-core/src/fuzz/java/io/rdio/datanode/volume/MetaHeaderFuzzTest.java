// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.FallbackReason;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.Allocation;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Whatever a meta file begins with is a header that makes sense, or is refused. */
final class MetaHeaderFuzzTest {
  private static final long ALLOCATED_MAX = 1L << 20;

  private static Path file;

  @BeforeContainer
  static void makeFile() throws IOException {
    file = Files.createTempFile("rdio-", ".meta");
  }

  @AfterContainer
  static void deleteFile() throws IOException {
    Files.delete(file);
  }

  @Property
  void anyBytesAreAHeaderOrRefused(@ForAll("contents") byte[] content) throws IOException {
    check(content);
  }

  /** A file of these bytes has a header or is refused, for little memory. */
  static void check(byte[] content) throws IOException {
    Files.write(file, content);
    Allocation.assertBelow(ALLOCATED_MAX, () -> read(content));
  }

  private static void read(byte[] content) throws IOException {
    try {
      ChecksumSpec spec = MetaHeader.read(file);
      assertThat(content).startsWith(0, 1);
      assertThat(spec.headerLength()).isEqualTo(MetaHeader.LENGTH);
      assertThat(spec.metaLength(Long.MAX_VALUE / 1024)).isGreaterThanOrEqualTo(7);
      if (spec.type() != ChecksumSpec.Type.NULL) {
        assertThat(spec.bytesPerChecksum()).isPositive();
      }
    } catch (FallbackException e) {
      assertThat(e.reason()).isEqualTo(FallbackReason.CHECKSUM_UNSUPPORTED);
    } catch (EOFException e) {
      assertThat(content).hasSizeLessThan(MetaHeader.LENGTH);
    }
  }

  @Provide
  Arbitrary<byte[]> contents() {
    Arbitrary<byte[]> noise = Arbitraries.bytes().array(byte[].class).ofMaxSize(12);
    Arbitrary<byte[]> nearly =
        Arbitraries.bytes()
            .array(byte[].class)
            .ofSize(8)
            .map(
                bytes -> {
                  bytes[0] = 0;
                  bytes[1] = 1;
                  bytes[2] = (byte) (bytes[2] & 3);
                  return bytes;
                });
    return Arbitraries.oneOf(noise, nearly);
  }
}
