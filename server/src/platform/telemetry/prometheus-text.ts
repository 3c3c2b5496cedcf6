/** The text format that Prometheus scrapes, version 0.0.4. */
import type { ExportedMetric, ExportedValue } from './series.ts';

export const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';

export function prometheusText(metrics: readonly ExportedMetric[]): string {
  return metrics.map(family).join('\n');
}

function family({ name, help, type, values }: ExportedMetric): string {
  const lines = values.map((value) => sample(name, value));
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function sample(name: string, { metricName = name, labels, value }: ExportedValue): string {
  const pairs = Object.entries(labels).map(
    ([label, text]) => `${label}="${escaped(String(text)).replace(/"/g, '\\"')}"`,
  );
  return `${metricName}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${number(value)}`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
