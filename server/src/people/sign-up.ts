/** Decides who may register, and makes the person and account of a newcomer. */

import type { Language } from '@dargah/core/text.ts';
import type { AccountService } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Database, Queryable } from '../platform/db/index.ts';
import type { Contact } from './contacts.ts';
import type { Members } from './members.ts';
import type { Person } from './person-rows.ts';
import { findByContact, insertIdentity, insertPerson, selectPerson } from './persons.ts';
import type { WelcomeCredit } from './welcome-credit.ts';

export interface PeopleSettings {
  registration: 'open' | 'invitation' | 'closed';
}

export interface SignUpOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  accounts: AccountService;
  members: Members;
  welcome: WelcomeCredit;
  /** Read at every use. */
  settings: PeopleSettings;
}

export interface SignUpInput {
  name?: string | undefined;
  accountName?: string | undefined;
  language?: Language | undefined;
  invitation?: string | undefined;
}

export class SignUp {
  readonly #options: SignUpOptions;

  constructor(options: SignUpOptions) {
    this.#options = options;
  }

  /** Whether a code should be sent. Known and unknown people cause the same work. */
  async mayEnter(contact: Contact): Promise<boolean> {
    const { db, settings, members } = this.#options;
    const person = await findByContact(db, contact);
    const invited = await members.invitationsTo([contact.value]);
    if (person) return person.blockedAt === null;
    return settings.registration === 'open' || invited.length > 0;
  }

  async open(contact: Contact, input: SignUpInput, address: string): Promise<Person> {
    const { db, members, accounts, settings, welcome } = this.#options;
    const invited = await members.invitationsTo([contact.value]);
    if (settings.registration !== 'open' && invited.length === 0) throw new GatewayError('registration_closed');
    const named = input.invitation === undefined ? undefined : await this.#matching(input.invitation, invited);
    // Where registration needs an invitation, the person joins the account that invited them and gets none of their
    // own.
    const chosen = named ?? (settings.registration === 'open' ? undefined : invited[0]);
    let accountId: string | undefined;
    const personId = await db.transaction(async (tx) => {
      const id = await this.personFor(tx, contact, input.name, input.language ?? 'fa');
      if (chosen) await members.accept(chosen, id, tx);
      else {
        const name = input.accountName?.trim() || input.name?.trim() || contact.value;
        accountId = (await accounts.createWithin(tx, { name }, `person:${id}`)).id;
        await members.join(tx, accountId, id, 'owner');
      }
      return id;
    });
    if (accountId !== undefined) await welcome.give(accountId, contact, address);
    return selectPerson(db, personId);
  }

  /**
   * The person of a contact without a session, made if needed, so that staff can be added before they ever signed in.
   */
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

  /** Accepts an invitation for a person who is already known. */
  async invited(person: Person, secret: string | undefined): Promise<Person> {
    if (secret === undefined || person.blockedAt !== null) return person;
    const { members, db } = this.#options;
    const invitation = await members.findInvitation(secret).catch(() => undefined);
    if (invitation) await db.transaction((tx) => members.accept(invitation, person.id, tx)).catch(refusalOnly);
    return person;
  }

  async #matching(secret: string, invited: Awaited<ReturnType<Members['invitationsTo']>>) {
    const found = await this.#options.members.findInvitation(secret).catch(() => undefined);
    return invited.find(({ id }) => id === found?.id);
  }
}

/** An invitation that does not fit must not keep anybody from signing in. */
function refusalOnly(error: unknown): void {
  if (!(error instanceof GatewayError)) throw error;
}
