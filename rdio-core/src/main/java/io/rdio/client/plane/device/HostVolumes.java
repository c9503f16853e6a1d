// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.plane.device;

import io.rdio.core.FallbackException;
import io.rdio.core.device.HostDevices;
import java.util.ArrayList;
import java.util.List;

/** This host's own devices. Safe for any number of threads. */
public final class HostVolumes implements LocalVolumes {
  private final HostDevices devices;

  public HostVolumes(HostDevices devices) {
    this.devices = devices;
  }

  @Override
  public List<Candidate> list() throws FallbackException {
    List<Candidate> candidates = new ArrayList<>();
    for (HostDevices.Listed listed : devices.list()) {
      candidates.add(new Of(listed));
    }
    return candidates;
  }

  private record Of(HostDevices.Listed listed) implements Candidate {
    @Override
    public String key() {
      return listed.key();
    }

    @Override
    public Opened open() throws FallbackException {
      HostDevices.Opened opened = listed.open();
      return new Opened(opened.data(), opened.metadata());
    }
  }
}
