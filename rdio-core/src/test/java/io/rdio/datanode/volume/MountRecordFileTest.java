// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.DeviceIdentity;
import io.rdio.core.ext4.MountRecord;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MountRecordFileTest {
  private static final UUID FS = new UUID(1, 2);

  @TempDir(factory = InMemory.class)
  Path directory;

  private Path ext4;
  private Path root;
  private MountRecordFile file;

  @BeforeEach
  void make() throws IOException {
    ext4 = directory.resolve("ext4");
    root = directory.resolve("data");
    Files.createDirectories(ext4.resolve("sdz1"));
    Files.createDirectories(root.resolve("rdio"));
    Files.write(ext4.resolve("sdz1/options"), List.of("rw", "barrier", "data=ordered"));
    file = new MountRecordFile(ext4);
  }

  private void write(String fsType) {
    file.write(
        new Storage("DS-1", root, true), new DeviceIdentity(fsType, FS, 1, "", 0, "/dev/sdz1"));
  }

  private Path record() {
    return root.resolve(MountRecord.PATH);
  }

  @Test
  void itSaysWhatIsInEffect() throws Exception {
    long before = System.currentTimeMillis() / 1000;
    write("ext4");
    MountRecord record = MountRecord.parse(Files.readAllBytes(record())).orElseThrow();
    assertThat(record.storageId()).isEqualTo("DS-1");
    assertThat(record.fileSystem()).isEqualTo(FS);
    assertThat(record.options()).containsExactly("rw", "barrier", "data=ordered");
    assertThat(record.madeSeconds()).isBetween(before, System.currentTimeMillis() / 1000);
    assertThat(record.whyUnfit()).isEmpty();
  }

  @Test
  void itIsANewFileEachTime() throws Exception {
    write("ext4");
    Path kept = directory.resolve("kept"); // or its inode is free for the next one
    Files.createLink(kept, record());
    Files.write(root.resolve("rdio/mount.new"), new byte[] {1}); // of a writer that died
    write("ext4");
    assertThat(Files.isSameFile(kept, record())).isFalse();
    assertThat(MountRecord.parse(Files.readAllBytes(record()))).isPresent();
    assertThat(root.resolve("rdio/mount.new")).doesNotExist();
  }

  @Test
  void whereItCannotBeWrittenNothingElseFails() throws Exception {
    Files.delete(ext4.resolve("sdz1/options"));
    write("ext4");
    assertThat(record()).doesNotExist();
    Files.delete(root.resolve("rdio"));
    Files.write(ext4.resolve("sdz1/options"), List.of("rw"));
    write("ext4");
    assertThat(record()).doesNotExist();
  }

  @Test
  void oneThatCouldNotBeWrittenIsTriedAgain() throws Exception {
    Files.createDirectories(root.resolve("rdio/mount.new/full")); // no file can have its name
    write("ext4");
    writeIfMissing();
    assertThat(record()).doesNotExist();
    Files.delete(root.resolve("rdio/mount.new/full"));
    writeIfMissing();
    assertThat(record()).exists();
  }

  @Test
  void oneThatWasWrittenIsLeftAsItIs() throws Exception {
    write("ext4");
    Files.delete(record()); // whoever did that had a reason
    writeIfMissing();
    assertThat(record()).doesNotExist();
  }

  private void writeIfMissing() {
    file.writeIfMissing(
        new Storage("DS-1", root, true), new DeviceIdentity("ext4", FS, 1, "", 0, "/dev/sdz1"));
  }

  @Test
  void otherFileSystemsHaveNone() {
    write("xfs");
    assertThat(record()).doesNotExist();
  }
}
