/** Customers who keep asking, at one gateway or at several in turn, until they are told to stop. */
import type { TestGateway } from '../harness/start-gateway.ts';

export interface Load {
  /** Ids of requests that were answered whole, in the order of their answers. */
  readonly answered: string[];
  /** Every other status that came. */
  readonly others: number[];
  /** Resolves when so many more answers have come. */
  more(count: number): Promise<void>;
  stop(): Promise<void>;
}

const WORKERS = 3;
const OPERATOR_TOKEN = 'operator-token-of-these-tests';
/** The first password is told once, at the first start; gateways that start on restored data need a token of their own. */
export const OPERATOR_ENV = { DARGAH_OPERATOR_TOKEN: OPERATOR_TOKEN };

export function asOperator(gateway: TestGateway, path: string, method = 'GET', body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, ...(body && { 'content-type': 'application/json' }) };
  return fetch(gateway.origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

export function startLoad(gateways: () => readonly TestGateway[]): Load {
  const answered: string[] = [];
  const others: number[] = [];
  let waiting: { count: number; resolve: () => void }[] = [];
  let stopped = false;
  let turn = 0;
  const ask = async () => {
    const all = gateways();
    const gateway = all[turn++ % all.length];
    if (gateway === undefined) throw new Error('no gateway to ask');
    const reply = await gateway.chat({ model: 'mock/chat', messages: [{ role: 'user', content: `question ${turn}` }] });
    await reply.text();
    if (reply.status === 200) answered.push(reply.headers.get('x-svc-request-id') ?? '');
    else others.push(reply.status);
    for (const one of waiting) if (answered.length >= one.count) one.resolve();
    waiting = waiting.filter(({ count }) => answered.length < count);
  };
  const work = async () => {
    while (!stopped) await ask();
  };
  const workers = Array.from({ length: WORKERS }, work);
  // A worker that breaks must not leave the others waiting for ever; whoever waits then hears of it.
  const broken = Promise.all(workers);
  broken.catch(() => undefined);
  return {
    answered,
    others,
    async more(count) {
      const reached = new Promise<void>((resolve) => waiting.push({ count: answered.length + count, resolve }));
      await Promise.race([reached, broken]);
    },
    async stop() {
      stopped = true;
      await broken;
    },
  };
}
