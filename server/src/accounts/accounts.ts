/** Accounts: who pays, under which rules and by which calendar. Each change is one transaction with its message and its audit log entry. */
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import { makeId, type RandomBytes } from '../core/ids.ts';
import type { Json, JsonObject } from '../core/json.ts';
import {
  type Calendar,
  CONFIG_LOCK,
  checkId,
  checkName,
  forgetOwnKeys,
  noSuch,
  type PromptLogging,
  parseAccountRules,
  parseCalendar,
  parseOwnCaps,
  refuseKeyOfFile,
  renderAccountRules,
  renderCalendar,
  renderOwnCaps,
} from '../keys/index.ts';
import { createChangeRecorder, difference, type RecordChange } from '../platform/audit-log.ts';
import { type Database, isUniqueViolation, lockUntilCommit, type Queryable } from '../platform/db/index.ts';
import type { Account } from './account-rows.ts';
import * as rows from './account-rows.ts';
import { accountReasons } from './reasons.ts';

interface NewAccount {
  /** Generated when absent. */
  id?: string;
  name: string;
  rules?: Json;
  calendar?: Json;
}

interface AccountPatch {
  name?: string;
  rules?: Json;
  calendar?: Json;
  logPrompts?: PromptLogging | null;
  /** Why, for the audit log. */
  reason?: string;
}

export interface AccountService {
  create(input: NewAccount, actor: string): Promise<Account>;
  /** Like `create`, inside the transaction of a larger change. */
  createWithin(tx: Queryable, input: NewAccount, actor: string): Promise<Account>;
  get(id: string): Promise<Account>;
  /** `rules` and `calendar` hold only the fields to change. */
  update(id: string, patch: AccountPatch, actor: string): Promise<Account>;
  /** Like `update`, inside the transaction of a larger change. */
  updateWithin(tx: Queryable, id: string, patch: AccountPatch, actor: string): Promise<Account>;
  /**
   * Sets the margin on list prices for this account alone; null leaves it to the other layers. Works for accounts of the
   * configuration file too.
   */
  setMargin(id: string, margin: string | null, actor: string): Promise<Account>;
  /** Caps that its own people set; periods that are not given keep theirs. Works for accounts of the configuration file too. */
  setOwnCaps(id: string, caps: Json, actor: string): Promise<Account>;
  /**
   * Closes the account for good: it can spend nothing any more, while its books and log stay. `alongside` ends its keys, members
   * and so on in the same transaction.
   */
  close(id: string, actor: string, alongside: (tx: Queryable) => Promise<void>, reason?: string): Promise<Account>;
  /** Config as code. Does nothing when nothing differs. */
  upsertConfigAccount(input: NewAccount & { id: string }): Promise<Account>;
}

export interface AccountServiceOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  /** For accounts that name none: an operator setting. */
  defaultCalendar: Calendar;
}

