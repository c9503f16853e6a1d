// SPDX-License-Identifier: Apache-2.0
package io.rdio.client.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.rdio.core.fence.AgentKey;
import java.util.HashMap;
import java.util.Map;

/**
 * By which key this host is registered with each device, as far as this process knows, and which
 * answers of DataNodes are younger than that (W8). A device is known by its WWID. Thread-safe;
 * memory only: another process of this host begins anew, with keys of its own.
 */
final class RegisteredKeys {
  private final long name;

  @GuardedBy("this")
  private final Map<String, Device> devices = new HashMap<>();

  /** With whatever device. */
  @GuardedBy("this")
  private long registrations;

  /** What is known of one; under the lock of all. */
  private static final class Device {
    private long lastKey;
    private long number;
    private boolean registered;
    private boolean doubtful;
    private long unsureNanos;

    Device(long name) {
      this.lastKey = name;
    }

    boolean isGood() {
      return registered && !doubtful;
    }
  }

  /**
   * @param name of this process, which its keys begin with
   */
  RegisteredKeys(long name) {
    this.name = name;
  }

  long name() {
    return name;
  }

  @GuardedBy("this")
  private Device of(String wwid) {
    return devices.computeIfAbsent(wwid, key -> new Device(name));
  }

  /** How many there were so far: what is asked for from now on is younger than all of them. */
  synchronized long registrations() {
    return registrations;
  }

  /**
   * Whether the present registration with a device may be relied on, and was there already when
   * there had been so many.
   */
  synchronized boolean isGoodSince(String wwid, long asked) {
    Device device = of(wwid);
    return device.isGood() && device.number <= asked;
  }

  /** Whether somebody has registered with a device since there had been so many. */
  synchronized boolean isNewerThan(String wwid, long asked) {
    Device device = of(wwid);
    return device.isGood() && device.number > asked;
  }

  /** The key that was made for a device last; 0 if there is none. */
  synchronized long last(String wwid) {
    long key = of(wwid).lastKey;
    return key == name ? 0 : key;
  }

  /** Whether this host is registered with a device by that key, as far as is known. */
  synchronized boolean isRegistered(String wwid) {
    return of(wwid).registered;
  }

  /** Whether it is, and stays so as far as this host can tell. */
  synchronized boolean isGood(String wwid) {
    return of(wwid).isGood();
  }

  /**
   * A lease on a device was lost: its DataNode shuts this host out in a while, by the present key.
   *
   * @param awakeNanos now
   */
  synchronized void doubt(String wwid, long awakeNanos) {
    Device device = of(wwid);
    device.doubtful |= device.registered;
    device.unsureNanos = awakeNanos;
  }

  /**
   * A write to a device has failed, and may come yet.
   *
   * @param awakeNanos now
   */
  synchronized void unsure(String wwid, long awakeNanos) {
    of(wwid).unsureNanos = awakeNanos;
  }

  /** When nobody knew for the last time what was under way to a device: since then it is less. */
  synchronized long unsureNanos(String wwid) {
    return of(wwid).unsureNanos;
  }

  /** The registration with a device is not to be relied on any more. */
  synchronized void forget(String wwid) {
    of(wwid).registered = false;
  }

  /** A key for the next registration with a device, which none had; 0 if there is none left. */
  synchronized long next(String wwid) {
    Device device = of(wwid);
    long key = AgentKey.next(device.lastKey);
    if (key != 0) {
      device.lastKey = key;
    }
    return key;
  }

  /** This host is registered with a device by the key that was made for it last. */
  synchronized void registered(String wwid) {
    Device device = of(wwid);
    device.registered = true;
    device.doubtful = false;
    device.number = ++registrations;
  }
}
