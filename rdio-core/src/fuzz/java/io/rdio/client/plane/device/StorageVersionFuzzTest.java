// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.testing.Allocation;
import io.rdio.fuzz.Damage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Whatever a VERSION file holds says of which storage it is, or nothing. */
final class StorageVersionFuzzTest {
  static final List<byte[]> WHOLE =
      List.of(
          """
          #Sat Nov 28 00:00:00 UTC 2026
          storageID=DS-1
          clusterID=CID-1
          cTime=0
          datanodeUuid=u
          storageType=DATA_NODE
          layoutVersion=-57
          """
              .getBytes(ISO_8859_1),
          "storageType : DATA_NODE\r\nstorageID \\u0044S\\\n  -1\rlayoutVersion=-65"
              .getBytes(ISO_8859_1),
          "storageID=NS-1\nstorageType=NAME_NODE\nlayoutVersion=-66\n".getBytes(ISO_8859_1));

  private static final long ALLOCATED_MAX = 1L << 20;

  @Property
  void anyBytesAreAVersionOrNone(@ForAll("contents") byte[] content) throws IOException {
    check(content);
  }

  /** Of so many of them as are read of a file. */
  static void check(byte[] content) throws IOException {
    byte[] start = Arrays.copyOf(content, Math.min(content.length, StorageVersion.MAX_BYTES));
    Allocation.assertBelow(ALLOCATED_MAX, () -> parse(start));
  }

  private static void parse(byte[] content) throws IOException {
    Optional<StorageVersion> found = StorageVersion.parse(content);
    if (found.isPresent()) {
      StorageVersion version = found.get();
      assertThat(version.storageId()).isNotEmpty();
      assertThat(version.isSupported()).isEqualTo(version.layoutVersion() <= -57);
      assertThat(StorageVersion.parse(written(version))).contains(version);
    }
  }

  /** As HDFS writes it. */
  private static byte[] written(StorageVersion version) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("storageID", version.storageId());
    properties.setProperty("storageType", "DATA_NODE");
    properties.setProperty("layoutVersion", Integer.toString(version.layoutVersion()));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    properties.store(out, null);
    return out.toByteArray();
  }

  @Provide
  Arbitrary<byte[]> contents() {
    return Damage.of(WHOLE);
  }
}
