// SPDX-License-Identifier: Apache-2.0
/**
 * The metadata plane of volumes whose host was fenced off: nobody writes to them, so a private copy
 * of their metadata, of which the kernel replays the log, says where files lie for as long as the
 * fence stands. So it serves blocks on xfs whose DataNode is dead. Its guards ask the device behind
 * each run of I/O whether the fence stands. docs/metadata-plane.md has the argument.
 *
 * <p>Looks are shared as those of {@link io.rdio.client.plane.device} are, but plane and guard are
 * not the same: there a look proves one map, by what the journal says of its files, and here all of
 * a volume; and a storage that is not known is searched for there while its reader waits, and here
 * copied for minutes, so that refusals, waits and upkeep differ throughout.
 */
@NullMarked
package io.rdio.client.plane.fenced;

import org.jspecify.annotations.NullMarked;
