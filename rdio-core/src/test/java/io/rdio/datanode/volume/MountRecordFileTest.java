// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.ext4.MountRecord;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MountRecordFileTest {
  @TempDir Path directory;

  private Path proc;
  private Storage storage;
  private Path record;

  @BeforeEach
  void makeFolders() throws Exception {
    proc = directory.resolve("proc");
    Files.createDirectories(proc.resolve("fs/ext4/nvme0n1"));
    Files.write(proc.resolve("fs/ext4/nvme0n1/options"), List.of("rw", "barrier", "data=ordered"));
    storage = new Storage("DS-1", directory.resolve("volume"), true);
    record = storage.volumeRoot().resolve(MountRecord.PATH);
    Files.createDirectories(storage.volumeRoot().resolve("rdio"));
  }

  private static DeviceIdentity device(String fsType, String name) {
    return new DeviceIdentity(fsType, new UUID(1, 2), 1 << 20, "", 0, name);
  }

  @Test
  void theKernelsOptionsAreNoted() throws Exception {
    new MountRecordFile(proc).write(storage, device("ext4", "/dev/nvme0n1"));
    MountRecord written = MountRecord.parse(Files.readAllBytes(record)).orElseThrow();
    assertThat(written.storageId()).isEqualTo("DS-1");
    assertThat(written.whyUnfit()).isEmpty();
  }

  @Test
  void whatTheKernelDoesNotSayIsNotNotedAndAnOldRecordGoes() throws Exception {
    Files.write(record, new byte[] {1});
    new MountRecordFile(proc).write(storage, device("ext4", "/dev/nvme7n1"));
    assertThat(record).doesNotExist();

    Files.write(record, new byte[] {1});
    new MountRecordFile(proc).write(storage, device("xfs", "/dev/nvme0n1"));
    assertThat(record).doesNotExist();
  }
}
