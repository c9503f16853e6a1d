// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import io.rdio.bench.client.Mix.Operation;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.assertj.core.api.Condition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordsTest {
  private static final int BYTES = 8;
  private static final int OPERATIONS = 10_000;
  private static final List<String> FILES =
      IntStream.range(0, 100).mapToObj(i -> "/r-" + i).toList();

  private final Store store = new Store();

  /** A store in memory, which counts reads of each file. */
  private static class Store implements ReadWay {
    final Map<String, byte[]> files = new HashMap<>();
    final Map<String, Integer> reads = new HashMap<>();
    final List<String> written = new ArrayList<>();

    @Override
    public Stream stream(String file, int readBytes) throws IOException {
      byte[] content = files.get(file);
      if (content == null) {
        throw new FileNotFoundException(file);
      }
      reads.merge(file, 1, Integer::sum);
      return new Stream() {
        private @Nullable ByteBuffer left = ByteBuffer.wrap(content);

        @Override
        public @Nullable ByteBuffer next() {
          ByteBuffer all = left;
          left = null;
          return all;
        }

        @Override
        public void close() {}
      };
    }

    @Override
    public OutputStream create(String file, Output output) {
      written.add(file);
      return new ByteArrayOutputStream() {
        @Override
        public void close() {
          files.put(file, toByteArray());
        }
      };
    }

    @Override
    public void delete(String file) {
      files.remove(file);
    }

    @Override
    public RandomFile open(String file) {
      throw new UnsupportedOperationException();
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

  private Records operate(Mix mix) throws IOException {
    FILES.forEach(file -> store.files.put(file, new byte[BYTES]));
    Records records = new Records(store, FILES, BYTES, mix, 0.99);
    SplittableRandom random = new SplittableRandom(1);
    byte[] content = new byte[BYTES];
    for (int i = 0; i < OPERATIONS; i++) {
      records.operate(random, content);
    }
    return records;
  }

  private int allReads() {
    return store.reads.values().stream().mapToInt(Integer::intValue).sum();
  }

  @Test
  void workloadsHaveTheirShares() {
    Map<Mix, List<Operation>> drawn = new EnumMap<>(Mix.class);
    for (Mix mix : Mix.values()) {
      drawn.put(mix, IntStream.range(0, 100).mapToObj(i -> mix.operation(i / 100.0)).toList());
    }
    assertThat(drawn.get(Mix.LOAD)).containsOnly(Operation.INSERT);
    assertThat(drawn.get(Mix.A))
        .areExactly(50, is(Operation.READ))
        .areExactly(50, is(Operation.UPDATE));
    assertThat(drawn.get(Mix.B))
        .areExactly(95, is(Operation.READ))
        .areExactly(5, is(Operation.UPDATE));
    assertThat(drawn.get(Mix.C)).containsOnly(Operation.READ);
    assertThat(drawn.get(Mix.D))
        .areExactly(95, is(Operation.READ))
        .areExactly(5, is(Operation.INSERT));
    assertThat(drawn.get(Mix.F))
        .areExactly(50, is(Operation.READ))
        .areExactly(50, is(Operation.MODIFY));
  }

  private static Condition<Operation> is(Operation operation) {
    return new Condition<>(operation::equals, operation.name());
  }

  @Test
  void readsOnlyWriteNothingAndHaveFavourites() throws IOException {
    Records records = operate(Mix.C);
    assertThat(store.written).isEmpty();
    assertThat(records.bytesRead()).isEqualTo((long) OPERATIONS * BYTES);
    int most = store.reads.values().stream().mapToInt(Integer::intValue).max().orElseThrow();
    assertThat(most).isGreaterThan(10 * OPERATIONS / FILES.size());
  }

  @Test
  void updatesAreNewFilesThatAreReadFromThenOn() throws IOException {
    Records records = operate(Mix.A);
    assertThat((double) store.written.size() / OPERATIONS).isCloseTo(0.5, within(0.03));
    assertThat(records.bytesWritten()).isEqualTo((long) store.written.size() * BYTES);
    assertThat(store.written).doesNotHaveDuplicates().doesNotContainAnyElementsOf(FILES);
    assertThat(store.reads.keySet()).containsAnyElementsOf(store.written);
    assertThat((double) allReads() / OPERATIONS).isCloseTo(0.5, within(0.03));
    records.clear();
    assertThat(store.files.keySet()).containsExactlyInAnyOrderElementsOf(FILES);
  }

  @Test
  void readModifyWriteReadsAllAndWritesHalf() throws IOException {
    operate(Mix.F);
    assertThat(allReads()).isEqualTo(OPERATIONS);
    assertThat((double) store.written.size() / OPERATIONS).isCloseTo(0.5, within(0.03));
  }

  @Test
  void latestRecordsAreTheFavourites() throws IOException {
    operate(Mix.D);
    int ofNew = store.written.stream().mapToInt(file -> store.reads.getOrDefault(file, 0)).sum();
    assertThat(ofNew).isGreaterThan(OPERATIONS / 2);
  }

  @Test
  void loadReadsNothing() throws IOException {
    Records records = operate(Mix.LOAD);
    assertThat(store.written).hasSize(OPERATIONS);
    assertThat(records.bytesRead()).isZero();
  }

  @Test
  void comesToItsEndWhenMuchIsWritten() throws IOException {
    Store bottomless =
        new Store() {
          @Override
          public OutputStream create(String file, Output output) {
            return OutputStream.nullOutputStream();
          }
        };
    byte[] content = new byte[(int) (Task.RECORDS_WRITTEN_MAX / 4)];
    Records records = new Records(bottomless, FILES, content.length, Mix.LOAD, 0);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 4; i++) {
      assertThat(records.isFull()).as("%d", i).isFalse();
      records.operate(random, content);
    }
    assertThat(records.isFull()).isTrue();
  }

  @Test
  void shortRecordIsAnError() {
    FILES.forEach(file -> store.files.put(file, new byte[BYTES - 1]));
    Records records = new Records(store, FILES, BYTES, Mix.C, 0);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> records.operate(new SplittableRandom(1), new byte[BYTES]))
        .withMessageContaining("has 7 bytes, not 8");
  }
}
