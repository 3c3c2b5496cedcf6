/** An answer as every replica can give it again: its bytes, and what its headers are written from. */
import { isJsonObject, parseTrustedJson } from '../../core/json.ts';
import { type Money, money } from '../../core/money.ts';

export interface SharedAnswer {
  /** A stream is given again as one: with its headers, and then its frames in one piece. */
  kind: 'body' | 'stream';
  status: number;
  contentType: string;
  headers: Record<string, string>;
  model: string | undefined;
  cost: Money | undefined;
  warnings: string[];
  body: Uint8Array;
}

export function headOf({ body: _, cost, ...head }: SharedAnswer): string {
  return JSON.stringify({ ...head, ...(cost === undefined ? {} : { cost: cost.toString() }) });
}

/** Returns undefined for an answer of another version's form, which is then no longer kept. */
export function answerOf(headText: string, body: Uint8Array): SharedAnswer | undefined {
  const head = parseTrustedJson(headText);
  if (!isJsonObject(head)) return undefined;
  const { kind, status, contentType, headers, model, cost, warnings } = head;
  if ((kind !== 'body' && kind !== 'stream') || typeof status !== 'number' || typeof contentType !== 'string')
    return undefined;
  return {
    kind,
    status,
    contentType,
    headers: isJsonObject(headers) ? (headers as Record<string, string>) : {},
    model: typeof model === 'string' ? model : undefined,
    cost: typeof cost === 'string' ? money(BigInt(cost)) : undefined,
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
    body,
  };
}
