/**
 * Counters and histograms that cost a map lookup and an addition; prom-client's cost more (docs/performance.md, docs/adr/0021).
 */

export interface ExportedValue {
  metricName?: string;
  labels: Record<string, string | number>;
  value: number;
}

export interface ExportedMetric {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  values: ExportedValue[];
}

export interface Metric {
  name: string;
  /** What it holds at this moment. */
  read(): ExportedMetric;
}

/** Bounds a label that grows with outside input, here and at the scraper; beyond it everything counts as `other`. */
const MAX_SERIES = 2_000;
const SEPARATOR = '\u0000';

class SeriesMap<Value> {
  readonly #labelNames: readonly string[];
  readonly #make: () => Value;
  readonly #series = new Map<string, Value>();

  constructor(labelNames: readonly string[], make: () => Value) {
    this.#labelNames = labelNames;
    this.#make = make;
  }

  at(key: string): Value {
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const kept = this.#series.size < MAX_SERIES ? key : this.#labelNames.map(() => 'other').join(SEPARATOR);
    const made = this.#series.get(kept) ?? this.#make();
    this.#series.set(kept, made);
    return made;
  }

  *entries(): Generator<[Record<string, string>, Value]> {
    for (const [key, value] of this.#series) {
      const values = key.split(SEPARATOR);
      const labels: Record<string, string> = {};
      for (const [i, name] of this.#labelNames.entries()) labels[name] = values[i] ?? '';
      yield [labels, value];
    }
  }
}

export class CounterFamily implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #series: SeriesMap<{ value: number }>;

  constructor(name: string, help: string, labelNames: readonly string[]) {
    this.name = name;
    this.#help = help;
    this.#series = new SeriesMap(labelNames, () => ({ value: 0 }));
  }

  /** Label values joined in the order of the names, see `labels`. */
  add(key: string, amount = 1): void {
    this.#series.at(key).value += amount;
  }

  read(): ExportedMetric {
    const values = [...this.#series.entries()].map(([labels, { value }]) => ({ labels, value }));
    return { name: this.name, help: this.#help, type: 'counter', values };
  }
}

interface Buckets {
  counts: Float64Array;
  sum: number;
  total: number;
}

export class HistogramFamily implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series: SeriesMap<Buckets>;

  constructor(name: string, help: string, labelNames: readonly string[], bounds: readonly number[]) {
    this.name = name;
    this.#help = help;
    this.#bounds = bounds;
    this.#series = new SeriesMap(labelNames, () => ({ counts: new Float64Array(bounds.length), sum: 0, total: 0 }));
  }

  observe(key: string, value: number): void {
    const buckets = this.#series.at(key);
    buckets.sum += value;
    buckets.total++;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    if (at >= 0) buckets.counts[at] = (buckets.counts[at] as number) + 1;
  }

  read(): ExportedMetric {
    const values: ExportedValue[] = [];
    for (const [labels, { counts, sum, total }] of this.#series.entries()) {
      let cumulative = 0;
      for (const [i, bound] of this.#bounds.entries()) {
        cumulative += counts[i] as number;
        values.push({ metricName: `${this.name}_bucket`, labels: { ...labels, le: bound }, value: cumulative });
      }
      values.push({ metricName: `${this.name}_bucket`, labels: { ...labels, le: '+Inf' }, value: total });
      values.push({ metricName: `${this.name}_sum`, labels, value: sum });
      values.push({ metricName: `${this.name}_count`, labels, value: total });
    }
    return { name: this.name, help: this.#help, type: 'histogram', values };
  }
}

/** A value that is read from elsewhere when it is scraped. */
export class GaugeFamily implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #read: () => ExportedValue[];

  constructor(name: string, help: string, read: () => ExportedValue[]) {
    this.name = name;
    this.#help = help;
    this.#read = read;
  }

  read(): ExportedMetric {
    const values = this.#read().slice(0, MAX_SERIES);
    return { name: this.name, help: this.#help, type: 'gauge', values };
  }
}

/** A count that is kept elsewhere, such as the CPU time of the process. */
export class ReadCounter implements Metric {
  readonly name: string;
  readonly #help: string;
  readonly #count: () => number;

  constructor(name: string, help: string, count: () => number) {
    this.name = name;
    this.#help = help;
    this.#count = count;
  }

  read(): ExportedMetric {
    const values = [{ labels: {}, value: this.#count() }];
    return { name: this.name, help: this.#help, type: 'counter', values };
  }
}

/** Written out for the two numbers of labels in use, because joining a list is slower and every request does it. */
export function labels(first: string, second: string): string {
  return `${first}${SEPARATOR}${second}`;
}

export function fourLabels(first: string, second: string, third: string, fourth: string): string {
  return `${first}${SEPARATOR}${second}${SEPARATOR}${third}${SEPARATOR}${fourth}`;
}
