/**
 * Signing in. Whatever is tried, known and unknown people get the same answers after the same work; differences appear
 * only in the background or after a secret that only its owner has.
 */

import type { Language, Text } from '@dargah/core/text.ts';
import { HOUR_MS } from '@dargah/core/time-spans.ts';
import { callerOf, networkOf, widestNetworkOf } from '../core/caller-network.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Messenger } from '../messages/index.ts';
import { createChangeRecorder, type RecordChange } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import { type AttemptLimit, Attempts } from './attempts.ts';
import type { CodePurpose } from './code-rows.ts';
import type { Codes } from './codes.ts';
import { parseContact } from './contacts.ts';
import { type FirstOperator, OPERATOR_IDENTITY } from './first-operator.ts';
import type { KnownNetworks } from './known-networks.ts';
import { codeMessage } from './messages-to-people.ts';
import type { PasswordLimits, Passwords } from './passwords.ts';
import { type Identity, type Person, replacePasswordHash, updatePerson } from './person-rows.ts';
import { findByContact, insertIdentity, removeIdentity, selectIdentities, selectPerson } from './persons.ts';
import { peopleReasons } from './reasons.ts';
import type { SecondFactor } from './second-factor.ts';
import type { Device, Sessions } from './sessions.ts';
import type { SignUp, SignUpInput } from './sign-up.ts';
import { type SignInTickets, TICKET_LIFETIME_MS } from './tickets.ts';
import type { WayInChanges } from './way-in-changes.ts';
import { refuseWeakPassword } from './weak-passwords.ts';

export interface SignInOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  codes: Codes;
  networks: KnownNetworks;
  operator: FirstOperator;
  passwords: Passwords;
  secondFactor: SecondFactor;
  sessions: Sessions;
  signUp: SignUp;
  tickets: SignInTickets;
  messenger: Messenger;
  brand(): Text;
  wayInChanges: WayInChanges;
  wrongPasswords: PasswordLimits;
}

export type Entry =
  | { kind: 'session'; secret: string; sessionId: string; personId: string; isNew: boolean }
  | { kind: 'second-factor'; ticket: string; expiresInMs: number };

/** The device that signs in, and the session that it had before, which ends when another begins. */
export interface SignInClient extends Device {
  former: string | undefined;
}

