// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.client;

import java.io.IOException;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPageV2;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopStreams;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;
import org.apache.parquet.schema.MessageType;

/**
 * Some columns of a Parquet file by Parquet's own reader, page by page: what each page is decoded
 * to, and its cost, has nothing to do with how it was read. For one thread.
 */
final class ParquetColumns {
  private final FileSystem fileSystem;
  private final Path file;
  private final List<Integer> columns;
  private final ParquetReadOptions options;
  private final CRC32C crc = new CRC32C();
  private long bytes;

  /**
   * Reads nothing yet.
   *
   * @param columns by their numbers in the file
   * @param vectored whether the columns of a row group are asked for by one call
   */
  ParquetColumns(FileSystem fileSystem, String file, List<Integer> columns, boolean vectored) {
    this.fileSystem = fileSystem;
    this.file = new Path(file);
    this.columns = columns;
    this.options =
        HadoopReadOptions.builder(fileSystem.getConf()).withUseHadoopVectoredIo(vectored).build();
  }

  /** Is given the stream that a scan was made by, to be closed. */
  interface Closer {
    void close(FSDataInputStream in) throws IOException;
  }

  /** Reads the footer and the columns of all row groups once. */
  void scan(Closer closer) throws IOException {
    FSDataInputStream in = fileSystem.open(file);
    try (ParquetFileReader reader = new ParquetFileReader(new Opened(in), options)) {
      MessageType wanted = wanted(reader.getFileMetaData().getSchema());
      reader.setRequestedSchema(wanted);
      for (PageReadStore group = reader.readNextRowGroup();
          group != null;
          group = reader.readNextRowGroup()) {
        for (ColumnDescriptor column : wanted.getColumns()) {
          take(group.getPageReader(column));
        }
      }
    } finally {
      closer.close(in);
    }
  }

  private MessageType wanted(MessageType all) {
    return new MessageType(
        all.getName(), columns.stream().map(column -> all.getType(column.intValue())).toList());
  }

  private void take(PageReader pages) throws IOException {
    for (DataPage page = pages.readPage(); page != null; page = pages.readPage()) {
      BytesInput data =
          page.accept(
              new DataPage.Visitor<>() {
                @Override
                public BytesInput visit(DataPageV1 first) {
                  return first.getBytes();
                }

                @Override
                public BytesInput visit(DataPageV2 second) {
                  return second.getData();
                }
              });
      bytes += data.size();
      data.toInputStream().remainingBuffers().forEach(crc::update);
    }
  }

  /** Bytes of all pages so far. */
  long bytes() {
    return bytes;
  }

  /** CRC32C of all pages so far, in hexadecimal digits. */
  String crc() {
    return Long.toHexString(crc.getValue());
  }

  /** A file whose stream is open, for Parquet to read. */
  private final class Opened implements InputFile {
    private final FSDataInputStream in;

    Opened(FSDataInputStream in) {
      this.in = in;
    }

    @Override
    public long getLength() throws IOException {
      return fileSystem.getFileStatus(file).getLen();
    }

    @Override
    public SeekableInputStream newStream() {
      return HadoopStreams.wrap(in);
    }
  }
}
