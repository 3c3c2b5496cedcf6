/**
 * The carriers of messages: those that the environment sets, and those that operators enter on the web. The environment
 * takes precedence: what it names cannot be changed here, and the page says so. Secrets are stored encrypted and never
 * shown again; every replica is told of changes.
 */
import { CARRIERS, type CarrierId } from '@dargah/core/fields/index.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError, invalidRequest } from '../core/errors.ts';
import { expected } from '../core/expected.ts';
import type { RandomBytes } from '../core/ids.ts';
import { isJsonObject, parseTrustedJson } from '../core/json.ts';
import { reasons } from '../core/reasons.ts';
import { createChangeRecorder, difference } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { LOCK_CARRIERS, STORE_CARRIER, STORED_CARRIERS } from './carrier-rows.ts';
import type { MessageCarrier } from './message.ts';

type Texts = Record<string, string>;

export interface CarrierChange {
  enabled?: boolean | undefined;
  /** Only the secrets to change; null deletes one. */
  secrets?: Record<string, string | null> | undefined;
  options?: Record<string, string | null> | undefined;
}

export interface CarrierView {
  id: CarrierId;
  channel: 'sms' | 'email';
  /** `environment`: set there and only there. `none`: not set. */
  source: 'environment' | 'database' | 'none';
  enabled: boolean;
  /** Messages go by it. */
  ready: boolean;
  secrets: { name: string; set: boolean }[];
  options: Texts;
}

export interface CarrierDirectory {
  /** In the order in which they are tried; the same array until something changes. */
  current(): readonly MessageCarrier[];
  list(): Promise<CarrierView[]>;
  change(id: string, change: CarrierChange, actor: string): Promise<CarrierView>;
}

export interface CarrierDirectoryOptions {
  db: Database;
  clock: Clock;
  randomBytes: RandomBytes;
  secrets: SecretBox;
  log: Log;
  /** What the environment names, made already. */
  environment: ReadonlyMap<CarrierId, MessageCarrier>;
  build(id: CarrierId, values: { secrets: Texts; options: Texts }): MessageCarrier;
}

interface Stored {
  enabled: boolean;
  secrets: Texts;
  options: Texts;
}

const IDS = Object.keys(CARRIERS) as CarrierId[];
/** What people are told by, and a subject that settings are heard of by. */
const SUBJECT = 'messenger';

export async function createCarrierDirectory(options: CarrierDirectoryOptions): Promise<CarrierDirectory> {
  const { db, secrets: box, environment } = options;
  const record = createChangeRecorder(options, 'setting');
  let carriers: readonly MessageCarrier[] = [];

  const read = async () => {
    const all = await readCarriers(db, box);
    carriers = IDS.flatMap((id) => {
      const own = environment.get(id);
      if (own) return [own];
      const stored = all.get(id);
      return stored?.enabled && isComplete(id, stored) ? [options.build(id, stored)] : [];
    });
    return all;
  };
  await read();
  const again = () =>
    void read().catch((error: unknown) => options.log.warn({ err: error }, 'carriers of messages could not be read'));
  db.subscribe('setting', (key) => key === SUBJECT && again(), again);

  const view = (id: CarrierId, all: ReadonlyMap<string, Stored>): CarrierView => {
    const stored = all.get(id);
    const isGiven = environment.has(id);
    return {
      id,
      channel: CARRIERS[id].channel,
      source: isGiven ? 'environment' : stored ? 'database' : 'none',
      enabled: isGiven || stored?.enabled === true,
      ready: isGiven || (stored?.enabled === true && isComplete(id, stored)),
      secrets: Object.keys(CARRIERS[id].secrets).map((name) => ({
        name,
        set: isGiven || (stored?.secrets[name] ?? '') !== '',
      })),
      options: isGiven ? {} : { ...stored?.options },
    };
  };

  return {
    current: () => carriers,
    async list() {
      const all = await read();
      return IDS.map((id) => view(id, all));
    },
    async change(name, change, actor) {
      const id = IDS.find((one) => one === name);
      if (id === undefined) throw new GatewayError('not_found');
      if (environment.has(id)) throw new GatewayError('conflict', { reason: SET_OUTSIDE });
      checkNames(id, change);
      await db.transaction(async (tx) => {
        await LOCK_CARRIERS.run(tx);
        const before = (await readCarriers(tx, box)).get(id) ?? { enabled: false, secrets: {}, options: {} };
        const after = {
          enabled: change.enabled ?? before.enabled,
          secrets: merge(before.secrets, change.secrets),
          options: merge(before.options, change.options),
        };
        checkValues(id, before, after, change);
        await STORE_CARRIER.run(tx, [
          id,
          after.enabled,
          box.seal(JSON.stringify(after.secrets)),
          after.options,
          new Date(options.clock.now()),
        ]);
        // Names, never the secrets themselves.
        await record(tx, actor, 'messenger.change', SUBJECT, {
          carrier: id,
          ...difference({ enabled: before.enabled, ...before.options }, { enabled: after.enabled, ...after.options }),
          secrets: Object.keys(change.secrets ?? {}),
        });
      });
      return view(id, await read());
    },
  };
}

