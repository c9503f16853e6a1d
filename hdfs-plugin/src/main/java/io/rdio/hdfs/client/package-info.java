// SPDX-License-Identifier: Apache-2.0
/** The client's hooks in Hadoop, and the thin client behind them, which reads by the agent. */
package io.rdio.hdfs.client;
