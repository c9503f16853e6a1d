// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.hdfs.demo.RandomContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.Test;

class WritesTest {
  private static final Output OUTPUT = new Output(100_000, 65_536, 1 << 20, 2);
  private static final List<String> FILES = List.of("/0", "/1", "/2", "/3", "/4");

  /** Keeps files in memory. */
  private static final class InMemory implements ReadWay {
    final Map<String, byte[]> files = new ConcurrentSkipListMap<>();

    @Override
    public OutputStream create(String file, Output output) {
      return new ByteArrayOutputStream() {
        @Override
        public void close() {
          files.put(file, toByteArray());
        }
      };
    }

    @Override
    public Stream stream(String file, int readBytes) throws IOException {
      throw new IOException("not read");
    }

    @Override
    public RandomFile open(String file) throws IOException {
      throw new IOException("not read");
    }

    @Override
    public ByteBuffer buffer(int bytes) {
      return ByteBuffer.allocate(bytes);
    }

    @Override
    public long takeShortCircuitBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  private static void assertWritten(InMemory way, int files, Loads.Outcome outcome) {
    assertThat(way.files.keySet()).containsExactlyElementsOf(FILES.subList(0, files));
    assertThat(OUTPUT.sha256(FILES.subList(0, files)))
        .containsExactlyElementsOf(way.files.values().stream().map(WritesTest::sha256).toList());
    assertThat(outcome.bytes()).isEqualTo(files * OUTPUT.bytes());
    assertThat(outcome.reads()).isEqualTo(files);
    assertThat(outcome.latencies().getTotalCount()).isEqualTo(files);
    assertThat(outcome.phases()).containsOnlyKeys(Phase.CREATE, Phase.WRITE, Phase.CLOSE);
  }

  private static String sha256(byte[] bytes) {
    MessageDigest digest = RandomContent.sha256();
    digest.update(bytes);
    return RandomContent.hex(digest);
  }

  @Test
  void withoutTimeEachThreadWritesOne() throws IOException {
    InMemory way = new InMemory();
    assertWritten(way, 2, new Writes(way, Task.write(FILES, 2, OUTPUT, 0)).run());
  }

  @Test
  void allAreWrittenIfThereIsTime() throws IOException {
    InMemory way = new InMemory();
    assertWritten(way, 5, new Writes(way, Task.write(FILES, 2, OUTPUT, 3600)).run());
  }
}
