// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.vectored;

import io.rdio.bench.hdfs.BenchCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.LocalOutputFile;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/**
 * A table of random integers of eight bytes, as they are: no codec, no dictionary.
 *
 * @param bytes of all values
 */
record ParquetTable(long bytes, long rowGroupBytes, int columns) implements BenchCluster.Content {
  private static final long SEED = 7;

  @Override
  public void write(Path local) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    long rows = bytes / ((long) Long.BYTES * columns);
    try (ParquetWriter<SplittableRandom> writer =
        new Builder(new LocalOutputFile(local))
            .withRowGroupSize(rowGroupBytes)
            .withCompressionCodec(CompressionCodecName.UNCOMPRESSED)
            .withDictionaryEncoding(false)
            .build()) {
      for (long row = 0; row < rows; row++) {
        writer.write(random);
      }
    }
  }

  private static String name(int column) {
    return "column" + column;
  }

  private MessageType schema() {
    Types.MessageTypeBuilder schema = Types.buildMessage();
    for (int column = 0; column < columns; column++) {
      schema.required(PrimitiveTypeName.INT64).named(name(column));
    }
    return schema.named("table");
  }

  private final class Builder extends ParquetWriter.Builder<SplittableRandom, Builder> {
    Builder(OutputFile file) {
      super(file);
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    @SuppressWarnings("deprecation") // the only one that has to be there
    protected WriteSupport<SplittableRandom> getWriteSupport(Configuration conf) {
      return new RandomRows();
    }
  }

  /** Writes the next row of a sequence of numbers. */
  private final class RandomRows extends WriteSupport<SplittableRandom> {
    private @SuppressWarnings("NullAway.Init") RecordConsumer to; // Parquet says it first

    @Override
    @SuppressWarnings("deprecation") // the only one that has to be there
    public WriteContext init(Configuration conf) {
      return new WriteContext(schema(), Map.of());
    }

    @Override
    public void prepareForWrite(RecordConsumer consumer) {
      to = consumer;
    }

    @Override
    public void write(SplittableRandom random) {
      to.startMessage();
      for (int column = 0; column < columns; column++) {
        to.startField(name(column), column);
        to.addLong(random.nextLong());
        to.endField(name(column), column);
      }
      to.endMessage();
    }
  }
}
