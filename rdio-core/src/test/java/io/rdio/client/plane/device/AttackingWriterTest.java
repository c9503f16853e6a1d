// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.read.ChunkVerifier;
import io.rdio.core.block.ChecksumSpec;
import io.rdio.core.testing.InMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the writer leaves is what readers hold it to; the attack itself needs a file system. */
final class AttackingWriterTest {
  private static final int STEPS = 2000;
  private static final int STEPS_BETWEEN_LOOKS = 20;
  private static final ChecksumSpec CHECKSUM = new ChecksumSpec(ChecksumSpec.Type.CRC32C, 512, 7);

  @TempDir(factory = InMemory.class)
  private Path directory;

  private Path finalized;
  private AttackingWriter writer;

  /** Each content by the name that it was seen under first. */
  private final Map<Long, String> firstNames = new HashMap<>();

  private int moved;

  @BeforeEach
  void begin() throws IOException {
    finalized = Files.createDirectory(directory.resolve("finalized"));
    writer = new AttackingWriter(finalized, Files.createDirectory(directory.resolve("outside")), 3);
    writer.begin();
  }

  @Test
  void everyBlockHasAContentThatMayBeItsOwn() throws IOException {
    for (int i = 0; i < STEPS; i++) {
      if (i % STEPS_BETWEEN_LOOKS == 0) {
        look();
      }
      writer.step();
    }
    assertThat(firstNames).as("contents seen").hasSizeGreaterThan(AttackingWriter.BLOCKS);
    assertThat(moved).as("times that a content was seen under another name").isPositive();
    assertThat(writer.made()).isGreaterThan(STEPS / 4);
  }

  private void look() throws IOException {
    for (int i = 0; i < AttackingWriter.BLOCKS; i++) {
      String name = AttackingWriter.name(i);
      if (Files.exists(finalized.resolve(name))) {
        look(name);
      }
    }
  }

  private void look(String name) throws IOException {
    ByteBuffer block = ByteBuffer.wrap(Files.readAllBytes(finalized.resolve(name)));
    ByteBuffer meta = ByteBuffer.wrap(Files.readAllBytes(finalized.resolve(name + "_1001.meta")));
    long content = block.getLong(0);
    assertThat(Marks.isOf(content, name)).as(name).isTrue();
    assertThat(writer.isOf(content, name)).as(name).isTrue();
    for (int at = 0; at < block.capacity(); at += Long.BYTES) {
      assertThat(block.getLong(at)).isEqualTo(content);
    }
    assertThat((long) meta.capacity()).isEqualTo(CHECKSUM.metaLength(block.capacity()));
    int wrong =
        new ChunkVerifier()
            .chunks(CHECKSUM, block, 0, block.capacity())
            .against(meta, CHECKSUM.headerLength())
            .check();
    assertThat(wrong).as(name).isEqualTo(ChunkVerifier.ALL_GOOD);
    if (!name.equals(firstNames.computeIfAbsent(content, any -> name))) {
      moved++;
    }
  }
}
