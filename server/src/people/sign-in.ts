/**
 * Signing in and signing up. Whatever is tried, known and unknown people get the same answers after the same work; what differs
 * happens in the background or behind a secret that only its owner has.
 */
import type { AccountService } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Language, Text } from '../core/text.ts';
import type { Messenger } from '../messages/index.ts';
import { createChangeRecorder, type RecordChange } from '../platform/admin-trail.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import { Attempts, HOUR } from './attempts.ts';
import { CODE_LIFE_MS, type CodePurpose, type Codes, RESEND_MS } from './codes.ts';
import { type Contact, networkOf, parseContact } from './contacts.ts';
import { type FirstOperator, OPERATOR } from './first-operator.ts';
import type { KnownNetworks } from './known-networks.ts';
import type { Members } from './members.ts';
import { codeMessage } from './messages-to-people.ts';
import type { PasswordLimits, Passwords } from './passwords.ts';
import {
  findByContact,
  type Identity,
  insertIdentity,
  insertPerson,
  type Person,
  removeIdentity,
  selectPerson,
  updatePerson,
} from './persons.ts';
import type { SecondFactor } from './second-factor.ts';
import type { Device, Sessions } from './sessions.ts';
import { type SignInTickets, TICKET_LIFE_MS } from './tickets.ts';
import type { WelcomeCredit } from './welcome-credit.ts';

export interface PeopleSettings {
  registration: 'open' | 'invitation' | 'closed';
}

export interface SignInOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  accounts: AccountService;
  codes: Codes;
  networks: KnownNetworks;
  members: Members;
  operator: FirstOperator;
  passwords: Passwords;
  secondFactor: SecondFactor;
  sessions: Sessions;
  tickets: SignInTickets;
  messenger: Messenger;
  brand(): Text;
  welcome: WelcomeCredit;
  wrongPasswords: PasswordLimits;
  /** Read at every use. */
  settings: PeopleSettings;
}

export interface SignUpWords {
  name?: string | undefined;
  accountName?: string | undefined;
  language?: Language | undefined;
  invitation?: string | undefined;
}

export type Entry =
  | { kind: 'session'; secret: string; sessionId: string; personId: string; isNew: boolean }
  | { kind: 'second-factor'; ticket: string; expiresInMs: number };

/** Who comes, and with which cookie: a session that a browser already had ends where another begins. */
export interface Comer extends Device {
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

