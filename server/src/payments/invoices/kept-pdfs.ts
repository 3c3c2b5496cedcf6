/**
 * Invoices as PDFs, each drawn once and kept for a while: drawing one holds the process for some fifty milliseconds, and whoever
 * has an invoice's address may ask for it as often as they like. So many a minute are drawn, whoever asks; requests to models
 * do not wait for more.
 */

import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { MINUTE_MS } from '../../core/time-spans.ts';
import type { InvoiceLanguage } from './invoice-words.ts';
import type { Invoice } from './invoices.ts';

export type RenderPdf = (invoice: Invoice, language: InvoiceLanguage, address: string) => Promise<Buffer>;

const MOST_KEPT = 100;
const MOST_A_MINUTE = 60;

export function keptPdfs(clock: Pick<Clock, 'monotonicMs'>, render: RenderPdf): RenderPdf {
  const kept = new Map<string, Promise<Buffer>>();
  let drawn = 0;
  let since = Number.NEGATIVE_INFINITY;

  function admit(): void {
    const now = clock.monotonicMs();
    if (now - since >= MINUTE_MS) [since, drawn] = [now, 0];
    if (drawn >= MOST_A_MINUTE) throw new GatewayError('rate_limited', { retryAfterMs: since + MINUTE_MS - now });
    drawn++;
  }

  return async (invoice, language, address) => {
    const name = `${invoice.id} ${language} ${address}`;
    const known = kept.get(name);
    // Asked for again: it is the last to go.
    kept.delete(name);
    if (!known) admit();
    const pdf = known ?? render(invoice, language, address);
    kept.set(name, pdf);
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
    return pdf.catch((error: unknown) => {
      kept.delete(name);
      throw error;
    });
  };
}
