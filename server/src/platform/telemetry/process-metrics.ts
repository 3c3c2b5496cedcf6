/** Memory, CPU, open files and garbage collection of this process, under the names that dashboards for Node know. */
import { readdirSync } from 'node:fs';
import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { GaugeFamily, HistogramFamily, type Metric, ReadCounter } from './series.ts';

const GC_SECONDS = [0.001, 0.01, 0.1, 1, 2, 5];
const GC_KINDS = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

export function processMetrics(): Metric[] {
  const gauge = (name: string, help: string, read: () => number) =>
    new GaugeFamily(name, help, () => [{ labels: {}, value: read() }]);
  const seconds = (read: () => number) => () => read() / 1e6;
  return [
    new ReadCounter(
      'process_cpu_user_seconds_total',
      'CPU time spent in the program.',
      seconds(() => process.cpuUsage().user),
    ),
    new ReadCounter(
      'process_cpu_system_seconds_total',
      'CPU time spent in the kernel for it.',
      seconds(() => process.cpuUsage().system),
    ),
    new ReadCounter('process_cpu_seconds_total', 'CPU time, both together.', seconds(bothCpuTimes)),
    gauge('process_start_time_seconds', 'When the process started.', () => performance.timeOrigin / 1000),
    gauge('process_resident_memory_bytes', 'Memory held in RAM.', () => process.memoryUsage.rss()),
    new GaugeFamily('process_open_fds', 'Open files and connections.', openFiles),
    gauge('nodejs_heap_size_total_bytes', 'Heap taken from the system.', () => process.memoryUsage().heapTotal),
    gauge('nodejs_heap_size_used_bytes', 'Heap in use.', () => process.memoryUsage().heapUsed),
    gauge('nodejs_external_memory_bytes', 'Buffers outside the heap.', () => process.memoryUsage().external),
    new GaugeFamily('nodejs_version_info', 'The running version of Node.', () => [
      { labels: { version: process.version }, value: 1 },
    ]),
    garbageCollection(),
  ];
}

function bothCpuTimes(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Known on Linux only. */
function openFiles() {
  try {
    return [{ labels: {}, value: readdirSync('/proc/self/fd').length }];
  } catch {
    return [];
  }
}

/**
 * Counted from the first reading on: telling a collection takes Node a tenth of a millisecond, two microseconds of each small
 * chat, which a process that nobody reads the metrics of does not spend.
 */
function garbageCollection(): Metric {
  const durations = new HistogramFamily(
    'nodejs_gc_duration_seconds',
    'Garbage collection by kind since the first reading: major, minor, incremental or weakcb.',
    ['kind'],
    GC_SECONDS,
  );
  let counted = false;
  return {
    name: durations.name,
    read() {
      if (!counted) observeCollections(durations);
      counted = true;
      return durations.read();
    },
  };
}

function observeCollections(durations: HistogramFamily): void {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const kind = GC_KINDS.get((entry as { detail?: { kind?: number } }).detail?.kind ?? 0) ?? 'other';
      durations.observe(entry.duration / 1000, kind);
    }
  }).observe({ entryTypes: ['gc'] });
}
