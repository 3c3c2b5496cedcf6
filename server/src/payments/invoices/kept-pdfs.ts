/**
 * Invoices as PDFs, each rendered once and cached for a while. Rendering blocks the process, and everybody who has an
 * invoice's address may ask for it as often as they like. So the number rendered per minute is limited for all callers
 * together, and requests to models do not wait for more.
 */

import { MINUTE_MS } from '@dargah/core/time-spans.ts';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Invoice } from './invoice-rows.ts';
import type { InvoiceLanguage } from './invoice-text.ts';

export type RenderPdf = (invoice: Invoice, language: InvoiceLanguage, address: string) => Promise<Buffer>;

const MAX_KEPT = 100;
const MAX_A_MINUTE = 60;

export function keptPdfs(clock: Pick<Clock, 'monotonicMs'>, render: RenderPdf): RenderPdf {
  const kept = new LRUCache<string, Promise<Buffer>>({ max: MAX_KEPT });
  let drawn = 0;
  let since = Number.NEGATIVE_INFINITY;

  function admit(): void {
    const now = clock.monotonicMs();
    if (now - since >= MINUTE_MS) [since, drawn] = [now, 0];
    if (drawn >= MAX_A_MINUTE) throw new GatewayError('rate_limited', { retryAfterMs: since + MINUTE_MS - now });
    drawn++;
  }

  return async (invoice, language, address) => {
    const name = `${invoice.id} ${language} ${address}`;
    const known = kept.get(name);
    if (!known) admit();
    const pdf = known ?? render(invoice, language, address);
    kept.set(name, pdf);
    return pdf.catch((error: unknown) => {
      kept.delete(name);
      throw error;
    });
  };
}
