// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import io.rdio.hdfs.it.Groups;
import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedStripedBlock;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

/**
 * Erasure-coded files, byte by byte as HDFS lays them out. HDFS recovers a last group to whole
 * stripes: where all its blocks were finalized, and its writer died before it completed the file,
 * the last stripe may be among them, filled up with zeros. For cells of parity are as long as the
 * first one of data, and HDFS takes a stripe for whole that has enough full cells. For one thread.
 */
final class SteppedStripes implements SteppedFiles.Blocks, AutoCloseable {
  private final ErasureCodingPolicy policy;
  private final int dataUnits;
  private final int cellBytes;
  private final RawErasureEncoder encoder;

  SteppedStripes(ErasureCodingPolicy policy) {
    this.policy = policy;
    this.dataUnits = policy.getNumDataUnits();
    this.cellBytes = policy.getCellSize();
    this.encoder =
        CodecUtil.createRawEncoder(
            new Configuration(),
            policy.getCodecName(),
            new ErasureCoderOptions(dataUnits, policy.getNumParityUnits()));
  }

  @Override
  public long most(long written) {
    long stripe = (long) dataUnits * cellBytes;
    return (written + stripe - 1) / stripe * stripe;
  }

  @Override
  public boolean isWhole(LocatedBlock block) {
    return Groups.isWhole((LocatedStripedBlock) block, policy);
  }

  @Override
  public List<Long> numbers(LocatedBlock block) {
    long first = block.getBlock().getBlockId();
    return LongStream.range(first, first + Groups.units(policy)).boxed().toList();
  }

  @Override
  public byte[] expected(SteppedFiles.Written file, LocatedBlock block, long number, int length)
      throws IOException {
    int unit = (int) (number - block.getBlock().getBlockId());
    byte[] expected = new byte[length];
    for (int at = 0; at < length; at += cellBytes) {
      int count = Math.min(cellBytes, length - at);
      long stripeAt = block.getStartOffset() + (long) at * dataUnits;
      byte[] cell =
          unit < dataUnits
              ? dataCell(file, stripeAt, unit, count)
              : parityCell(file, stripeAt, unit - dataUnits, count);
      System.arraycopy(cell, 0, expected, at, count);
    }
    return expected;
  }

  /** The beginning of a cell of the stripe at some place of the file. */
  private byte[] dataCell(SteppedFiles.Written file, long stripeAt, int unit, int count) {
    return file.content(stripeAt + (long) unit * cellBytes, count);
  }

  private byte[] parityCell(SteppedFiles.Written file, long stripeAt, int parityUnit, int count)
      throws IOException {
    byte[][] data = new byte[dataUnits][];
    for (int unit = 0; unit < dataUnits; unit++) {
      data[unit] = dataCell(file, stripeAt, unit, count);
    }
    byte[][] parity = new byte[policy.getNumParityUnits()][count];
    encoder.encode(data, parity);
    return parity[parityUnit];
  }

  @Override
  public void close() {
    encoder.release();
  }
}
