// SPDX-License-Identifier: Apache-2.0
/**
 * Thin bindings of what must be C, and their loader: librdio reads a device past the page cache,
 * librdio_bpf has the eBPF programs, librdio-write writes under leases.
 */
package io.rdio.nativeio;
