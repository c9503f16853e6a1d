// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdio.core.device.DeviceDepth;
import org.junit.jupiter.api.Test;

/** How far a run has come by the device, whatever else it goes by. */
class RunProgressTest {
  private static final int MIB = 1 << 20;

  private final DeviceDepth device = new DeviceDepth();
  private final RunProgress progress = new RunProgress();

  private void moveTo(int offset, int elsewhere) {
    progress.depth(device, DeviceDepth.MOST);
    progress.share(null, elsewhere);
    progress.movedTo(offset, MIB);
  }

  /** Those have a share of the device's depth. */
  private boolean isALongRun() {
    return device.first(DeviceDepth.MOST) < DeviceDepth.USUAL;
  }

  @Test
  void whatCameElsewhereIsNoProgressOfTheDevice() {
    moveTo(0, 0);
    moveTo(2 * DeviceDepth.LEAST, 2 * DeviceDepth.LEAST);
    assertThat(isALongRun()).isFalse();
    moveTo(3 * DeviceDepth.LEAST, 2 * DeviceDepth.LEAST);
    assertThat(isALongRun()).isTrue();
    progress.end();
    assertThat(isALongRun()).isFalse();
  }

  @Test
  void anotherRunBeginsAnew() {
    moveTo(0, 0);
    moveTo(2 * DeviceDepth.LEAST, 2 * DeviceDepth.LEAST);
    progress.end();
    progress.depth(device, DeviceDepth.MOST);
    progress.movedTo(0, MIB); // the first bytes, before it has a reader
    moveTo(MIB, 0);
    assertThat(isALongRun()).isFalse();
  }
}
