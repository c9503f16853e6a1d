// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.HexFormat;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class RandomContentTest {
  private static final int BYTES = (2 << 20) + 4321;

  private static String write(ByteArrayOutputStream out) throws IOException {
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    return RandomContent.write(out, BYTES, new Progress(nowhere, "write", BYTES));
  }

  @Test
  void hashIsOfExactlyTheBytesWritten() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String hash = write(out);
    assertThat(out.size()).isEqualTo(BYTES);
    assertThat(hash)
        .isEqualTo(
            HexFormat.of()
                .formatHex(
                    java.security.MessageDigest.getInstance("SHA-256").digest(out.toByteArray())));
  }

  @Test
  void sameBytesEachTimeAndNotCompressible() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertThat(write(out)).isEqualTo(write(new ByteArrayOutputStream()));
    Deflater deflater = new Deflater();
    deflater.setInput(out.toByteArray());
    deflater.finish();
    assertThat(deflater.deflate(new byte[2 * BYTES])).isGreaterThan(BYTES * 99 / 100);
    deflater.end();
  }
}
