// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import io.rdio.core.fence.AgentRegistration;
import io.rdio.core.fence.ReservationException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** This host's registrations with devices in memory. */
final class FakeRegistration implements AgentRegistration {
  /** By which key this host is registered, device by device; a DataNode removes it. */
  final Map<String, Long> keys = new ConcurrentHashMap<>();

  /** All keys that it was registered by, in order. */
  final List<Long> used = Collections.synchronizedList(new ArrayList<>());

  /** Why a device registers nobody. */
  volatile @Nullable ReservationException refusal;

  /** Why this process is not the one of its host that registers it: another one is. */
  volatile @Nullable ReservationException claimed;

  /** Called in the midst of a registration, before the device has it. */
  volatile Runnable inRegister = () -> {};

  private final Set<String> claims = ConcurrentHashMap.newKeySet();

  @Override
  public boolean claim(Path node, String wwid) throws ReservationException {
    ReservationException no = claimed;
    if (no != null) {
      throw no;
    }
    return claims.add(wwid);
  }

  @Override
  public boolean isRegistered(Path node, String wwid, long key) throws ReservationException {
    requireAnswer();
    Long registered = keys.get(wwid);
    return registered != null && registered == key;
  }

  @Override
  public void register(Path node, String wwid, long key) throws ReservationException {
    requireAnswer();
    inRegister.run();
    keys.put(wwid, key);
    used.add(key);
  }

  private void requireAnswer() throws ReservationException {
    ReservationException no = refusal;
    if (no != null) {
      throw no;
    }
  }
}