  async sendCode(given: string, purpose: CodePurpose, address: string, words: { language: Language; host: string }) {
    const contact = parseContact(given);
    const { codes, messenger } = this.#options;
    const code = await codes.make(contact, purpose, address);
    const isWanted = (await this.#mayEnter(contact)) || purpose === 'add-method';
    if (isWanted) messenger.send(codeMessage(contact, code, { ...words, brand: this.#options.brand() }));
    return { contact, expiresInMs: CODE_LIFE_MS, resendAfterMs: RESEND_MS };
  }

  async withCode(given: string, code: string, words: SignUpWords, comer: Comer): Promise<Entry> {
    const contact = parseContact(given);
    const { codes, db } = this.#options;
    await codes.use(contact, 'sign-in', code, comer.address);
    const known = await findByContact(db, contact);
    if (known) return this.#enter(await this.#joined(known, words.invitation), contact.kind, comer, false);
    return this.#enter(await this.#signUp(contact, words, comer.address), contact.kind, comer, true);
  }

  async withPassword(given: string, password: string, comer: Comer): Promise<Entry> {
    const contact = parseContact(given);
    const subject = await this.#options.networks.window(contact, comer.address);
    const person = await this.#passwordOf(subject, comer.address, password, () =>
      findByContact(this.#options.db, contact),
    );
    return this.#enter(person, 'password', comer, false);
  }

  /**
   * The operator of the first start has a password and neither number nor address. Nobody guesses the one that we made, 143 bits
   * of chance: the guesses of strangers do not close it, so that an operator who has never signed in can come from anywhere. What
   * one address and one network may guess stays bounded.
   */
  async withOperatorPassword(password: string, isFirstPassword: boolean, comer: Comer): Promise<Entry> {
    const { db, networks } = this.#options;
    const stillFirst = async () => isFirstPassword && (await findByContact(db, OPERATOR))?.passwordHash == null;
    const subject = (await stillFirst())
      ? `${OPERATOR.value} with the first password`
      : await networks.window(OPERATOR, comer.address);
    const person = await this.#passwordOf(subject, comer.address, password, async () =>
      (await stillFirst()) ? 'passes' : findByContact(db, OPERATOR),
    );
    return this.#enter(person, 'password', comer, false);
  }

  withPasskey(personId: string, comer: Comer): Promise<Entry> {
    return selectPerson(this.#options.db, personId).then((person) =>
      this.#begin(person, 'passkey', true, comer, false),
    );
  }

  async withSecondFactor(ticket: string, code: string, comer: Comer): Promise<Entry> {
    const { tickets, secondFactor, db } = this.#options;
    const begun = await tickets.look('second-factor', ticket);
    if (!begun || begun.personId === null) throw new GatewayError('wrong_code', { param: 'ticket' });
    await secondFactor.check(begun.personId, code);
    if (!(await tickets.spend(ticket))) throw new GatewayError('wrong_code', { param: 'ticket' });
    const person = await selectPerson(db, begun.personId);
    return this.#begin(person, String(begun.detail['method']), true, comer, false);
  }

  /** A new password with a code instead of the old one. All sessions end. */
  async resetPassword(given: string, code: string, password: string, address: string): Promise<void> {
    const contact = parseContact(given);
    const { codes, db, passwords, sessions, networks } = this.#options;
    await codes.use(contact, 'sign-in', code, address);
    const person = await findByContact(db, contact);
    const passwordHash = await passwords.hash(password);
    if (!person) throw new GatewayError('wrong_code', { param: 'code' });
    await db.transaction(async (tx) => {
      await updatePerson(tx, person.id, { passwordHash });
      await sessions.endAll(person.id, null, tx);
      await networks.forget(tx, person.id);
      await this.#changed(tx, `person:${person.id}`, 'password.reset', person.id, {});
    });
  }

  async setPassword(
    personId: string,
    current: string | undefined,
    password: string,
    keep: { sessionId: string; address: string },
    isFirstPassword: (text: string) => boolean,
  ): Promise<void> {
    const { db, passwords, sessions, networks } = this.#options;
    const person = await selectPerson(db, personId);
    const isOperator = person.passwordHash === null && (await findByContact(db, OPERATOR))?.id === personId;
    if (person.passwordHash !== null || isOperator) {
      await this.#passwordOf(personId, keep.address, current ?? '', async () =>
        isOperator && isFirstPassword(current ?? '') ? 'passes' : person,
      );
    }
    const passwordHash = await passwords.hash(password);
    await db.transaction(async (tx) => {
      await updatePerson(tx, personId, { passwordHash });
      await sessions.endAll(personId, keep.sessionId, tx);
      await networks.forget(tx, personId);
      await this.#changed(tx, `person:${personId}`, 'password.set', personId, {});
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

  /** Somebody who is not known yet, without a session: staff is added before it ever signed in. */
  async personFor(tx: Queryable, contact: Contact, name: string | undefined, language: Language): Promise<string> {
    const found = await findByContact(tx, contact);
    if (found) return found.id;
    const { clock, randomBytes } = this.#options;
    const now = clock.now();
    const id = makeId('per', now, randomBytes);
    const createdAt = new Date(now);
    await insertPerson(tx, { id, name: name?.trim() || contact.value, language, createdAt });
    await insertIdentity(tx, { id: makeId('idn', now, randomBytes), personId: id, ...contact, createdAt });
    return id;
  }

  /** `passes` where the password was judged already; the work is done all the same. */
  async #passwordOf(
    subject: string,
    address: string,
    password: string,
    find: () => Promise<Person | 'passes' | undefined>,
  ): Promise<Person> {
    const { passwords, operator, wrongPasswords } = this.#options;
    return passwords.admit(async () => {
      const wrong = [
        { bucket: `password-wrong:${subject}`, most: wrongPasswords.perContactHourly, spanMs: HOUR },
        { bucket: `password-wrong-from:${address}`, most: wrongPasswords.perAddressHourly, spanMs: HOUR },
        { bucket: `password-wrong-net:${networkOf(address)}`, most: wrongPasswords.perNetworkHourly, spanMs: HOUR },
      ];
      let found: Person | undefined;
      const isRight = await this.#attempts.guess(wrong, async () => {
        const judged = await find();
        found = judged === 'passes' ? await operator.person() : judged;
        if (judged === 'passes') return true;
        const fits = await passwords.verify(password, found?.passwordHash ?? null);
        return fits && found?.blockedAt === null;
      });
      if (!found || !isRight) throw new GatewayError('wrong_credentials');
      return found;
    });
  }

  async #mayEnter(contact: Contact): Promise<boolean> {
    const { db, settings, members } = this.#options;
    const person = await findByContact(db, contact);
    const invited = await members.invitationsTo([contact.value]);
    if (person) return person.blockedAt === null;
    return settings.registration === 'open' || invited.length > 0;
  }

  async #signUp(contact: Contact, words: SignUpWords, address: string): Promise<Person> {
    const { db, members, accounts, settings, welcome } = this.#options;
    const invited = await members.invitationsTo([contact.value]);
    if (settings.registration !== 'open' && invited.length === 0) throw new GatewayError('registration_closed');
    const named = words.invitation === undefined ? undefined : await this.#matching(words.invitation, invited);
    // Where only the invited may come, they come into the account that invited them and open none of their own.
    const chosen = named ?? (settings.registration === 'open' ? undefined : invited[0]);
    let accountId: string | undefined;
    const personId = await db.transaction(async (tx) => {
      const id = await this.personFor(tx, contact, words.name, words.language ?? 'fa');
      if (chosen) await members.accept(chosen, id, tx);
      else {
        const name = words.accountName?.trim() || words.name?.trim() || contact.value;
        accountId = (await accounts.createWithin(tx, { name }, `person:${id}`)).id;
        await members.join(tx, accountId, id, 'owner');
      }
      return id;
    });
    if (accountId !== undefined) await welcome.give(accountId, contact, address);
    return selectPerson(db, personId);
  }

