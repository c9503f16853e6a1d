// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.fenced;

import io.rdio.core.FallbackException;
import io.rdio.core.device.DeviceLooks;
import io.rdio.core.device.SharedLook;
import io.rdio.core.fence.FencedDevices;
import io.rdio.core.fence.StandingFence;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Asks devices whether they are fenced: each look is shared, as {@link SharedLook} says, and
 * bounded, as {@link DeviceLooks} says. Thread-safe.
 */
final class FenceLooks {
  private final FencedDevices fences;
  private final Duration timeout;
  private final Map<Path, SharedLook<Answer>> looks = new ConcurrentHashMap<>();

  /**
   * @param timeout of each look; zero for none
   */
  FenceLooks(FencedDevices fences, Duration timeout) {
    this.fences = fences;
    this.timeout = timeout;
  }

  /**
   * What a device said.
   *
   * @param fence that stands; null where none does, or nobody knows
   * @param trouble why there is none, for people
   */
  record Answer(@Nullable StandingFence fence, String trouble) {}

  /** As {@link FencedDevices#recorded}. */
  List<Path> recorded() throws IOException {
    return fences.recorded();
  }

  /**
   * Asks a device by a look that begins behind this call.
   *
   * @throws FallbackException DEVICE_TIMEOUT, or INTERRUPTED with the thread's interrupt flag set;
   *     both say nothing of the fence
   */
  Answer look(Path node) throws FallbackException {
    return looks.computeIfAbsent(node, this::looksAt).look();
  }

  private SharedLook<Answer> looksAt(Path node) {
    String name = node.toString();
    DeviceLooks bounded = new DeviceLooks(timeout); // its own: such as hang keep a thread
    return new SharedLook<>(name, () -> bounded.look(name, () -> ask(node)), timeout, () -> {});
  }

  private Answer ask(Path node) {
    try {
      return new Answer(fences.look(node), "");
    } catch (IOException e) {
      return new Answer(null, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      return new Answer(null, node + ": the device could not be asked whether it is fenced: " + e);
    }
  }
}
