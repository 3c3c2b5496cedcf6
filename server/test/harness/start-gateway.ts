/**
 * A whole gateway in this process: the real wiring on a real port, an embedded database in a temporary directory, a fake
 * vendor on loopback as its provider. Tests talk to it as customers do, over HTTP.
 */
import { rm } from 'node:fs/promises';
import { stringify } from 'yaml';
import { NO_FILE, readConfig, readEnvironment } from '../../src/config/index.ts';
import type { Clock } from '../../src/core/clock.ts';
import { type Service, wire } from '../../src/wiring.ts';
import { type FakeVendor, startFakeVendor } from '../fake-vendor/index.ts';
import { LITTLE_WORK } from '../people/quick-passwords.ts';
import { preparedDataDirectory } from '../services/embedded-database.ts';
import { keepDatabaseFiles, startReusedThread } from '../services/reused-database.ts';
import { type RecordedLog, recordedLog } from '../services/silent-log.ts';
import { defaultConfig } from './default-config.ts';
import { chooseOwnPassword } from './own-password.ts';
import { switches } from './switches.ts';

export interface TestGateway {
  /** `http://127.0.0.1:<port>` */
  origin: string;
  baseUrl: string;
  vendor: FakeVendor;
  service: Service;
  log: RecordedLog;
  dataDir: string;
  key: string;
  /** DARGAH_OPERATOR_TOKEN. */
  operatorToken: string;
  /** The operator's password of the first start; empty on a later one. It signs in, and must then be replaced. */
  firstPassword: string;
  /** The password that the operator has chosen instead, which opens the console. */
  ownPassword(): Promise<string>;
  fetch(path: string, init?: RequestInit & { key?: string | null }): Promise<Response>;
  chat(body: object, init?: RequestInit & { key?: string | null }): Promise<Response>;
  admin(method: string, path: string, body?: object): Promise<Response>;
  /** Stops it and removes its data, unless `keepData`. */
  stop(options?: { keepData?: boolean }): Promise<void>;
}

export interface StartOptions {
  /** Merged over the default configuration, section by section. */
  config?: Record<string, unknown>;
  /** Variables of the gateway; keys of vendors are read from `process.env` (vi.stubEnv). */
  env?: Record<string, string>;
  dataDir?: string;
  vendor?: FakeVendor;
  clock?: Clock;
}

export const TEST_KEY = 'dg-test-main';
const TEST_OPERATOR_TOKEN = 'operator-token-of-the-tests';

export async function startGateway(options: StartOptions = {}): Promise<TestGateway> {
  const vendor = options.vendor ?? (await startFakeVendor());
  const dataDir = options.dataDir ?? (await preparedDataDirectory());
  const env: Record<string, string> = {
    DARGAH_DATA_DIR: dataDir,
    DARGAH_DISCOVERY: 'off',
    DARGAH_OPERATOR_TOKEN: TEST_OPERATOR_TOKEN,
    ...switches(),
    ...options.env,
  };
  const { environment, mistakes } = readEnvironment(env);
  const base = defaultConfig(vendor);
  const settings = { ...(base['settings'] as object), ...(options.config?.['settings'] as object | undefined) };
  const text = stringify({ ...base, ...options.config, settings });
  const config = options.config === null ? NO_FILE : readConfig(text, env);
  const found = [...mistakes, ...config.mistakes];
  if (found.length > 0) throw new Error(`the test's configuration is wrong: ${JSON.stringify(found)}`);
  const log = recordedLog();
  const service = await wire({
    environment,
    config,
    log,
    registerSecret: () => undefined,
    progress: () => undefined,
    passwordWork: LITTLE_WORK,
    startThread: startReusedThread,
    ...(options.clock ? { clock: options.clock } : {}),
  });
  const origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const firstPassword = (await service.open()).operatorPassword ?? '';
  const operatorToken = env['DARGAH_OPERATOR_TOKEN'] ?? '';
  let ownPassword: Promise<string> | undefined;

  const send = (path: string, init: RequestInit & { key?: string | null } = {}) => {
    const { key = TEST_KEY, headers, ...rest } = init;
    const all = new Headers(headers);
    if (key !== null && !all.has('authorization') && !all.has('x-api-key')) all.set('authorization', `Bearer ${key}`);
    return fetch(origin + path, { ...rest, headers: all });
  };
  const post = (path: string, body: object, init: RequestInit & { key?: string | null } = {}) =>
    send(path, {
      ...init,
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
    });

  return {
    origin,
    baseUrl: `${origin}/api/v1`,
    vendor,
    service,
    log,
    dataDir,
    key: TEST_KEY,
    operatorToken,
    firstPassword,
    ownPassword() {
      ownPassword ??= chooseOwnPassword(origin, firstPassword);
      return ownPassword;
    },
    fetch: send,
    chat: (body, init) => post('/api/v1/chat/completions', body, init),
    admin: (method, path, body) =>
      fetch(origin + path, {
        method,
        headers: { authorization: `Bearer ${operatorToken}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    async stop({ keepData = false } = {}) {
      if (keepData) keepDatabaseFiles(dataDir);
      await service.stop();
      if (!options.vendor) await vendor.close();
      if (!keepData) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
