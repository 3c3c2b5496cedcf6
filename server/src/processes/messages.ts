/** The messages between the supervisor and its processes. */
import type { ExportedMetric } from '../platform/telemetry/series.ts';

export type FromProcess =
  /** The process answers requests. */
  | { dargah: 'ready' }
  /** Its own metrics: asked for, and once more when it ends. */
  | { dargah: 'metrics'; metrics: ExportedMetric[] }
  /** Somebody asked it for the metrics of all. */
  | { dargah: 'scrape'; id: number };

export type ToProcess = { dargah: 'report' } | { dargah: 'scraped'; id: number; metrics: ExportedMetric[] };

/** Other modules of Node send messages on the same channel. */
export function isOurs<T extends FromProcess | ToProcess>(message: unknown): message is T {
  return typeof message === 'object' && message !== null && 'dargah' in message;
}
