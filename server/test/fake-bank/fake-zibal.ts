/** Zibal as documented: request, verify, inquiry. */
import { isJsonObject, parseTrustedJson } from '../../src/core/json.ts';
import { type BankAnswer, type BankCall, FakeBank } from './fake-bank.ts';

interface Track {
  amount: number;
  orderId: string;
  state: 'open' | 'refused' | 'paid' | 'verified' | 'reversed';
}

const STATUS = { open: -1, refused: 3, paid: 2, verified: 1, reversed: 18 } as const;

export class FakeZibal extends FakeBank {
  readonly tracks = new Map<number, Track>();

  /** `amount`: what was really paid, where it differs. */
  pay(trackId: string, amount?: number): void {
    const track = this.tracks.get(Number(trackId));
    if (!track) return;
    track.state = 'paid';
    if (amount !== undefined) track.amount = amount;
  }

  /** The customer gave up at the bank, or the money was sent back. */
  become(trackId: string, state: Track['state']): void {
    const track = this.tracks.get(Number(trackId));
    if (track) track.state = state;
  }

  failure(code: number): BankAnswer {
    return { status: 200, body: { result: code, message: 'documented failure' } };
  }

  answer({ path, body }: BankCall): BankAnswer {
    const input = parseTrustedJson(body);
    if (!isJsonObject(input) || typeof input['merchant'] !== 'string') return this.failure(102);
    if (path === '/v1/request') {
      const { amount, orderId } = input;
      if (typeof amount !== 'number' || amount < 1000) return this.failure(105);
      const trackId = 15_000_000 + this.tracks.size;
      this.tracks.set(trackId, { amount, orderId: String(orderId), state: 'open' });
      return { status: 200, body: { trackId, result: 100, message: 'success' } };
    }
    const track = this.tracks.get(Number(input['trackId']));
    if (!track) return this.failure(203);
    const { amount, orderId, state } = track;
    const told = { amount, orderId, refNumber: 9182, cardNumber: '62198****1234', message: 'success' };
    if (path === '/v1/inquiry') return { status: 200, body: { ...told, status: STATUS[state], result: 100 } };
    if (state === 'open' || state === 'refused') return this.failure(202);
    // What was sent back was verified once.
    if (state !== 'reversed') track.state = 'verified';
    // Said again, the amount is left out.
    if (state !== 'paid') return { status: 200, body: { result: 201, message: 'verified before' } };
    return { status: 200, body: { ...told, status: 1, result: 100, paidAt: '2026-11-15T10:00:00.000000' } };
  }
}
