/** Passkeys (WebAuthn). The site they belong to is the public address, never what a caller says: the library checks both. */

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import { type Database, isUniqueViolation } from '../platform/db/index.ts';
import { selectPerson } from './persons.ts';
import { peopleReasons } from './reasons.ts';
import type { Passkey, SignInTicket } from './sign-in-rows.ts';
import * as rows from './sign-in-rows.ts';
import type { SignInTickets } from './tickets.ts';

/** The site that passkeys belong to and that messages lead to. */
export interface Site {
  origin: string;
  host: string;
  /** The address that links begin with: the origin, and a path where the operator has named one. */
  address: string;
}

const MAX_PASSKEYS = 20;

/** Loaded with the first passkey, because the library is hundreds of modules and took a sixth of the start. */
const webAuthn = () => import('@simplewebauthn/server');

export class Passkeys {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #tickets: SignInTickets;
  readonly #changed: RecordChange;

  constructor(options: { db: Database; clock: Clock; randomBytes: RandomBytes; tickets: SignInTickets }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#tickets = options.tickets;
    this.#changed = createChangeRecorder(options, 'person');
  }

  list(personId: string): Promise<Passkey[]> {
    return rows.PASSKEYS_OF_PERSON.rows(this.#db, [personId]);
  }

  async beginAdding(personId: string, label: string, site: Site): Promise<{ ticket: string; options: Json }> {
    const person = await selectPerson(this.#db, personId);
    const present = await this.list(personId);
    const { generateRegistrationOptions } = await webAuthn();
    const options = await generateRegistrationOptions({
      rpName: 'Dargah',
      rpID: site.host,
      userName: label,
      userDisplayName: person.name,
      userID: new TextEncoder().encode(personId),
      attestationType: 'none',
      excludeCredentials: present.map(({ id }) => ({ id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const ticket = await this.#tickets.make('passkey-add', personId, { challenge: options.challenge });
    return { ticket, options: options as unknown as Json };
  }

  async add(personId: string, name: string, ticket: string, response: Json, site: Site): Promise<Passkey> {
    const begun = await this.#tickets.look('passkey-add', ticket);
    if (!begun || begun.personId !== personId || !(await this.#tickets.spend(ticket))) throw refused();
    if ((await this.list(personId)).length >= MAX_PASSKEYS) throw new GatewayError('conflict');
    const { verifyRegistrationResponse } = await webAuthn();
    const verified = await verifyRegistrationResponse({
      response: response as unknown as RegistrationResponseJSON,
      expectedChallenge: String(begun.detail['challenge']),
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
    }).catch((error: unknown) => {
      throw refused(error);
    });
    if (!verified.verified) throw refused();
    const { credential } = verified.registrationInfo;
    const now = new Date(this.#clock.now());
    const passkey = { id: credential.id, personId, name: name.trim(), createdAt: now, usedAt: null };
    await this.#db
      .transaction(async (tx) => {
        await rows.INSERT_PASSKEY.run(tx, [
          credential.id,
          personId,
          passkey.name,
          Buffer.from(credential.publicKey),
          credential.counter,
          JSON.stringify(credential.transports ?? []),
          now,
        ]);
        await this.#changed(tx, `person:${personId}`, 'passkey.add', personId, { name: passkey.name });
      })
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? new GatewayError('conflict', { cause: error }) : error;
      });
    return passkey;
  }

  async remove(personId: string, id: string): Promise<void> {
    await this.#db.transaction(async (tx) => {
      if (!(await rows.DELETE_PASSKEY.first(tx, [personId, id]))) throw new GatewayError('not_found');
      await this.#changed(tx, `person:${personId}`, 'passkey.remove', personId, {});
    });
  }

  /** For any person: the browser offers the passkeys it has for this site. */
  async beginSignIn(site: Site): Promise<{ ticket: string; options: Json }> {
    const { generateAuthenticationOptions } = await webAuthn();
    const options = await generateAuthenticationOptions({ rpID: site.host, userVerification: 'required' });
    const ticket = await this.#tickets.make('passkey-sign-in', null, { challenge: options.challenge });
    return { ticket, options: options as unknown as Json };
  }

  /** The person whose passkey answered the challenge. */
  async finishSignIn(ticket: string, response: Json, site: Site): Promise<string> {
    const begun = await this.#tickets.look('passkey-sign-in', ticket);
    if (!begun || !(await this.#tickets.spend(ticket))) throw refused();
    return this.#answered(begun, response, site);
  }

  /** For a person who is signed in: only their own passkeys are accepted. */
  async beginProof(personId: string, site: Site): Promise<{ ticket: string; options: Json }> {
    const own = await this.list(personId);
    const { generateAuthenticationOptions } = await webAuthn();
    const options = await generateAuthenticationOptions({
      rpID: site.host,
      userVerification: 'required',
      allowCredentials: own.map(({ id }) => ({ id })),
    });
    const ticket = await this.#tickets.make('passkey-proof', personId, { challenge: options.challenge });
    return { ticket, options: options as unknown as Json };
  }

  async finishProof(personId: string, ticket: string, response: Json, site: Site): Promise<void> {
    const begun = await this.#tickets.look('passkey-proof', ticket);
    if (!begun || begun.personId !== personId || !(await this.#tickets.spend(ticket))) throw refused();
    if ((await this.#answered(begun, response, site)) !== personId) throw refused();
  }

  async #answered(begun: SignInTicket, response: Json, site: Site): Promise<string> {
    const { id } = (response ?? {}) as JsonObject;
    const stored = await rows.USABLE_PASSKEY.first(this.#db, [typeof id === 'string' ? id : '']);
    if (!stored || typeof id !== 'string') throw refused();
    const { verifyAuthenticationResponse } = await webAuthn();
    const verified = await verifyAuthenticationResponse({
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: String(begun.detail['challenge']),
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      requireUserVerification: true,
      credential: { id, publicKey: new Uint8Array(stored.public_key), counter: Number(stored.counter) },
    }).catch((error: unknown) => {
      throw refused(error);
    });
    if (!verified.verified) throw refused();
    const { newCounter } = verified.authenticationInfo;
    await rows.NOTE_PASSKEY_USE.run(this.#db, [id, newCounter, new Date(this.#clock.now())]);
    return stored.person_id;
  }
}

function refused(cause?: unknown): GatewayError {
  return new GatewayError('wrong_credentials', {
    cause,
    reason: peopleReasons.passkeyRefused,
  });
}
