/**
 * What everything else needs: the database with its migrations, secrets, the services on it, the catalog, the transport
 * to providers.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  type AccountService,
  createAccountBlocks,
  createAccountNotes,
  createAccountService,
} from '../accounts/index.ts';
import { type CatalogSnapshot, createCatalog } from '../catalog/index.ts';
import type { ConfigFile, ProcessEnvironment } from '../config/index.ts';
import type { Clock } from '../core/clock.ts';
import { parseTrustedJson } from '../core/json.ts';
import { createKeyService, type KeyService, refusingUnknownModels } from '../keys/index.ts';
import { createLedger } from '../ledger/index.ts';
import { createBackground } from '../platform/background.ts';
import { keepToOwner } from '../platform/data-directory.ts';
import {
  type Database,
  migrate,
  openDatabase,
  QueueWatch,
  type StartThread,
  schemaNumber,
  tendTables,
} from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import { createMasterKeys } from '../platform/master-key-rotation.ts';
import {
  digestOf,
  FIRST_PASSWORD_SETTING,
  FirstPassword,
  localOperatorToken,
  OperatorTokens,
} from '../platform/operator-token.ts';
import { openSecretBox, type SecretBox } from '../platform/secrets.ts';
import { createSettingStore, type SettingStore } from '../platform/setting-store.ts';
import { agreeOnMasterKey } from '../platform/shared-master-key.ts';
import { createSandbox, createTransport, type UpstreamTransport, withSigning } from '../platform/upstream/index.ts';
import { firstPasswordDigest, firstStart, resetOperatorPassword, seed } from '../startup.ts';
import { openLogArchive } from './log-archive.ts';

const TEND_TABLES_MS = 60_000;

export interface FoundationOptions {
  environment: ProcessEnvironment;
  config: ConfigFile;
  log: Log;
  clock: Clock;
  registerSecret: (text: string) => void;
  progress: (line: string) => void;
  /**
   * For the command line: uses the database as it is, since its shell may lack the variables the servers were started
   * with, and creates none, since it may have been started in the wrong folder.
   */
  asItIs: boolean | undefined;
  /** See OpenDatabaseOptions. */
  startThread?: StartThread | undefined;
}

/** Every replica has heard of a change within a second. */
const MASTER_KEY_PAUSE_MS = 2_000;

export type Foundation = Awaited<ReturnType<typeof layFoundation>>;

export async function layFoundation(options: FoundationOptions) {
  const { environment, log, clock, progress, startThread } = options;
  const { databaseUrl, dataDir } = environment;
  if (!options.asItIs) await keepToOwner(dataDir, log);
  const db = await openDatabase({ databaseUrl, dataDir, mustExist: options.asItIs, log, clock, progress, startThread });
  try {
    await migrate(db);
    return await layOn(db, options);
  } catch (error) {
    // An open database would keep the process alive, and the command line would never end.
    await db.close();
    throw error;
  }
}

async function layOn(db: Database, options: FoundationOptions) {
  const { environment, config, log, clock, registerSecret, progress } = options;
  const { databaseUrl, dataDir } = environment;
  const secrets = await openSecretBox({ masterKey: await masterKeyOf(environment, db, progress), dataDir });
  const transport = transportOf(options);
  const archive = await openLogArchive(environment, { db, log, clock, registerSecret });
  const ledger = createLedger({ db, clock, archivedCounters: archive?.days.counters });
  const tools = { ...servicesOn(db, options), secrets, ledger, probe: probeWith(transport, clock) };
  const sources = await seed(tools, environment, config, options.asItIs);
  const catalog = catalogOf(options, db, secrets);
  await catalog.reload();
  const { operators, metricsTokens, firstPassword, followMasterKey, followPassword } = operatorSecrets(
    environment,
    tools,
  );
  followMasterKey();
  const masterKeys = createMasterKeys({
    db,
    secrets,
    dataDir,
    source: environment.masterKey !== undefined ? 'environment' : databaseUrl === undefined ? 'file' : 'database',
    onAdopted: followMasterKey,
    pause: () => setTimeout(MASTER_KEY_PAUSE_MS),
  });
  await followPassword();
  const background = createBackground(log);
  tools.settings.watch((key) => {
    if (key === undefined || key === FIRST_PASSWORD_SETTING) background.detach(followPassword(), 'first password');
  });
  const queues = new QueueWatch({ db, clock, background });
  background.every(TEND_TABLES_MS, 'database upkeep', async () => void (await tendTables(db)));
  const sandbox = createSandbox({ clock });
  const ruled = withKnownModels(tools, () => catalog.current());
  return {
    ...ruled,
    tools: ruled,
    environment,
    log,
    registerSecret,
    /** Old days of the request log, where an archive is configured. */
    archive,
    /** The schema version of the database; after a downgrade it is above that of this program. */
    schema: await schemaNumber(db),
    sources,
    /** Called only when the server listens: secrets made for a start that then fails would never be shown. */
    makeFirstSecrets: async () => {
      const made = await firstStart(tools, environment, config.settings.sandbox === true);
      await followPassword();
      return made;
    },
    resetPassword: async (actor: string) => {
      const password = await resetOperatorPassword(tools, actor);
      await followPassword();
      return password;
    },
    catalog,
    operators,
    firstPassword,
    metricsTokens,
    masterKeys,
    transport,
    sandbox,
    background,
    queues,
    async close() {
      await background.drain(0);
      masterKeys.close();
      catalog.close();
      await transport.close();
      await db.close();
    },
  };
}

