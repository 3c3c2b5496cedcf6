/**
 * Counters and histograms that cost a lookup per label and an addition; prom-client's cost more (docs/performance.md, docs/adr/0021).
 */
import { NamedValues } from '../../core/named-values.ts';

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
  /** The current value. */
  read(): ExportedMetric;
}

/** Bounds a label that grows with outside input, here and at the scraper; beyond it everything counts as `other`. */
const MAX_SERIES = 2_000;

class SeriesMap<Value> {
  readonly #labelNames: readonly string[];
  readonly #make: () => Value;
  readonly #series = new NamedValues<Value>();

  constructor(labelNames: readonly string[], make: () => Value) {
    this.#labelNames = labelNames;
    this.#make = make;
  }

  at(first: string, second?: string, third?: string, fourth?: string): Value {
    const known = this.#series.find(first, second, third, fourth);
    return known === undefined ? this.#added([first, second, third, fourth]) : known;
  }

  #added(labels: (string | undefined)[]): Value {
    const values = this.#labelNames.map((_, at) => (this.#series.size < MAX_SERIES ? (labels[at] ?? '') : 'other'));
    const [first = '', second, third, fourth] = values;
    const made = this.#series.find(first, second, third, fourth) ?? this.#make();
    this.#series.set(values, made);
    return made;
  }

  *entries(): Generator<[Record<string, string>, Value]> {
    for (const [values, value] of this.#series.entries()) {
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

  /** With the values of its labels in the order of their names. */
  add(amount: number, first: string, second?: string, third?: string, fourth?: string): void {
    this.#series.at(first, second, third, fourth).value += amount;
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

  observe(value: number, first: string, second?: string): void {
    const buckets = this.#series.at(first, second);
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
