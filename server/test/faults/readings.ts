/** What a gateway holds over time: its heap right after a full collection, so that nothing in a reading is garbage. */
import type { Inspector } from '../harness/inspector.ts';

export interface Reading {
  atMs: number;
  heapMb: number;
  /** Buffers, outside the heap. */
  externalMb: number;
  /** The whole process, with its database thread. */
  rssMb: number;
}

/**
 * Megabytes a minute from which on the heap is not flat: at fifty requests a second that is a hundred bytes left behind by
 * each. Below it lies the noise of the requests that run while a reading is taken, and of code that is still being compiled.
 */
const FLAT_BELOW = 0.3;
/** Caches fill and code is compiled in the first half. */
const JUDGED_SHARE = 0.5;
/** Fewer readings, or fewer minutes, are a guess. */
const MIN_READINGS = 10;
const MIN_MINUTES = 5;

export class Readings {
  readonly #inspector: Inspector;
  readonly #readings: Reading[] = [];

  constructor(inspector: Inspector) {
    this.#inspector = inspector;
  }

  async take(): Promise<void> {
    await this.#inspector.ask('HeapProfiler.collectGarbage');
    const atMs = performance.now();
    const usage = (await this.#inspector.ask('Runtime.evaluate', {
      expression: 'process.memoryUsage()',
      returnByValue: true,
    })) as { result: { value: { heapUsed: number; external: number; rss: number } } };
    const { heapUsed, external, rss } = usage.result.value;
    this.#readings.push({ atMs, heapMb: megabytes(heapUsed), externalMb: megabytes(external), rssMb: megabytes(rss) });
  }

  summary(): Memory {
    return judge(this.#readings);
  }
}

export interface Memory {
  heap: 'flat' | 'not flat' | 'too short to tell';
  heapFlatBelowMbPerMinute: number;
  heapSlopeMbPerMinute: number;
  /** At the start, a quarter, the half, three quarters and the end, as are the others. */
  heapMb: number[];
  externalMb: number[];
  rssMb: number[];
}

export function judge(readings: readonly Reading[]): Memory {
  const judged = readings.slice(Math.floor(readings.length * (1 - JUDGED_SHARE)));
  const slope = round(slopePerMinute(judged));
  const minutes = ((readings.at(-1)?.atMs ?? 0) - (readings[0]?.atMs ?? 0)) / 60_000;
  const enough = judged.length >= MIN_READINGS && minutes >= MIN_MINUTES * 0.95;
  const verdict = slope < FLAT_BELOW ? 'flat' : 'not flat';
  return {
    heap: enough ? verdict : 'too short to tell',
    heapFlatBelowMbPerMinute: FLAT_BELOW,
    heapSlopeMbPerMinute: slope,
    heapMb: courseOf(readings, 'heapMb'),
    externalMb: courseOf(readings, 'externalMb'),
    rssMb: courseOf(readings, 'rssMb'),
  };
}

function courseOf(readings: readonly Reading[], of: Exclude<keyof Reading, 'atMs'>): number[] {
  const last = readings.length - 1;
  return [0, 0.25, 0.5, 0.75, 1].map((share) => round(readings[Math.round(last * share)]?.[of] ?? 0));
}

/** Least squares. */
function slopePerMinute(points: readonly Reading[]): number {
  const meanAt = points.reduce((sum, { atMs }) => sum + atMs, 0) / points.length;
  const meanHeap = points.reduce((sum, { heapMb }) => sum + heapMb, 0) / points.length;
  let up = 0;
  let across = 0;
  for (const { atMs, heapMb } of points) {
    up += (atMs - meanAt) * (heapMb - meanHeap);
    across += (atMs - meanAt) ** 2;
  }
  return across === 0 ? 0 : (up / across) * 60_000;
}

function megabytes(bytes: number): number {
  return bytes / 1_048_576;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
