// SPDX-License-Identifier: Apache-2.0
/**
 * Which way a read takes where both are open: to the device, or by a DataNode.
 *
 * <p>A {@link io.rdio.client.route.Router} decides it for reads of one kind from one device. Reads
 * go the present route, or both in a router that balances: then the next one goes by the other
 * route if that would have it sooner by a twentieth, with all that is under way by either, and what
 * is known of that route comes of the reads that it gets, and of single ones. Whether the other
 * route is better is found out by {@code Trial}s else, in which all readers take part, and which
 * are paid for afterwards out of a small {@code Allowance}. Single reads by the other route have an
 * allowance of their own, and call for a trial where they look good ({@code Signs}). So do reads
 * that go as usual and take longer than they did, as soon as that has cost more than a trial may:
 * neither waits until earlier trials are paid for. So the cost against always going the better
 * route is a small share of the time, and a part of what changes cost. Reads behind a trial or a
 * single read, which may be cold in their turn, are paid for by the same allowance, and count for
 * nothing. A trial for which nothing calls is not made of a device whose single reads take four
 * times as long: it would be in vain.
 *
 * <p>Of units of a run, and of sets of ranges, single ones are all that is tried. What warms a run
 * up for one ({@link io.rdio.client.route.Router#warmedUp}), and the unit behind it, are paid for
 * as well. Where units grow slower a run looks at the other route on credit, as soon as that has
 * cost twice what the look may lose, and goes on looking while the other route has units sooner.
 *
 * <p>Reads by a DataNode need not wait for a busy device to find out that it is busy still: where
 * somebody else can read it meanwhile, a look beside them comes first ({@link
 * io.rdio.client.route.LooksBeside}), and a reader looks at the device if that one was quick, or
 * could not be made; and where the device has failed it, as below.
 *
 * <p>A route that failed a read is left at once, and is not tried again before a single read has
 * gone well, which waits for a while ({@code Outage}). What a failed read took is lost, up to that
 * while, which grows: so one that fails again and again costs little, too. Where the route that is
 * left grows slower meanwhile, the single read is made on credit: once that has cost twice what a
 * trial may lose, and twice all that the last failure took. So failures on credit are a part of
 * what changes cost, however long each of them hangs.
 */
@NullMarked
package io.rdio.client.route;

import org.jspecify.annotations.NullMarked;
