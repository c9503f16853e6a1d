// SPDX-License-Identifier: Apache-2.0
package io.rdio.core;

/**
 * What whoever runs this module calls its settings; found as a service ({@link
 * java.util.ServiceLoader}) by the class loader of this module. Safe for any number of threads.
 */
@FunctionalInterface
public interface SettingNames {
  /** The name by which people set it, as a configuration key. */
  String nameOf(Setting setting);
}
