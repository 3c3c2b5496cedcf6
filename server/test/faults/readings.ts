/** Heap of a gateway over time, read from its own metrics. */

interface Reading {
  atMs: number;
  heapMb: number;
}

/** Between two collections the heap saws up and down; the lowest of so many readings is what is really held. */
const WINDOW = 10;

export class Readings {
  readonly #origin: string;
  readonly #readings: Reading[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  async take(): Promise<void> {
    const text = await (await fetch(`${this.#origin}/metrics`)).text();
    const line = /^nodejs_heap_size_used_bytes (\S+)/m.exec(text);
    if (line) this.#readings.push({ atMs: performance.now(), heapMb: Number(line[1]) / 1_048_576 });
  }

  summary(warmUpShare: number) {
    const warm = this.#readings.slice(Math.floor(this.#readings.length * warmUpShare));
    const floors: Reading[] = [];
    for (let i = 0; i < warm.length; i += WINDOW) {
      floors.push(warm.slice(i, i + WINDOW).reduce((low, one) => (one.heapMb < low.heapMb ? one : low)));
    }
    return {
      heapStartMb: round(floors[0]?.heapMb ?? 0),
      heapEndMb: round(floors.at(-1)?.heapMb ?? 0),
      heapSlopeMbPerMinute: round(slopePerMs(floors) * 60_000),
    };
  }
}

/** Least squares. */
function slopePerMs(points: Reading[]): number {
  const meanAt = points.reduce((sum, { atMs }) => sum + atMs, 0) / points.length;
  const meanHeap = points.reduce((sum, { heapMb }) => sum + heapMb, 0) / points.length;
  let up = 0;
  let across = 0;
  for (const { atMs, heapMb } of points) {
    up += (atMs - meanAt) * (heapMb - meanHeap);
    across += (atMs - meanAt) ** 2;
  }
  return across === 0 ? 0 : up / across;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
