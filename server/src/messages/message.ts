/** A message to a person, and who carries it. */
import type { Language } from '@dargah/core/text.ts';

export type MessageChannel = 'sms' | 'email';

export interface OutgoingMessage {
  channel: MessageChannel;
  /** `09xxxxxxxxx` or an e-mail address. */
  to: string;
  /** `code`, `invitation`, `notice`, … */
  kind: string;
  subject: string;
  text: string;
  /** SMS providers send codes by approved templates, into which only this goes. */
  code?: string;
  language: Language;
}

/** One provider of one channel. */
export interface MessageCarrier {
  readonly name: string;
  readonly channel: MessageChannel;
  /** Throws CarryFailure. */
  carry(message: OutgoingMessage): Promise<void>;
}

/**
 * `retry`: the same carrier may succeed later. Another carrier may succeed at once, whatever this one says. `isOfMessage`: this
 * number or this text was refused, which says nothing of the carrier.
 */
export class CarryFailure extends Error {
  readonly retry: boolean;
  readonly isOfMessage: boolean;

  constructor(carrier: string, what: string, retry: boolean, isOfMessage = false) {
    super(`${carrier}: ${what}`);
    this.retry = retry;
    this.isOfMessage = isOfMessage;
  }
}

export interface Messenger {
  /** Nothing is configured: messages stay in the outbox. */
  readonly sandbox: boolean;
  can(channel: MessageChannel): boolean;
  /** Carried in the background: the caller neither waits nor learns how it ended. */
  send(message: OutgoingMessage): void;
  /** Resolves when a carrier has taken it; rejects when none did, and is not tried again: the caller keeps it and decides. */
  deliver(message: OutgoingMessage): Promise<void>;
  /** In the order in which they are tried. */
  readonly carriers: readonly Pick<MessageCarrier, 'name' | 'channel'>[];
  /** Hands the message to each carrier of its channel once, and tells how each of them ended. */
  trial(message: OutgoingMessage): Promise<CarrierTrial[]>;
}

export interface CarrierTrial {
  carrier: string;
  /** What went wrong, in the carrier's own words. */
  failure: string | null;
}
