// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.datanode;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.device.DeviceDirectory;
import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.extent.ExtentList;
import io.rdio.core.testing.ExtentBytes;
import io.rdio.core.wire.proto.Extents;
import io.rdio.core.wire.proto.FileMap;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.util.DataChecksum;

/** What lies on the device where a granted map says, read past the page cache. */
final class GrantedBytes {
  private GrantedBytes() {}

  /** Fails unless block and checksums are those of this content. */
  static void check(DeviceDirectory devices, FileMap map, byte[] content)
      throws FallbackException, ChecksumException {
    BlockDevice device = devices.resolve(identity(map));
    assertThat(map.getBlockLength()).isEqualTo(content.length);
    byte[] block = ExtentBytes.read(device, extents(map.getBlockExtents()), content.length);
    assertThat(Arrays.mismatch(block, content)).as("first wrong byte of the block").isEqualTo(-1);
    DataChecksum checksum =
        DataChecksum.newDataChecksum(
            DataChecksum.Type.valueOf(map.getChecksumType()), map.getBytesPerChecksum());
    int sums = checksum.getChecksumSize(content.length);
    byte[] meta =
        ExtentBytes.read(device, extents(map.getMetaExtents()), map.getMetaHeaderLength() + sums);
    checksum.verifyChunkedSums(
        ByteBuffer.wrap(content),
        ByteBuffer.wrap(meta, map.getMetaHeaderLength(), sums).slice(),
        "meta file",
        0);
  }

  private static DeviceIdentity identity(FileMap map) {
    var device = map.getDevice();
    ByteBuffer uuid = device.getFsUuid().asReadOnlyByteBuffer();
    return new DeviceIdentity(
        device.getFsType(),
        new UUID(uuid.getLong(), uuid.getLong()),
        device.getSizeBytes(),
        device.getWwid(),
        device.getPartitionStartBytes(),
        device.getName());
  }

  private static ExtentList extents(Extents extents) {
    return ExtentList.of(
        extents.getPhysicalList().stream().mapToLong(Long::longValue).toArray(),
        extents.getLengthList().stream().mapToLong(Long::longValue).toArray());
  }
}
