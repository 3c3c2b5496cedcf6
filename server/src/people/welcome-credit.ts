/**
 * Welcome credit, booked through the books. A SIM card costs money and an e-mail address does not, so only a mobile
 * number gets it, and each number once: its digest is part of the transfer's id, which the append-only ledger accepts
 * only once.
 */

import { createHmac } from 'node:crypto';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import { widestNetworkOf } from '../core/caller-network.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Money } from '../core/money.ts';
import type { Books } from '../ledger/index.ts';
import type { Queryable } from '../platform/db/index.ts';
import { Attempts } from './attempts.ts';
import { type Contact, mailboxOf } from './contacts.ts';

export interface WelcomeSettings {
  welcomeCredit: Money;
  /** How many new accounts of one network get it in a day. */
  welcomePerNetworkDaily: number;
}

export interface WelcomeCreditOptions {
  db: Queryable;
  clock: Clock;
  ledger: Pick<Books, 'transfer'>;
  pepper: string;
  settings: WelcomeSettings;
}

export class WelcomeCredit {
  readonly #options: WelcomeCreditOptions;
  readonly #attempts: Attempts;

  constructor(options: WelcomeCreditOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.db, options.clock);
  }

  async give(accountId: string, contact: Contact, address: string): Promise<void> {
    const { ledger, pepper, settings } = this.#options;
    const { welcomeCredit: amount, welcomePerNetworkDaily: max } = settings;
    if (amount <= 0n || contact.kind !== 'mobile') return;
    const digest = createHmac('sha256', pepper)
      .update(`welcome ${mailboxOf(contact)}`)
      .digest('base64url');
    try {
      await this.#attempts.count([{ counter: `welcome-net:${widestNetworkOf(address)}`, max, spanMs: DAY_MS }]);
      await ledger.transfer({ id: `welcome:${digest}`, kind: 'gift', accountId, amount, note: 'welcome credit' });
    } catch (error) {
      // It was given before, or too often from this network: the account is made all the same, without the gift.
      if (!(error instanceof GatewayError)) throw error;
    }
  }
}
