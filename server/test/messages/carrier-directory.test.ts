/** Carriers that operators enter on the web: sealed, followed at once, beneath what the environment names. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GatewayError } from '../../src/core/errors.ts';
import { createCarrierDirectory, createMessenger, type MessageCarrier } from '../../src/messages/index.ts';
import { createBackground } from '../../src/platform/background.ts';
import { createSecretBox } from '../../src/platform/secrets.ts';
import { openTemporaryDatabase, type TemporaryDatabase } from '../services/embedded-database.ts';
import { recordedLog } from '../services/silent-log.ts';

const SECRET = 'key-that-nobody-may-read';
const message = { channel: 'sms', to: '09120000000', kind: 'code', subject: 's', text: 't', language: 'fa' } as const;
let temporary: TemporaryDatabase;
const built: unknown[] = [];
const carried: string[] = [];
const carrier = (name: string, channel: 'sms' | 'email'): MessageCarrier => ({
  name,
  channel,
  carry: async () => void carried.push(name),
});

beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary?.remove());

let clock = 1_800_000_000_000;
const open = () =>
  createCarrierDirectory({
    db: temporary.db,
    clock: { now: () => clock++, monotonicMs: () => clock },
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    secrets: createSecretBox(Buffer.alloc(32, 7)),
    log: recordedLog(),
    environment: new Map([['smtp', carrier('smtp', 'email')]]),
    build(id, values) {
      built.push({ id, ...values });
      return carrier(id, 'sms');
    },
  });
const refusal = (act: Promise<unknown>) =>
  act.then(
    () => 'taken',
    (error: unknown) => (error instanceof GatewayError ? [error.code, error.options.param ?? null] : error),
  );

it('is used once it is on and complete, without a restart, and its secret is never shown', async () => {
  const directory = await open();
  const log = recordedLog();
  const messenger = createMessenger({ carriers: directory.current, background: createBackground(log), log });
  expect(messenger.can('sms')).toBe(false);
  await directory.change('kavenegar', { enabled: true, secrets: { api_key: SECRET } }, 'staff:one');
  expect(messenger.can('sms')).toBe(false);
  const shown = await directory.change('kavenegar', { options: { template: 'login' } }, 'staff:one');
  expect(shown).toMatchObject({ source: 'database', ready: true, secrets: [{ name: 'api_key', set: true }] });
  expect(built.at(-1)).toMatchObject({ id: 'kavenegar', secrets: { api_key: SECRET }, options: { template: 'login' } });
  expect(await messenger.trial(message)).toEqual([{ carrier: 'kavenegar', failure: null }]);
  const kept = [
    await directory.list(),
    await temporary.db.query('select * from message_carrier'),
    await temporary.db.query('select * from admin_event'),
  ];
  expect(JSON.stringify(kept)).not.toContain(SECRET);
});

it('of another replica hears of it', async () => {
  const other = await open();
  const directory = await open();
  await directory.change('kavenegar', { enabled: false }, 'staff:one');
  await expect.poll(() => other.current().map(({ name }) => name)).toEqual(['smtp']);
  await directory.change('kavenegar', { enabled: true }, 'staff:one');
});

it('of the environment is shown as such and cannot be changed here', async () => {
  const directory = await open();
  const smtp = (await directory.list()).find(({ id }) => id === 'smtp');
  expect(smtp).toMatchObject({ source: 'environment', enabled: true, options: {} });
  expect(await refusal(directory.change('smtp', { enabled: false }, 'staff:one'))).toEqual(['conflict', null]);
});

it.each([
  [
    'sends no key to an address that it was not entered for',
    { options: { origin: 'https://thief.example' } },
    'secrets.api_key',
  ],
  [
    'goes in the clear only within this machine',
    { options: { origin: 'http://sms.example' }, secrets: { api_key: 'k' } },
    'options.origin',
  ],
  ['knows its own fields alone', { options: { url: 'x' } }, 'options.url'],
  ['takes no empty secret', { secrets: { api_key: ' ' } }, 'secrets.api_key'],
])('%s', async (_what, change, param) => {
  const directory = await open();
  expect(await refusal(directory.change('kavenegar', change, 'staff:one'))).toEqual(['invalid_request', param]);
});
