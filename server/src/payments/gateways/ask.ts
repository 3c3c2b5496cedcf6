/** One call to a gateway's server, bounded in time and size. An answer that is not JSON counts as none. */
import type { Clock } from '../../core/clock.ts';
import { isJsonObject, type JsonObject, parseTrustedJson } from '../../core/json.ts';
import type { UpstreamTransport } from '../../platform/upstream/index.ts';
import { PaymentUnreachable } from '../gateway.ts';

export interface GatewayQuestion {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** A larger limit for lists; an answer to one question is small. */
  maxBytes?: number;
}

export interface GatewayAnswer {
  status: number;
  body: JsonObject;
}

export type AskGateway = (question: GatewayQuestion) => Promise<GatewayAnswer>;

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 256 * 1024;

export function createAsk(gateway: string, transport: UpstreamTransport, clock: Clock): AskGateway {
  return async ({ url, method = 'POST', headers = {}, body, maxBytes = MAX_BYTES }) => {
    try {
      const reply = await transport.send({
        pool: `payment:${gateway}`,
        url,
        method,
        headers: { accept: 'application/json', ...headers },
        ...(body === undefined ? {} : { body }),
        connectMs: 5_000,
        headersMs: TIMEOUT_MS,
        idleMs: TIMEOUT_MS,
        deadlineAtMs: clock.monotonicMs() + TIMEOUT_MS,
      });
      const answer = parseTrustedJson(await reply.text(maxBytes));
      if (!isJsonObject(answer)) throw new PaymentUnreachable(gateway, `http-${reply.status}`);
      return { status: reply.status, body: answer };
    } catch (error) {
      if (error instanceof PaymentUnreachable) throw error;
      throw new PaymentUnreachable(gateway, 'no-answer', error);
    }
  };
}

export function postJson(url: string, value: JsonObject): GatewayQuestion {
  return { url, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}
