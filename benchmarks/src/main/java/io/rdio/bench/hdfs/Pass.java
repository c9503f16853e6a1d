// SPDX-License-Identifier: Apache-2.0
package io.rdio.bench.hdfs;

import io.rdio.bench.client.Answer;
import io.rdio.bench.client.Phase;

/**
 * One task done once by one client.
 *
 * @param dataNodeCpuSeconds user and system time that the DataNodes' processes used meanwhile
 * @param agentCpuSeconds the same of the agent's process; 0 of all ways that are not {@link
 *     Way#isByAgent}, which have no part in what an agent that runs uses
 * @param loopbackBytes bytes that crossed the loopback interface meanwhile, whosever they were
 * @param deviceBytes bytes read from the volumes' devices meanwhile; of a pass that writes, bytes
 *     read and written, until all was on the devices, without those of {@code slots}
 * @param slots what it cost to make slots anew for those that a pass that writes took
 * @param parity when what a pass wrote had its parity
 * @param dataNodeThreads what {@code dataNodeCpuSeconds} are of, where somebody asked
 */
public record Pass(
    Way way,
    Answer answer,
    double dataNodeCpuSeconds,
    double agentCpuSeconds,
    long loopbackBytes,
    long deviceBytes,
    SlotCost slots,
    ParityLag parity,
    CpuByGroup dataNodeThreads) {
  private static final double MEGABYTE = 1e6;
  private static final double GIGABYTE = 1e9;
  private static final double NANOS_PER_MICRO = 1e3;

  public Pass {
    agentCpuSeconds = way.isByAgent() ? agentCpuSeconds : 0;
  }

  /** One without an erasure code. */
  public Pass(
      Way way,
      Answer answer,
      double dataNodeCpuSeconds,
      double agentCpuSeconds,
      long loopbackBytes,
      long deviceBytes,
      SlotCost slots) {
    this(
        way,
        answer,
        dataNodeCpuSeconds,
        agentCpuSeconds,
        loopbackBytes,
        deviceBytes,
        slots,
        ParityLag.NONE,
        CpuByGroup.NONE);
  }

  /** One that took no slots. */
  public Pass(
      Way way,
      Answer answer,
      double dataNodeCpuSeconds,
      double agentCpuSeconds,
      long loopbackBytes,
      long deviceBytes) {
    this(
        way,
        answer,
        dataNodeCpuSeconds,
        agentCpuSeconds,
        loopbackBytes,
        deviceBytes,
        SlotCost.NONE);
  }

  /** The same, of files of an erasure code. */
  public Pass with(ParityLag lag) {
    return new Pass(
        way,
        answer,
        dataNodeCpuSeconds,
        agentCpuSeconds,
        loopbackBytes,
        deviceBytes,
        slots,
        lag,
        dataNodeThreads);
  }

  /** The same, with what the DataNodes' threads used. */
  public Pass with(CpuByGroup threads) {
    return new Pass(
        way,
        answer,
        dataNodeCpuSeconds,
        agentCpuSeconds,
        loopbackBytes,
        deviceBytes,
        slots,
        parity,
        threads);
  }

  /** Throughput in 10^6 bytes a second. */
  public double megabytesPerSecond() {
    return answer.totals().bytes() / MEGABYTE / answer.totals().seconds();
  }

  /** Share of the bytes that did come by {@link #way}, in percent. */
  public double percentByWay() {
    return 100.0 * bytesByWay() / answer.totals().bytes();
  }

  /** Reads a second. */
  public double readsPerSecond() {
    return answer.totals().reads() / answer.totals().seconds();
  }

  private double gigabytes() {
    return answer.totals().bytes() / GIGABYTE;
  }

  /** CPU seconds of the client's process for 10^9 bytes. */
  public double clientCpuPerGigabyte() {
    return answer.totals().cpuSeconds() / gigabytes();
  }

  /** Of these, what the threads used that read or wrote: mostly all but the JVM's own. */
  public double clientThreadsCpuPerGigabyte() {
    return answer.totals().threadCpuSeconds() / gigabytes();
  }

  /** CPU seconds of the DataNodes' processes for 10^9 bytes. */
  public double dataNodeCpuPerGigabyte() {
    return dataNodeCpuSeconds / gigabytes();
  }

  /** Of these, what threads of one group used. */
  public double threadsCpuPerGigabyte(CpuGroup group) {
    return dataNodeThreads.of(group) / gigabytes();
  }

  /** CPU seconds of the agent's process for 10^9 bytes. */
  public double agentCpuPerGigabyte() {
    return agentCpuSeconds / gigabytes();
  }

  /** CPU seconds of all these processes for 10^9 bytes. */
  public double cpuPerGigabyte() {
    return clientCpuPerGigabyte() + dataNodeCpuPerGigabyte() + agentCpuPerGigabyte();
  }

  /** Bytes over loopback for each byte read. */
  public double loopbackPerByte() {
    return (double) loopbackBytes / answer.totals().bytes();
  }

  /** Bytes from the devices for each byte read, or from and to them for each byte written. */
  public double devicePerByte() {
    return (double) deviceBytes / answer.totals().bytes();
  }

  /** Bytes over loopback and all devices for each byte. */
  public double linksPerByte() {
    return loopbackPerByte() + devicePerByte();
  }

  /** Bytes of slots that were made anew for each byte. */
  public double slotsPerByte() {
    return (double) slots.bytes() / answer.totals().bytes();
  }

  /** CPU seconds of the DataNodes' processes from its end until slots were made, for 10^9 bytes. */
  public double slotCpuPerGigabyte() {
    return slots.cpuSeconds() / gigabytes();
  }

  /** The part of the chunks wanted that the block data cache had, 0 to 1; 0 without a cache. */
  public double cacheHitRatio() {
    long hits = answer.counters().cacheHits();
    long wanted = hits + answer.counters().cacheMisses();
    return wanted == 0 ? 0 : (double) hits / wanted;
  }

  /** Time that this share of the reads did not exceed, in microseconds. */
  public double micros(double percentile) {
    return answer.histogram().getValueAtPercentile(percentile) / NANOS_PER_MICRO;
  }

  /** What a phase took of each file, in microseconds on average; 0 if there was none. */
  public double phaseMicros(Phase phase) {
    return answer.phases().getOrDefault(phase, 0L) / NANOS_PER_MICRO / answer.totals().reads();
  }

  /** Bytes that did come by {@link #way}, as the client's own counters say. */
  public long bytesByWay() {
    return switch (way) {
      // HDFS counts bytes by RDIO as short-circuit.
      case STOCK -> answer.totals().bytes() - answer.counters().shortCircuitBytes();
      case SHORT_CIRCUIT -> answer.counters().shortCircuitBytes() - answer.counters().rdioBytes();
      case RDIO, CACHED, AGENT, IMMEDIATE, DEFERRED -> answer.counters().rdioBytes();
      case LOCAL, RAW -> answer.totals().bytes(); // there is no other way
      case ROUTED, GROWN -> answer.totals().bytes(); // which both ways are right for
    };
  }
}
