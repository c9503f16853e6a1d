// SPDX-License-Identifier: Apache-2.0
package io.rdio.hdfs.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.client.plane.FileMap;
import io.rdio.client.read.RdioClientFaultInjector;
import io.rdio.core.device.BlockDevice;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** An HDFS client that does what the lines of its standard input say. */
final class RemoteClientMain extends RdioClientFaultInjector {
  private final Steps steps = Steps.ofThisJvm();

  /** No arguments. */
  public static void main(String[] args) throws IOException {
    RdioClientFaultInjector.set(new RemoteClientMain());
    FSDataInputStream in = null;
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    try (FileSystem fs = FileSystem.newInstance(new Configuration())) {
      fs.setVerifyChecksum(false); // nothing but the lease shall protect
      for (String line = commands.readLine(); line != null; line = commands.readLine()) {
        String[] words = line.split(" ", -1);
        String reply = "";
        try {
          switch (words[0]) {
            case "open" -> in = fs.open(new Path(words[1]));
            case "read" -> reply = read(in, Long.parseLong(words[1]), Integer.parseInt(words[2]));
            case "counts" -> reply = RemoteClient.countsOfThisJvm();
            default -> reply = "failed: what is " + line;
          }
        } catch (IOException e) {
          reply = "failed " + e.toString().replace('\n', ' ');
        }
        System.out.println(RemoteClient.MARK + reply);
      }
    }
  }

  private static String read(FSDataInputStream in, long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    in.readFully(offset, bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public void beforeDeviceRead(BlockDevice device, long offset, int length) {
    steps.pass("beforeDeviceRead");
  }

  @Override
  public void afterDeviceRead(
      BlockDevice device, long offset, ByteBuffer buffer, int at, int length) {
    steps.pass("afterDeviceRead");
  }

  @Override
  public void beforeLeaseRecheck(FileMap map) {
    steps.pass("beforeLeaseRecheck");
  }
}
