/**
 * A process under a supervisor: it reports when it is ready, and collects the metrics of all processes for whoever asks
 * it.
 */
import cluster from 'node:cluster';
import type { Metrics } from '../platform/telemetry/index.ts';
import { prometheusText } from '../platform/telemetry/prometheus-text.ts';
import { type FromProcess, isOurs, type ToProcess } from './messages.ts';

/** A supervisor that does not answer is busy restarting; the process then reports only its own metrics. */
const PATIENCE_MS = 2_000;

export function isSupervised(): boolean {
  return cluster.isWorker;
}

export function sayReady(): void {
  tell({ dargah: 'ready' });
}

/** Reads the metrics of all processes, or of this one where it has no siblings. */
export function metricsReader(own: Metrics): () => string | Promise<string> {
  if (!isSupervised()) return () => own.text();
  const waiting = new Map<number, (text: string) => void>();
  let asked = 0;
  process.on('message', (message: unknown) => {
    if (!isOurs<ToProcess>(message)) return;
    if (message.dargah === 'report') tell({ dargah: 'metrics', metrics: own.exported() });
    else waiting.get(message.id)?.(prometheusText(message.metrics));
  });
  // Sends a last report: what was counted since the previous one.
  process.once('exit', () => tell({ dargah: 'metrics', metrics: own.exported() }));
  return () =>
    new Promise((resolve) => {
      const id = ++asked;
      const answer = (text: string): void => {
        clearTimeout(timer);
        waiting.delete(id);
        resolve(text);
      };
      const timer = setTimeout(() => answer(own.text()), PATIENCE_MS);
      waiting.set(id, answer);
      tell({ dargah: 'scrape', id });
    });
}

function tell(message: FromProcess): void {
  if (process.connected) process.send?.(message);
}