function checkNames(id: CarrierId, { secrets = {}, options = {} }: CarrierChange): void {
  for (const [group, allowed, values] of [
    ['secrets', CARRIERS[id].secrets, secrets],
    ['options', CARRIERS[id].options, options],
  ] as const)
    for (const [field, value] of Object.entries(values)) {
      const declared = (allowed as Record<string, { maxLength: number }>)[field];
      if (declared === undefined) throw invalidRequest(`${group}.${field}`, reasons.oneOf(group, Object.keys(allowed)));
      if (value !== null && (value.trim() === '' || value.length > declared.maxLength))
        throw invalidRequest(`${group}.${field}`, reasons.mustBe(field, expected.textBetween(1, declared.maxLength)));
    }
}

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[::1\])$/;

function checkValues(id: CarrierId, before: Stored, after: Stored, change: CarrierChange): void {
  const { origin, template_id: template } = after.options;
  if (origin !== undefined && !isSafeOrigin(origin))
    throw invalidRequest('options.origin', reasons.mustBe('origin', expected.httpsAddress));
  // A key goes to the address that it was entered for: whoever names another address must have the key.
  if (origin !== before.options['origin'])
    for (const name of Object.keys(after.secrets))
      if (typeof change.secrets?.[name] !== 'string') throw invalidRequest(`secrets.${name}`, reasons.required(name));
  if (id === 'sms.ir' && template !== undefined && !/^\d{1,12}$/.test(template))
    throw invalidRequest('options.template_id', reasons.mustBe('template_id', expected.integer));
  const url = after.secrets['url'];
  if (id === 'smtp' && url !== undefined && !isSmtp(url))
    throw invalidRequest('secrets.url', reasons.mustBe('url', expected.exactly('smtps://…')));
}

function isSafeOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname)));
}

function isSmtp(text: string): boolean {
  return URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol);
}

function isComplete(id: CarrierId, { secrets, options }: Stored): boolean {
  return (
    Object.keys(CARRIERS[id].secrets).every((name) => (secrets[name] ?? '') !== '') &&
    CARRIERS[id].needed.every((name) => (options[name] ?? '') !== '')
  );
}

async function readCarriers(db: Pick<Database, 'query'>, box: SecretBox): Promise<Map<string, Stored>> {
  const rows = await STORED_CARRIERS.rows(db);
  return new Map(
    rows.map(({ id, enabled, sealed, options }) => [
      id,
      { enabled, secrets: sealed === null ? {} : texts(parseTrustedJson(box.open(sealed))), options: texts(options) },
    ]),
  );
}

function merge(present: Texts, change: Record<string, string | null> = {}): Texts {
  const merged = { ...present };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete merged[name];
    else merged[name] = value.trim();
  }
  return merged;
}

function texts(value: unknown): Texts {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const SET_OUTSIDE = {
  fa: 'این پیام‌رسان در محیط برنامه تنظیم شده و فقط همان‌جا تغییر می‌کند.',
  en: 'This carrier is set in the environment of the process and changes only there.',
};
