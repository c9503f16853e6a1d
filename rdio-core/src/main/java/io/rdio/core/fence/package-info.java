// SPDX-License-Identifier: Apache-2.0
/**
 * Who may write to a shared namespace: NVMe reservations, by which the device itself refuses all
 * hosts but one, and the record of a host that was shut out. Apart from reading, which needs none
 * of it. docs/fencing.md has the whole.
 */
@NullMarked
package io.rdio.core.fence;

import org.jspecify.annotations.NullMarked;