export class SignIn {
  readonly #options: SignInOptions;
  readonly #attempts: Attempts;
  readonly #changed: RecordChange;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.db, options.clock);
    this.#changed = createChangeRecorder(options, 'person');
  }

  async sendCode(
    contactInput: string,
    purpose: CodePurpose,
    address: string,
    input: { language: Language; host: string },
  ) {
    const contact = parseContact(contactInput);
    const { codes, messenger, signUp } = this.#options;
    // The same answer for everybody, known or not, because no carrier can send the code.
    if (!messenger.can(contact.kind === 'mobile' ? 'sms' : 'email')) throw new GatewayError('messages_unavailable');
    const { code, ...ordered } = await codes.order(contact, purpose, address);
    const isWanted = (await signUp.mayEnter(contact)) || purpose !== 'sign-in';
    if (isWanted && code !== undefined)
      messenger.send(codeMessage(contact, code, { ...input, purpose, brand: this.#options.brand() }));
    return { contact, ...ordered, sent: code !== undefined };
  }

  async withCode(contactInput: string, code: string, input: SignUpInput, signInClient: SignInClient): Promise<Entry> {
    const contact = parseContact(contactInput);
    const { codes, db, signUp } = this.#options;
    await codes.use(contact, 'sign-in', code, signInClient.address);
    const known = await findByContact(db, contact);
    if (known) return this.#enter(await signUp.invited(known, input.invitation), contact.kind, signInClient, false);
    return this.#enter(await signUp.open(contact, input, signInClient.address), contact.kind, signInClient, true);
  }

  async withPassword(contactInput: string, password: string, signInClient: SignInClient): Promise<Entry> {
    const contact = parseContact(contactInput);
    const subject = await this.#options.networks.window(contact, signInClient.address);
    const person = await this.#passwordOf(subject, signInClient.address, password, () =>
      findByContact(this.#options.db, contact),
    );
    return this.#enter(person, 'password', signInClient, false);
  }

  /**
   * The operator of the first start has a password and neither number nor address. We made the first password with 143
   * random bits, so nobody guesses it. So strangers' guesses do not lock it, and an operator who has never signed in
   * may come from anywhere. Guesses per address and per network stay limited.
   */
  async withOperatorPassword(password: string, isFirstPassword: boolean, signInClient: SignInClient): Promise<Entry> {
    const { db, networks } = this.#options;
    const stillFirst = async () =>
      isFirstPassword && (await findByContact(db, OPERATOR_IDENTITY))?.passwordHash == null;
    const subject = (await stillFirst())
      ? `${OPERATOR_IDENTITY.value} with the first password`
      : await networks.window(OPERATOR_IDENTITY, signInClient.address);
    const person = await this.#passwordOf(subject, signInClient.address, password, async () =>
      (await stillFirst()) ? 'passes' : findByContact(db, OPERATOR_IDENTITY),
    );
    return this.#enter(person, 'password', signInClient, false);
  }

  withPasskey(personId: string, signInClient: SignInClient): Promise<Entry> {
    return selectPerson(this.#options.db, personId).then((person) =>
      this.#begin(person, 'passkey', true, signInClient, false),
    );
  }

  async withSecondFactor(ticket: string, code: string, signInClient: SignInClient): Promise<Entry> {
    const { tickets, secondFactor, db } = this.#options;
    const begun = await tickets.look('second-factor', ticket);
    if (!begun || begun.personId === null) throw new GatewayError('wrong_code', { param: 'ticket' });
    await secondFactor.check(begun.personId, code);
    if (!(await tickets.spend(ticket))) throw new GatewayError('wrong_code', { param: 'ticket' });
    const person = await selectPerson(db, begun.personId);
    return this.#begin(person, String(begun.detail['method']), true, signInClient, false);
  }

  /** Sets a new password with a code instead of the old one. All sessions end. */
  async resetPassword(
    contactInput: string,
    code: string,
    password: string,
    { address, origin }: { address: string; origin: string },
  ): Promise<void> {
    const contact = parseContact(contactInput);
    const { codes, db, operator, passwords, sessions, networks, wayInChanges } = this.#options;
    refuseWeakPassword(password, [contact.value]);
    await codes.use(contact, 'sign-in', code, address);
    const person = await findByContact(db, contact);
    if (person) refuseWeakPassword(password, await this.#namesOf(person));
    const passwordHash = await passwords.hash(password);
    if (!person) throw new GatewayError('wrong_code', { param: 'code' });
    const reset = () =>
      db.transaction(async (tx) => {
        await updatePerson(tx, person.id, { passwordHash });
        await sessions.endAll(person.id, null, tx);
        await networks.forget(tx, person.id);
        await this.#changed(tx, `person:${person.id}`, 'password.reset', person.id, {});
        await operator.forgetFirstPassword(tx, `person:${person.id}`);
      });
    await wayInChanges.told(person.id, 'password-changed', origin, reset);
  }

  /** Proves by password for a person who is signed in. Wrong ones are counted as at a sign-in. */
  async provePassword(
    personId: string,
    password: string,
    address: string,
    isFirstPassword: (text: string) => boolean,
  ): Promise<void> {
    const { db, operator } = this.#options;
    const person = await selectPerson(db, personId);
    const isOperator = await operator.owesPassword(person);
    await this.#passwordOf(personId, address, password, async () =>
      isOperator && isFirstPassword(password) ? 'passes' : person,
    );
  }

  /** The caller has made sure of a fresh proof; an old password that was sent is checked all the same. */
  async setPassword(
    personId: string,
    current: string | undefined,
    password: string,
    keep: { sessionId: string; address: string },
    isFirstPassword: (text: string) => boolean,
  ): Promise<void> {
    const { db, operator, passwords, sessions, networks } = this.#options;
    const person = await selectPerson(db, personId);
    if (current !== undefined) await this.provePassword(personId, current, keep.address, isFirstPassword);
    refuseWeakPassword(password, await this.#namesOf(person));
    // The password that we made was printed, and may have been seen.
    if (isFirstPassword(password)) throw invalidRequest('password', peopleReasons.temporaryPassword);
    const passwordHash = await passwords.hash(password);
    await db.transaction(async (tx) => {
      await updatePerson(tx, personId, { passwordHash });
      await sessions.endAll(personId, keep.sessionId, tx);
      await networks.forget(tx, personId);
      await this.#changed(tx, `person:${personId}`, 'password.set', personId, {});
      await operator.forgetFirstPassword(tx, `person:${personId}`);
    });
    await networks.remember(personId, keep.address);
  }

  addMethod(identity: Identity): Promise<void> {
    const { personId, kind } = identity;
    return this.#options.db.transaction(async (tx) => {
      await insertIdentity(tx, identity);
      await this.#changed(tx, `person:${personId}`, 'method.add', personId, { kind });
    });
  }

  removeMethod(personId: string, id: string): Promise<void> {
    return this.#options.db.transaction(async (tx) => {
      const { kind } = await removeIdentity(tx, personId, id);
      await this.#changed(tx, `person:${personId}`, 'method.remove', personId, { kind });
    });
  }

  /** `passes` when the password was judged before; the same work is done again, so that the time reveals nothing. */
  async #passwordOf(
    subject: string,
    address: string,
    password: string,
    find: () => Promise<Person | 'passes' | undefined>,
  ): Promise<Person> {
    const { passwords, operator, wrongPasswords } = this.#options;
    return passwords.admit(async () => {
      const wrong = wrongPasswordLimits(subject, address, wrongPasswords);
      let found: Person | undefined;
      const isRight = await this.#attempts.guess(wrong, async () => {
        const judged = await find();
        found = judged === 'passes' ? await operator.person() : judged;
        if (judged === 'passes') return true;
        const fits = await passwords.verify(password, found?.passwordHash ?? null);
        return fits && found?.blockedAt === null;
      });
      if (!found || !isRight) throw new GatewayError('wrong_credentials');
      await this.#hashAgain(found, password);
      return found;
    });
  }

  /**
   * Hashes a password again that was hashed with less work, while it is known. A password that was set meanwhile stays.
   */
  async #hashAgain({ id, passwordHash }: Person, password: string): Promise<void> {
    const { db, passwords } = this.#options;
    if (passwordHash === null || !passwords.isOutdated(passwordHash)) return;
    await replacePasswordHash(db, id, passwordHash, await passwords.hash(password));
  }

  /** Texts that a person's password must not contain. */
  async #namesOf({ id, name }: Person): Promise<string[]> {
    return [name, ...(await selectIdentities(this.#options.db, [id])).map(({ value }) => value)];
  }

  async #enter(person: Person, method: string, signInClient: SignInClient, isNew: boolean): Promise<Entry> {
    if (!person.totpConfirmed) return this.#begin(person, method, false, signInClient, isNew);
    const ticket = await this.#options.tickets.make('second-factor', person.id, { method });
    return { kind: 'second-factor', ticket, expiresInMs: TICKET_LIFETIME_MS };
  }

  async #begin(
    person: Person,
    method: string,
    secondFactor: boolean,
    signInClient: SignInClient,
    isNew: boolean,
  ): Promise<Entry> {
    if (person.blockedAt !== null) throw new GatewayError('wrong_credentials');
    const { secret, id } = await this.#options.sessions.begin(
      person.id,
      method,
      secondFactor,
      signInClient,
      signInClient.former,
    );
    await this.#options.networks.remember(person.id, signInClient.address);
    return { kind: 'session', secret, sessionId: id, personId: person.id, isNew };
  }
}

/** Narrowest first: one network at one person, all strangers at one person, one caller at everybody. */
function wrongPasswordLimits(subject: string, address: string, limits: PasswordLimits): AttemptLimit[] {
  return [
    { counter: `password-wrong-at:${subject} ${networkOf(address)}`, max: limits.perContactHourly, spanMs: HOUR_MS },
    { counter: `password-wrong:${subject}`, max: limits.strangersHourly, spanMs: HOUR_MS },
    { counter: `password-wrong-from:${callerOf(address)}`, max: limits.perAddressHourly, spanMs: HOUR_MS },
    { counter: `password-wrong-net:${widestNetworkOf(address)}`, max: limits.perNetworkHourly, spanMs: HOUR_MS },
  ];
}
