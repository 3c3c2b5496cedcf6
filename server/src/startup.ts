/** What start-up writes into the database: the catalog, config as code, and on a bare machine one account with a key. */
import type { AccountService } from './accounts/index.ts';
import { discoverServers, type Probe, type SeedSources, seedCatalog, settleSelling } from './catalog/index.ts';
import { type ConfigFile, DEFAULT_TERMS, type ProcessEnvironment } from './config/index.ts';
import type { Clock } from './core/clock.ts';
import { type RandomBytes, randomBase62 } from './core/ids.ts';
import { money, ZERO } from './core/money.ts';
import { OPERATOR_ACCOUNT } from './core/operator-account.ts';
import type { KeyService } from './keys/index.ts';
import type { Books } from './ledger/index.ts';
import type { Database } from './platform/db/index.ts';
import { digestOf, FIRST_PASSWORD_SETTING } from './platform/operator-token.ts';
import type { SecretBox } from './platform/secrets.ts';
import type { SettingStore } from './platform/setting-store.ts';

export interface StartupTools {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  secrets: SecretBox;
  accounts: AccountService;
  keys: KeyService;
  ledger: Books;
  settings: SettingStore;
  probe: Probe;
}

/** Shown once, on the very first start; only digests are kept. */
export interface FirstSecrets {
  operatorPassword: string | undefined;
  /** Undefined where there is no credit to use it with. */
  apiKey: string | undefined;
  /** A simulated model to try it with, where there are some. */
  model: string | undefined;
}

/** Enough to try everything in the sandbox for a long while. */
const FIRST_CREDIT = money(1_000_000n * 1_000_000n);
const FIRST_MODEL = 'sandbox/echo';

/**
 * Returns what the catalog was seeded from: the operator's refresh lists and prices everything from it anew.
 * With `asItIs` it only looks, unless no server has seeded it yet.
 */
export async function seed(
  tools: StartupTools,
  environment: ProcessEnvironment,
  config: ConfigFile,
  asItIs = false,
): Promise<SeedSources> {
  const stored = await tools.settings.atStart();
  const discover = environment.discovery && config.settings.discovery;
  const found = discover ? await discoverServers(process.env, tools.probe, environment.port) : [];
  const { catalog, money: moneySettings, settings } = config;
  const sources: SeedSources = {
    env: process.env,
    terms: DEFAULT_TERMS,
    config: catalog,
    found,
    localRates: moneySettings.localRates,
    sandbox: settings.sandbox === true,
  };
  // A database that was never seeded has nothing to keep.
  if (asItIs && stored.has(FIRST_PASSWORD_SETTING)) return sources;
  await seedCatalog(tools, { sources, file: moneySettings });
  await tools.db.transaction((tx) => settleSelling(tx, moneySettings, new Date(tools.clock.now())));
  await applyAccounts(tools, config);
  return sources;
}

async function applyAccounts({ accounts, keys, ledger }: StartupTools, config: ConfigFile): Promise<void> {
  const keyIds: string[] = [];
  for (const { id, name, rules, calendar, balance, keys: declared } of config.accounts) {
    await accounts.upsertConfigAccount({ id, name, ...optional({ rules, calendar }) });
    // The opening credit is a transfer with a fixed id: however often the file is applied, it is posted once.
    if (balance !== undefined && balance > 0n) {
      await ledger.transfer({
        id: `opening:${id}`,
        kind: 'opening',
        accountId: id,
        amount: balance,
        note: 'opening credit',
      });
    }
    for (const key of declared) {
      keyIds.push(
        await keys.upsertConfigKey({
          accountId: id,
          id: key.id,
          text: key.text,
          ...optional({ name: key.name, rules: key.rules }),
        }),
      );
    }
  }
  await keys.revokeConfigKeysExcept(keyIds);
}

/**
 * Makes what a stranger needs for the first request; on any later start it finds everything and prints nothing. In production only the
 * operator's password is made, and the operator's account without credit, unless the environment names a credit or a key.
 */
export async function firstStart(
  tools: StartupTools,
  environment: Pick<ProcessEnvironment, 'production' | 'firstCredit' | 'bootstrapKey'>,
  sandbox: boolean,
): Promise<FirstSecrets> {
  const { settings, accounts, ledger, randomBytes } = tools;
  // Read anew: another replica may have made them since this one began to start.
  const known = await settings.all();
  const secrets: FirstSecrets = { operatorPassword: undefined, apiKey: undefined, model: undefined };
  if (known.has(FIRST_PASSWORD_SETTING)) return secrets;
  secrets.operatorPassword = randomBase62(24, randomBytes);
  const account = await accounts
    .create({ id: OPERATOR_ACCOUNT, name: 'Operator' }, 'startup')
    .catch(() => accounts.get(OPERATOR_ACCOUNT));
  const credit = environment.firstCredit ?? (environment.production ? ZERO : FIRST_CREDIT);
  if (credit > 0n)
    await ledger.transfer({
      id: 'opening:first-start',
      kind: 'opening',
      // Nobody paid for it: it never counts as money, here or in the balance of a year.
      against: 'play-money',
      accountId: account.id,
      amount: credit,
      note: 'first start',
    });
  const text = environment.bootstrapKey;
  if (credit > 0n || text !== undefined) {
    const key = await firstKey(tools, account.id, text, sandbox ? FIRST_MODEL : undefined);
    if (credit > 0n) Object.assign(secrets, { apiKey: key, model: sandbox ? FIRST_MODEL : undefined });
  }
  // Last: a start that is killed half-way begins anew and still prints its secrets.
  await settings.set(FIRST_PASSWORD_SETTING, digestOf(secrets.operatorPassword), 'startup');
  return secrets;
}

async function firstKey(
  { keys }: StartupTools,
  accountId: string,
  text: string | undefined,
  model: string | undefined,
): Promise<string> {
  const input = { ...optional({ text }), rules: model === undefined ? {} : { default_model: model } };
  return (await keys.create({ accountId, name: 'first key', ...input }, 'startup')).text;
}

/** Replaces a password that was lost or given away. The new one is returned once; only its digest is kept. */
export async function resetOperatorPassword(
  { settings, randomBytes }: Pick<StartupTools, 'settings' | 'randomBytes'>,
  actor: string,
): Promise<string> {
  const password = randomBase62(24, randomBytes);
  await settings.set(FIRST_PASSWORD_SETTING, digestOf(password), actor);
  return password;
}

export function firstPasswordDigest(stored: ReadonlyMap<string, unknown>): string | undefined {
  return storedText(stored.get(FIRST_PASSWORD_SETTING));
}

function storedText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function optional<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
