/**
 * A fresh proof of identity. A stolen cookie opens what its owner sees, but must not be enough to become the owner: a
 * change of how somebody signs in requires a proof that is at most five minutes old. A person with a second factor
 * proves with it or with a passkey, because their sign-in requires as much.
 */
import { GatewayError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Database } from '../platform/db/index.ts';
import type { Codes } from './codes.ts';
import { OPERATOR_IDENTITY } from './first-operator.ts';
import type { Passkeys, Site } from './passkeys.ts';
import type { Identity, Person } from './person-rows.ts';
import { type ContactIdentity, isContact, selectIdentities, selectPerson } from './persons.ts';
import type { SecondFactor } from './second-factor.ts';
import { PROOF_LIFETIME_MS, type Session, type Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';

const PROOF_WAYS = ['passkey', 'second-factor', 'password', 'code'] as const;
type ProofWay = (typeof PROOF_WAYS)[number];

/** What is shown as a proof. */
export type ProofInput =
  | { way: 'passkey'; ticket: string; response: Json; site: Site }
  | { way: 'second-factor'; code: string }
  | { way: 'password'; password: string; isFirstPassword(text: string): boolean }
  | { way: 'code'; contactId: string; code: string };

export interface ProofsOptions {
  db: Database;
  codes: Codes;
  passkeys: Passkeys;
  secondFactor: SecondFactor;
  sessions: Sessions;
  signIn: SignIn;
}

/** The person who proves, their session, and their address. */
export interface Prover {
  personId: string;
  sessionId: string;
  address: string;
}

export function isProofFresh({ provedAt }: Pick<Session, 'provedAt'>, nowMs: number): boolean {
  return nowMs - provedAt.getTime() <= PROOF_LIFETIME_MS;
}

export class Proofs {
  readonly #options: ProofsOptions;

  constructor(options: ProofsOptions) {
    this.#options = options;
  }

  /**
   * The ways in which the person can prove who they are, the safest first, and the numbers and addresses to which a
   * code can be sent.
   */
  async waysOf(personId: string): Promise<{ ways: ProofWay[]; contacts: ContactIdentity[] }> {
    const { db, passkeys } = this.#options;
    const person = await selectPerson(db, personId);
    const identities = await selectIdentities(db, [personId]);
    const contacts = identities.filter(isContact);
    const has: Record<ProofWay, boolean> = {
      passkey: (await passkeys.list(personId)).length > 0,
      'second-factor': person.totpConfirmed,
      password: !person.totpConfirmed && hasPassword(person, identities),
      code: !person.totpConfirmed && contacts.length > 0,
    };
    return { ways: PROOF_WAYS.filter((way) => has[way]), contacts: has.code ? contacts : [] };
  }

  /** The number or address to which a code may be sent, or whose code is checked. */
  async contactOf(personId: string, contactId: string): Promise<ContactIdentity> {
    const { contacts } = await this.waysOf(personId);
    const found = contacts.find(({ id }) => id === contactId);
    if (!found) throw new GatewayError('not_found');
    return found;
  }

  /** Returns until when the proof counts, or throws what was wrong with it. */
  async give({ personId, sessionId, address }: Prover, input: ProofInput): Promise<Date> {
    const { ways } = await this.waysOf(personId);
    if (!ways.includes(input.way)) throw new GatewayError('wrong_credentials');
    await this.#judge(personId, address, input);
    return this.#options.sessions.prove(sessionId);
  }

  async #judge(personId: string, address: string, input: ProofInput): Promise<void> {
    const { codes, passkeys, secondFactor, signIn } = this.#options;
    switch (input.way) {
      case 'passkey':
        return passkeys.finishProof(personId, input.ticket, input.response, input.site);
      case 'second-factor':
        return secondFactor.check(personId, input.code);
      case 'password':
        return signIn.provePassword(personId, input.password, address, input.isFirstPassword);
      case 'code':
        return codes.use(await this.contactOf(personId, input.contactId), 'proof', input.code, address);
    }
  }
}

/** The password of the first start's operator is stored in no row. */
function hasPassword({ passwordHash }: Person, identities: readonly Identity[]): boolean {
  return passwordHash !== null || identities.some(({ kind, value }) => isFirstOperator(kind, value));
}

function isFirstOperator(kind: Identity['kind'], value: string): boolean {
  return kind === OPERATOR_IDENTITY.kind && value === OPERATOR_IDENTITY.value;
}
