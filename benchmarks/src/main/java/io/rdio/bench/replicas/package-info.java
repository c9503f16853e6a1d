// SPDX-License-Identifier: Apache-2.0
/** A file whose blocks have replicas on several devices, read by one of them and by all. */
@NullMarked
package io.rdio.bench.replicas;

import org.jspecify.annotations.NullMarked;
