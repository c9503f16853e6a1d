// SPDX-License-Identifier: Apache-2.0
package io.rdio.datanode.allocate;

import static io.rdio.datanode.allocate.WriteFixture.content;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.rdio.core.block.ChecksumSpec;
import io.rdio.datanode.volume.MetaHeader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A block's files as a Commit leaves them, and how often one is synced for it. */
final class CommitFilesTest {
  private static final ChecksumSpec SPEC =
      new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, MetaHeader.LENGTH);

  @TempDir Path folder;
  private final PlainSlotFiles files = new PlainSlotFiles();
  private final CommitFiles commit = new CommitFiles(files);

  @Test
  void slotIsCutAndSyncedOnceWhereTheBlockIsShorter() throws IOException {
    byte[] content = content(10_000);
    Path slot = Files.write(folder.resolve("slot"), content);
    commit.cut(slot, 9_999);
    assertThat(slot).hasBinaryContent(Arrays.copyOf(content, 9_999));
    assertThat(files.cuts).hasValue(1);
  }

  @Test
  void slotThatTheBlockFillsIsNotSynced() throws IOException {
    byte[] content = content(10_000);
    Path slot = Files.write(folder.resolve("slot"), content);
    commit.cut(slot, content.length);
    assertThat(slot).hasBinaryContent(content);
    assertThat(files.cuts).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {9_999, 10_000})
  void pagesThatStayAreNoBlock(int length) throws IOException {
    Path slot = Files.write(folder.resolve("slot"), content(10_000));
    files.cached = 2;
    assertThatIOException()
        .isThrownBy(() -> commit.cut(slot, length))
        .withMessage("2 pages of " + slot + " stay in the cache");
  }

  /** Of one CRC, and of more bytes than are written at a time, by one CRC and by a part of one. */
  @ParameterizedTest
  @ValueSource(ints = {4, 64 << 10, (64 << 10) + 4, 3 << 16, 1_000_000})
  void metaFileHasItsHeaderAndAllCrcs(int bytes) throws Exception {
    byte[] crcs = content(bytes);
    Path meta = Files.write(folder.resolve("meta"), new byte[MetaHeader.LENGTH]);
    CommitFiles.writeMeta(meta, SPEC, crcs);

    assertThat(MetaHeader.read(meta)).isEqualTo(SPEC);
    byte[] written = Files.readAllBytes(meta);
    assertThat(Arrays.copyOfRange(written, MetaHeader.LENGTH, written.length)).isEqualTo(crcs);
  }

  @Test
  void metaFileThatIsGoneIsAnError() {
    Path gone = folder.resolve("gone");
    assertThatIOException().isThrownBy(() -> CommitFiles.writeMeta(gone, SPEC, new byte[4]));
    assertThat(gone).doesNotExist();
  }
}
