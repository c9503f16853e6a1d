// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.client.counters.DeviceCounters;
import io.rdio.core.FallbackException;
import io.rdio.core.device.BlockDevice;
import io.rdio.core.ext4.DirectoryEntry;
import io.rdio.core.ext4.Ext4Exception;
import io.rdio.core.testing.ManualClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A device that is asked all that {@code rdio fs} asks of one which the plane would read: by
 * moments, with looks. Its writer has left, so nobody waits for it.
 */
public final class InspectedDevice {
  private static final int NAMES_MAX = 10;
  private static final int PIECE_BYTES = 4096;
  private static final int PIECES_MAX = 20;

  private InspectedDevice() {}

  private static final class LeftVolume extends LiveVolume {
    private final ManualClock clock;

    LeftVolume(BlockDevice device, ManualClock clock, DeviceCounters counters)
        throws FallbackException {
      super(device, device, OpenVolume.open(device, counters), clock, counters);
      this.clock = clock;
    }

    @Override
    void pause(long nanos) {
      clock.advance(Duration.ofNanos(nanos));
    }
  }

  /** What is asked of a path. */
  @FunctionalInterface
  private interface Question {
    void ask(String path) throws Ext4Exception, FallbackException, IOException;
  }

  /**
   * Asks of the root and of names in it. Each has an answer or a typed refusal.
   *
   * @return whether it is a device that the plane would read
   */
  public static boolean look(BlockDevice device) {
    try {
      InspectedVolume volume =
          new InspectedVolume(
              new LeftVolume(device, new ManualClock(), new DeviceCounters()), PIECE_BYTES);
      paths(volume).forEach(path -> ask(volume, path));
      return true;
    } catch (FallbackException e) {
      return false;
    }
  }

  private static List<String> paths(InspectedVolume volume) {
    List<String> paths = new ArrayList<>(List.of("/", "/a/many"));
    answered(
        "/",
        path ->
            volume.list(path).stream()
                .limit(NAMES_MAX)
                .map(DirectoryEntry::name)
                .forEach(paths::add));
    return paths;
  }

  private static void ask(InspectedVolume volume, String path) {
    List<Question> questions =
        List.of(
            volume::inode,
            volume::list,
            volume::extents,
            asked -> volume.copy(asked, new FirstPieces()::take));
    questions.forEach(question -> answered(path, question));
  }

  private static void answered(String path, Question question) {
    try {
      question.ask(path);
    } catch (Ext4Exception e) {
      assertThat(e.kind()).isNotEqualTo(Ext4Exception.Kind.IO);
    } catch (FallbackException | EnoughException e) {
      assertThat(e.getMessage()).isNotEmpty();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Of files that say that they are large some is enough. */
  private static final class FirstPieces {
    private int pieces;

    void take(byte[] piece) throws IOException {
      assertThat(piece).isNotEmpty();
      if (++pieces == PIECES_MAX) {
        throw new EnoughException();
      }
    }
  }

  private static final class EnoughException extends IOException {
    private static final long serialVersionUID = 1;

    EnoughException() {
      super("enough was read");
    }
  }
}
