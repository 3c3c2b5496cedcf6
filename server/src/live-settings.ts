/** The operator's settings that may change while the service runs: stored, heard of by every replica, in force at once. */
import type { SettingStore } from './accounts/index.ts';
import type { Settings } from './config/index.ts';
import { GatewayError, invalidRequest } from './core/errors.ts';
import type { Json } from './core/json.ts';
import { type Money, parseToman, toTomanText } from './core/money.ts';
import { reasons } from './core/reasons.ts';
import type { GatewaySettings } from './gateway/index.ts';
import type { LiveSettings, SettingsChange } from './http/index.ts';
import type { Log } from './platform/log.ts';

export interface LiveSettingsOptions {
  store: SettingStore;
  file: Settings;
  /** Read by the request path at every use. */
  inForce: GatewaySettings;
  log: Log;
}

export async function createLiveSettings({ store, file, inForce, log }: LiveSettingsOptions): Promise<LiveSettings> {
  const fixed = (name: string) => file.namedInFile.includes(name);
  const read = async () => {
    const stored = await store.all();
    if (!fixed('wallet_minimum')) inForce.walletMinimum = amountOf(stored.get('wallet_minimum')) ?? file.walletMinimum;
    const charge = stored.get('charge_interrupted');
    if (!fixed('charge_interrupted'))
      inForce.chargeInterrupted = typeof charge === 'boolean' ? charge : file.chargeInterrupted;
    return stored;
  };
  await read();
  store.watch(() => {
    read().catch((error: unknown) => log.warn({ err: error }, 'settings could not be read; the last ones stay'));
  });

  const view = async () => {
    const stored = await read();
    return {
      object: 'settings',
      wallet_minimum: toTomanText(inForce.walletMinimum),
      charge_interrupted: inForce.chargeInterrupted,
      exchange_rate: textOf(stored.get('exchange_rate')),
      margin: textOf(stored.get('margin')),
      fixed_by_file: [...file.namedInFile],
    };
  };
  return {
    view,
    async change(patch, actor) {
      const values = valuesOf(patch);
      for (const [name] of values) if (fixed(name)) throw fixedByFile(name);
      for (const [name, value] of values) await store.set(name, value, actor);
      return view();
    },
  };
}

function valuesOf(patch: SettingsChange): [string, Json][] {
  const values: [string, Json][] = [];
  if (patch.wallet_minimum !== undefined) {
    const amount = amountOf(patch.wallet_minimum);
    if (amount === undefined) throw invalidRequest('wallet_minimum', reasons.mustBe('wallet_minimum', 'toman ≥ 0'));
    values.push(['wallet_minimum', toTomanText(amount)]);
  }
  if (patch.charge_interrupted !== undefined) values.push(['charge_interrupted', patch.charge_interrupted]);
  return values;
}

function amountOf(value: Json | undefined): Money | undefined {
  const amount = typeof value === 'string' || typeof value === 'number' ? parseToman(value) : undefined;
  return amount !== undefined && amount >= 0n ? amount : undefined;
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

function fixedByFile(param: string): GatewayError {
  return new GatewayError('conflict', {
    param,
    reason: reasons.custom(
      'این تنظیم در فایل پیکربندی تعیین شده و فقط همان‌جا تغییر می‌کند.',
      'This setting is in the configuration file and changes only there.',
    ),
  });
}
