// SPDX-License-Identifier: Apache-2.0
/**
 * The metadata plane of the device: it finds a replica's files in the file system's own metadata
 * and its journal, on the device, and asks nobody. So it serves blocks whose DataNode is dead.
 *
 * <p>No lease protects a map of it. Its guards look at the journal behind each run of I/O: whatever
 * took a block away from a file was committed before the block could be anybody else's, so it is
 * seen by who looks after the data had come. docs/metadata-plane.md has the rules (R1 to R7 are
 * named here by these names) and the argument, docs/model/device.pml is the argument as a model.
 */
@NullMarked
package io.rdio.client.plane.device;

import org.jspecify.annotations.NullMarked;
