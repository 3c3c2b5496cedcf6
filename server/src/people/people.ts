/** All services about people, put together. */

import type { Text } from '@dargah/core/text.ts';
import type { AccountService } from '../accounts/index.ts';
import type { Clock } from '../core/clock.ts';
import type { RandomBytes } from '../core/ids.ts';
import type { Books } from '../ledger/index.ts';
import type { Messenger } from '../messages/index.ts';
import type { Background } from '../platform/background.ts';
import type { Database } from '../platform/db/index.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { Attempts } from './attempts.ts';
import { CODE_LIMITS, type CodeLimits } from './code-limits.ts';
import { Codes } from './codes.ts';
import { FirstOperator } from './first-operator.ts';
import { KnownNetworks } from './known-networks.ts';
import { ManagementKeys } from './management-keys.ts';
import { Members } from './members.ts';
import { MessageVolume, type VolumeSettings } from './message-volume.ts';
import { NamedTokens } from './operator-tokens.ts';
import { Passkeys } from './passkeys.ts';
import { type PasswordLimits, Passwords, type PasswordWork, WRONG_PASSWORDS } from './passwords.ts';
import { Proofs } from './proofs.ts';
import { SecondFactor } from './second-factor.ts';
import { Sessions } from './sessions.ts';
import { SignIn } from './sign-in.ts';
import { type PeopleSettings, SignUp } from './sign-up.ts';
import { StaffList } from './staff.ts';
import { SignInTickets } from './tickets.ts';
import { WayInChanges } from './way-in-changes.ts';
import { WelcomeCredit, type WelcomeSettings } from './welcome-credit.ts';

/** The operator's settings, read at every use. */
export interface LivePeopleSettings extends PeopleSettings, WelcomeSettings, VolumeSettings {
  isProduction: boolean;
  /** Always true in production, whatever is stored. */
  staffSecondFactor: boolean;
  operatorTokens: boolean;
  suppliersShown: boolean;
  /** Public pages show the maker's list price in dollars too. */
  listPricesShown: boolean;
}

export interface PeopleOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  secrets: SecretBox;
  accounts: AccountService;
  ledger: Pick<Books, 'transfer'>;
  messenger: Messenger;
  background: Background;
  settings: LivePeopleSettings;
  /** The service's name in messages. */
  brand(): Text;
  limits?: Partial<CodeLimits>;
  passwordLimits?: Partial<PasswordLimits>;
  /** Tests replace the hashing, or make it cheap. */
  passwords?: Passwords;
  passwordWork?: PasswordWork | undefined;
}

export type People = ReturnType<typeof createPeople>;

const TEND_MS = 600_000;

export function createPeople(options: PeopleOptions) {
  const { db, clock, secrets, background, settings } = options;
  const pepper = secrets.derive('dargah one-time codes');
  const attempts = new Attempts(db, clock);
  const networks = new KnownNetworks(db, clock);
  const volume = new MessageVolume(attempts, settings, clock);
  const limits = { ...CODE_LIMITS, ...options.limits };
  const codes = new Codes({ ...options, attempts, networks, volume, pepper, limits });
  const sessions = new Sessions(options);
  const tickets = new SignInTickets(options);
  const members = new Members(options);
  const passwords = options.passwords ?? new Passwords(options.randomBytes, options.passwordWork);
  const secondFactor = new SecondFactor(options);
  const wrongPasswords = { ...WRONG_PASSWORDS, ...options.passwordLimits };
  const operator = new FirstOperator({ ...options, sessions, networks });
  const welcome = new WelcomeCredit({ ...options, pepper });
  const signUp = new SignUp({ ...options, members, welcome });
  background.every(TEND_MS, 'people', async () => {
    await codes.forgetOld();
    await tickets.forgetOld();
    await sessions.forgetOld();
    await networks.forgetOld();
  });
  const passkeys = new Passkeys({ ...options, tickets });
  const wayInChanges = new WayInChanges({ ...options, networks, sessions, tickets });
  const signIn = new SignIn({
    ...options,
    codes,
    networks,
    operator,
    passwords,
    secondFactor,
    sessions,
    signUp,
    tickets,
    wayInChanges,
    wrongPasswords,
  });
  return {
    db,
    clock,
    settings,
    messenger: options.messenger,
    brand: options.brand,
    attempts,
    volume,
    codes,
    sessions,
    members,
    operator,
    passwords,
    secondFactor,
    passkeys,
    proofs: new Proofs({ db, codes, passkeys, secondFactor, sessions, signIn }),
    wayInChanges,
    managementKeys: new ManagementKeys(options),
    operatorTokens: new NamedTokens(options),
    staff: new StaffList({ ...options, sessions }),
    signUp,
    signIn,
  };
}
