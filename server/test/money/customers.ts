/** Customers who keep asking, whole answers and streams in turn, and write down what they got. */
import { ask } from './fixed-price.ts';

export interface Purchase {
  /** `x-svc-request-id`; absent when not even headers arrived. */
  id: string | undefined;
  status: number | undefined;
  /** The answer arrived to its last byte. */
  whole: boolean;
  /** Toman, as the answer itself says. */
  cost: number | undefined;
  /** Code of the error that came instead. */
  error: string | undefined;
}

export type Moment = 'asked' | 'headers' | 'answered';

export interface CustomerOptions {
  /** Where the next request goes; it may move when a replica restarts. */
  origin: (index: number) => string;
  key: string;
  count: number;
  onMoment?: (moment: Moment) => void;
}

export class Customers {
  readonly purchases: Purchase[] = [];
  readonly #options: CustomerOptions;
  readonly #loops: Promise<void>[] = [];
  #stopped = false;
  #serial = 0;

  constructor(options: CustomerOptions) {
    this.#options = options;
    for (let i = 0; i < options.count; i++) this.#loops.push(this.#keepAsking(i));
  }

  get answered(): number {
    return this.purchases.filter((purchase) => purchase.whole).length;
  }

  /** Everyone finishes what runs. */
  async stop(): Promise<Purchase[]> {
    this.#stopped = true;
    await Promise.all(this.#loops);
    return this.purchases;
  }

  async #keepAsking(customer: number): Promise<void> {
    while (!this.#stopped) {
      const purchase = await this.#buy(this.#serial++, customer);
      this.purchases.push(purchase);
      // A refused or broken request comes back at once: without a pause this loop would starve the others.
      if (!purchase.whole) await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  #buy(serial: number, customer: number): Promise<Purchase> {
    const { origin, key, onMoment } = this.#options;
    return buy(origin(customer), key, serial % 2 === 1, onMoment);
  }
}

async function buy(
  origin: string,
  key: string,
  stream: boolean,
  onMoment: (moment: Moment) => void = () => undefined,
): Promise<Purchase> {
  const purchase: Purchase = { id: undefined, status: undefined, whole: false, cost: undefined, error: undefined };
  onMoment('asked');
  try {
    const more = stream ? { stream: true, stream_options: { include_usage: true } } : {};
    const response = await ask(origin, key, more);
    purchase.id = response.headers.get('x-svc-request-id') ?? undefined;
    purchase.status = response.status;
    onMoment('headers');
    const text = await response.text();
    if (response.status !== 200) purchase.error = /"code":"([a-z_]+)"/.exec(text)?.[1];
    else {
      purchase.whole = !stream || text.trimEnd().endsWith('data: [DONE]');
      const cost = /"cost":([\d.]+)/.exec(text)?.[1];
      purchase.cost = cost === undefined ? undefined : Number(cost);
    }
    if (purchase.whole) onMoment('answered');
  } catch {
    // The connection broke: what arrived until then is written down.
  }
  return purchase;
}

/** One after the other, until the first that is not answered, which is the last of them; at most so many. */
export async function buyUntilRefused(origin: string, key: string, max: number): Promise<Purchase[]> {
  const purchases: Purchase[] = [];
  while (purchases.length < max) {
    const purchase = await buy(origin, key, purchases.length % 2 === 1);
    purchases.push(purchase);
    if (!purchase.whole) break;
  }
  return purchases;
}
