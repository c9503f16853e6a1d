// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.client.plane.FileMap;
import io.rdio.core.FallbackException;
import io.rdio.core.block.BlockKey;
import io.rdio.core.device.NamedDevice;
import io.rdio.core.testing.Command;
import io.rdio.core.time.BootTimeClock;
import io.rdio.core.time.MonotonicClock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A process that reads blocks as it is told, a line each, and stops itself, all of it, in front of
 * reads of the device. It says what becomes of it:
 *
 * <pre>
 * BLOCK LOOKS MAPPING-STOPS READING-STOPS     what to do: stops are numbers with commas, or -
 * stopped PLACE                               about to stop; PLACE is -1 while there is no map
 * handed CONTENT                              the first word of the block
 * refused REASON
 * </pre>
 */
final class StoppedReader {
  private static final int PAGE = AttackingWriter.PAGE;

  /** In one extent, so that it is one read. */
  private static final int BLOCK = 1024;

  private final MonotonicClock clock = new BootTimeClock();
  private final StoppingDevice device;
  private final ByteBuffer page = ByteBuffer.allocateDirect(2 * PAGE).alignedSlice(PAGE);
  private long place;

  private StoppedReader(Path backingFile) throws FallbackException {
    device = new StoppingDevice(NamedDevice.open(backingFile), this::stop);
  }

  /** The argument is the file behind the device. */
  public static void main(String[] arguments) throws Exception {
    StoppedReader reader = new StoppedReader(Path.of(arguments[0]));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ", -1);
      try {
        say("handed " + reader.read(words));
      } catch (FallbackException e) {
        say("refused " + e.reason());
      }
    }
  }

  private long read(String[] words) throws Exception {
    place = -1;
    device.stopBefore(Set.of());
    boolean looks = Boolean.parseBoolean(words[1]);
    LocatedStorage storage = AttackedVolume.storage(device, clock, new DeviceCounters());
    AttackedReader reader =
        new AttackedReader(
            storage, new AttackingWriter(Path.of(""), Path.of(""), 0), clock, looks, 0);
    device.stopBefore(stops(words[2]));
    FileMap map = reader.resolve(new BlockKey("BP-1", Integer.parseInt(words[0]), 1001));
    place = AttackedReader.place(map, 0);
    device.stopBefore(stops(words[3]));
    reader.fetch(map, 0, page.position(0).limit(BLOCK));
    return page.getLong(0);
  }

  private static Set<Integer> stops(String words) {
    return words.equals("-")
        ? Set.of()
        : Arrays.stream(words.split(",", -1)).map(Integer::valueOf).collect(Collectors.toSet());
  }

  private void stop() {
    say("stopped " + place);
    try {
      Command.run("kill", "-STOP", Long.toString(ProcessHandle.current().pid()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