function servicesOn(db: Database, { clock, config }: FoundationOptions) {
  return {
    db,
    clock,
    randomBytes,
    accounts: createAccountService({ db, clock, randomBytes, defaultCalendar: config.money.calendar }),
    blocks: createAccountBlocks({ db, clock, randomBytes }),
    notes: createAccountNotes({ db, clock, randomBytes }),
    keys: createKeyService({ db, clock, randomBytes }),
    settings: createSettingStore({ db, clock, randomBytes }),
  };
}

function catalogOf({ config, log, clock, registerSecret }: FoundationOptions, db: Database, secrets: SecretBox) {
  const defaultTimeouts = config.settings.timeouts;
  return createCatalog({ db, secrets, clock, log, defaultTimeouts, onSecret: registerSecret, env: process.env });
}

function transportOf({ clock, log, config, environment }: FoundationOptions) {
  const { upstreamClient: client, limits } = config.settings;
  const restMs = limits.streamReadMs;
  const transport = createTransport({ clock, log, client, restMs, environmentEgress: environment.egress });
  return withSigning(transport, { clock, log });
}

/**
 * What opens the operator API and the metrics without a session, and the password of the first start, which opens
 * neither.
 */
function operatorSecrets(
  { operatorToken, metricsToken }: ProcessEnvironment,
  { secrets, settings }: { secrets: SecretBox; settings: SettingStore },
) {
  const tokensOf = (token: string | undefined) => new OperatorTokens(token === undefined ? undefined : digestOf(token));
  const operators = tokensOf(operatorToken);
  const firstPassword = new FirstPassword();
  return {
    operators,
    metricsTokens: tokensOf(metricsToken),
    firstPassword,
    followMasterKey: () => operators.setLocal(digestOf(localOperatorToken(secrets))),
    followPassword: async () => firstPassword.follow(firstPasswordDigest(await settings.atStart())),
  };
}

/** These services check that rules name existing models. */
function withKnownModels<T extends { accounts: AccountService; keys: KeyService }>(
  tools: T,
  known: () => CatalogSnapshot,
): T {
  const { accounts, keys } = tools;
  return {
    ...tools,
    accounts: refusingUnknownModels(accounts, known),
    keys: refusingUnknownModels(keys, known),
  };
}

/** Undefined when the master key is stored beside the embedded database, which no other process opens. */
async function masterKeyOf(
  { masterKey, databaseUrl, dataDir }: ProcessEnvironment,
  db: Database,
  progress: (line: string) => void,
) {
  if (masterKey !== undefined || databaseUrl === undefined) return masterKey;
  progress('DARGAH_MASTER_KEY is not set: the key that protects provider secrets is kept in the database beside them.');
  return agreeOnMasterKey(db, dataDir);
}

function probeWith(transport: UpstreamTransport, clock: Clock) {
  return async (url: string, timeoutMs: number) => {
    const deadlineAtMs = clock.monotonicMs() + timeoutMs;
    const limits = { connectMs: timeoutMs, headersMs: timeoutMs, idleMs: timeoutMs, deadlineAtMs };
    const reply = await transport.send({ pool: `probe:${url}`, url, method: 'GET', headers: {}, ...limits });
    return reply.status === 200 ? parseTrustedJson(await reply.text(1_000_000)) : undefined;
  };
}