  async #matching(secret: string, invited: Awaited<ReturnType<Members['invitationsTo']>>) {
    const found = await this.#options.members.findInvitation(secret).catch(() => undefined);
    return invited.find(({ id }) => id === found?.id);
  }

  async #joined(person: Person, secret: string | undefined): Promise<Person> {
    if (secret === undefined || person.blockedAt !== null) return person;
    const { members, db } = this.#options;
    const invitation = await members.findInvitation(secret).catch(() => undefined);
    if (invitation) await db.transaction((tx) => members.accept(invitation, person.id, tx)).catch(refusalOnly);
    return person;
  }

  async #enter(person: Person, method: string, comer: Comer, isNew: boolean): Promise<Entry> {
    if (!person.totpConfirmed) return this.#begin(person, method, false, comer, isNew);
    const ticket = await this.#options.tickets.make('second-factor', person.id, { method });
    return { kind: 'second-factor', ticket, expiresInMs: TICKET_LIFE_MS };
  }

  async #begin(person: Person, method: string, secondFactor: boolean, comer: Comer, isNew: boolean): Promise<Entry> {
    if (person.blockedAt !== null) throw new GatewayError('wrong_credentials');
    const { secret, id } = await this.#options.sessions.begin(person.id, method, secondFactor, comer, comer.former);
    await this.#options.networks.remember(person.id, comer.address);
    return { kind: 'session', secret, sessionId: id, personId: person.id, isNew };
  }
}

/** An invitation that does not fit does not keep anybody from signing in. */
function refusalOnly(error: unknown): void {
  if (!(error instanceof GatewayError)) throw error;
}
