// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.nativeio.NativeLibrary;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CrcsTest {
  private static final int MIB = 1 << 20;

  /** Reads nothing; its buffers are of one kind. */
  private record Memory(boolean direct) implements ReadWay {
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
      return direct ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
    }

    @Override
    public long takeShortCircuitBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void javaChecksWhatTheClientReadsTo(boolean direct) throws IOException {
    Loads.Outcome outcome = Crcs.of(new Memory(direct), Task.crcs(false, 0)).run();
    assertThat(outcome.reads()).isEqualTo(1);
    assertThat(outcome.bytes()).isEqualTo(MIB);
    assertThat(outcome.latencies().getTotalCount()).isEqualTo(1);
  }

  @Test
  void withoutTheLibraryNothingIsDoneByIt() throws IOException {
    Loads.Outcome outcome = Crcs.of(new Memory(false), Task.crcs(true, 0)).run();
    assertThat(outcome.reads()).isEqualTo(NativeLibrary.availability().isAvailable() ? 1 : 0);
  }
}
