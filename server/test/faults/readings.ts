/** What a gateway holds over time: its heap right after a full collection, so that nothing in a reading is garbage. */
import type { Inspector } from '../harness/inspector.ts';

interface Reading {
  atMs: number;
  heapMb: number;
  /** Buffers, outside the heap. */
  externalMb: number;
  /** The whole process, with its database thread. */
  rssMb: number;
}

type Measured = Exclude<keyof Reading, 'atMs'>;

/**
 * Megabytes a minute from which on the heap is not flat: at fifty requests a second that is a hundred bytes left behind by
 * each. Below it lies the noise of the requests that run while a reading is taken, and of code that is still being compiled.
 */
const FLAT_BELOW = 0.3;
/** Caches fill and code is compiled in the first half. */
const JUDGED_SHARE = 0.5;
/** Fewer readings, or fewer minutes, are a guess. */
const LEAST_READINGS = 10;
const LEAST_MINUTES = 5;

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

  summary() {
    const judged = this.#readings.slice(Math.floor(this.#readings.length * (1 - JUDGED_SHARE)));
    const slope = round(slopePerMinute(judged, 'heapMb'));
    const minutes = ((this.#readings.at(-1)?.atMs ?? 0) - (this.#readings[0]?.atMs ?? 0)) / 60_000;
    const enough = judged.length >= LEAST_READINGS && minutes >= LEAST_MINUTES * 0.95;
    const verdict = slope < FLAT_BELOW ? 'flat' : 'not flat';
    return {
      heap: enough ? verdict : 'too short to tell',
      heapFlatBelowMbPerMinute: FLAT_BELOW,
      heapSlopeMbPerMinute: slope,
      heapMb: this.#course('heapMb'),
      externalMb: this.#course('externalMb'),
      rssMb: this.#course('rssMb'),
    };
  }

  /** At the start, a quarter, the half, three quarters, the end. */
  #course(of: Measured): number[] {
    const last = this.#readings.length - 1;
    return [0, 0.25, 0.5, 0.75, 1].map((share) => round(this.#readings[Math.round(last * share)]?.[of] ?? 0));
  }
}

/** Least squares. */
function slopePerMinute(points: readonly Reading[], of: Measured): number {
  const meanAt = points.reduce((sum, { atMs }) => sum + atMs, 0) / points.length;
  const mean = points.reduce((sum, point) => sum + point[of], 0) / points.length;
  let up = 0;
  let across = 0;
  for (const point of points) {
    up += (point.atMs - meanAt) * (point[of] - mean);
    across += (point.atMs - meanAt) ** 2;
  }
  return across === 0 ? 0 : (up / across) * 60_000;
}

function megabytes(bytes: number): number {
  return bytes / 1_048_576;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
