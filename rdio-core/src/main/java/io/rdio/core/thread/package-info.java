// SPDX-License-Identifier: Apache-2.0
/** Threads of our own: daemons that no application's task owns, and loops that nothing ends. */
package io.rdio.core.thread;