export function createAccountService(options: AccountServiceOptions): AccountService {
  const { db, clock } = options;
  const changed = createChangeRecorder(options, 'account');

  async function createWithin(tx: Queryable, input: NewAccount, actor: string): Promise<Account> {
    const account = newAccount(options, input, 'operator');
    await rows.insertAccount(tx, account).catch((error: unknown) => refuseTakenId(error, account.id));
    await changed(tx, actor, 'account.create', account.id, { name: account.name });
    return account;
  }

  async function updateWithin(tx: Queryable, id: string, patch: AccountPatch, actor: string): Promise<Account> {
    const account = (await rows.selectAccount(tx, id, true)) ?? noSuch('account', id);
    if (account.managedBy === 'config') refuseKeyOfFile();
    const edited: Account = {
      ...account,
      name: patch.name === undefined ? account.name : checkName(patch.name),
      rules: parseAccountRules(patch.rules, account.rules),
      calendar: parseCalendar(patch.calendar, account.calendar),
      logPrompts: patch.logPrompts === undefined ? account.logPrompts : patch.logPrompts,
      updatedAt: new Date(clock.now()),
    };
    await rows.updateAccount(tx, edited);
    const why = patch.reason === undefined ? {} : { reason: patch.reason };
    await changed(tx, actor, 'account.update', id, { ...difference(traced(account), traced(edited)), ...why });
    return edited;
  }

  return {
    createWithin,
    create: (input, actor) => db.transaction((tx) => createWithin(tx, input, actor)),
    async get(id) {
      return (await rows.selectAccount(db, id)) ?? noSuch('account', id);
    },
    updateWithin,
    update: (id, patch, actor) => db.transaction((tx) => updateWithin(tx, id, patch, actor)),
    setMargin: (id, margin, actor) =>
      db.transaction(async (tx) => {
        const account = (await rows.selectAccount(tx, id, true)) ?? noSuch('account', id);
        const now = new Date(clock.now());
        await rows.updateMargin(tx, id, margin, now);
        await changed(tx, actor, 'account.margin', id, { before: { margin: account.margin }, after: { margin } });
        return { ...account, margin, updatedAt: now };
      }),
    setOwnCaps: (id, caps, actor) =>
      db.transaction((tx) => setOwnCaps(tx, { id, caps, actor, now: new Date(clock.now()) }, changed)),
    close: (id, actor, alongside, reason) =>
      db.transaction(async (tx) => {
        const account = (await rows.selectAccount(tx, id, true)) ?? noSuch('account', id);
        if (account.managedBy === 'config') refuseKeyOfFile();
        if (account.closedAt !== null) throw new GatewayError('conflict', { reason: accountReasons.closed });
        const now = new Date(clock.now());
        const edited = { ...account, closedAt: now, updatedAt: now };
        await rows.updateAccount(tx, edited);
        await forgetOwnKeys(tx, id);
        await alongside(tx);
        await changed(tx, actor, 'account.close', id, reason === undefined ? {} : { reason });
        return edited;
      }),
    upsertConfigAccount: (input) =>
      db.transaction(async (tx) => {
        await lockUntilCommit(tx, CONFIG_LOCK);
        const present = await rows.selectAccount(tx, input.id, true);
        const wanted = newAccount(options, input, 'config');
        if (!present) {
          await rows.insertAccount(tx, wanted);
          await changed(tx, 'config', 'account.create', input.id, { name: wanted.name });
          return wanted;
        }
        // What people set in the console is kept: the configuration file does not name it.
        const { createdAt, updatedAt, logPrompts, ownCaps, margin, closedAt, blocked } = present;
        const kept = { ...wanted, createdAt, updatedAt, logPrompts, ownCaps, margin, closedAt, blocked };
        if (isDeepStrictEqual(kept, present)) return present;
        const edited = { ...kept, updatedAt: wanted.updatedAt };
        await rows.updateAccount(tx, edited);
        await changed(tx, 'config', 'account.update', input.id, {});
        return edited;
      }),
  };
}

async function setOwnCaps(
  tx: Queryable,
  { id, caps, actor, now }: { id: string; caps: Json; actor: string; now: Date },
  changed: RecordChange,
): Promise<Account> {
  const account = (await rows.selectAccount(tx, id, true)) ?? noSuch('account', id);
  const ownCaps = parseOwnCaps(caps, account.ownCaps);
  await rows.updateOwnCaps(tx, id, ownCaps, now);
  const tracedCaps = (own: Account['ownCaps']) => ({ own_caps: renderOwnCaps(own) });
  await changed(tx, actor, 'account.update', id, difference(tracedCaps(account.ownCaps), tracedCaps(ownCaps)));
  return { ...account, ownCaps, updatedAt: now };
}

function newAccount(
  { clock, randomBytes, defaultCalendar }: AccountServiceOptions,
  input: NewAccount,
  managedBy: Account['managedBy'],
): Account {
  const nowMs = clock.now();
  return {
    id: input.id === undefined ? makeId('acc', nowMs, randomBytes) : checkId(input.id),
    name: checkName(input.name),
    rules: parseAccountRules(input.rules),
    calendar: parseCalendar(input.calendar, defaultCalendar),
    managedBy,
    logPrompts: null,
    ownCaps: null,
    margin: null,
    closedAt: null,
    blocked: null,
    createdAt: new Date(nowMs),
    updatedAt: new Date(nowMs),
  };
}

function refuseTakenId(error: unknown, id: string): never {
  if (!isUniqueViolation(error)) throw error;
  throw new GatewayError('conflict', {
    cause: error,
    param: 'id',
    reason: { fa: `حسابی با شناسهٔ ${id} هست.`, en: `An account '${id}' exists.` },
  });
}

/** What of an account the audit log shows. */
function traced({ name, rules, calendar, logPrompts }: Account): JsonObject {
  const kept = logPrompts && { ...logPrompts };
  return { name, ...renderAccountRules(rules), ...renderCalendar(calendar), log_prompts: kept };
}
