/**
 * Which gateways can be used now. Secrets are stored encrypted and never shown again; a gateway that lacks one does not
 * exist for anybody outside. Replicas are told of changes; the gateways that were built are kept until then.
 */

import { GatewayError } from '../core/errors.ts';
import { isJsonObject, parseTrustedJson } from '../core/json.ts';
import { noSuch } from '../keys/index.ts';
import { createChangeRecorder, difference } from '../platform/audit-log.ts';
import type { Database } from '../platform/db/index.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { PaymentGateway } from './gateway.ts';
import { checkChange, checkMoved, checkOptions, type GatewayChange } from './gateway-options.ts';
import { GATEWAY_KINDS, type GatewayKind, type GatewayTools, type StoredGateway } from './gateways/offered.ts';
import { LOCK_GATEWAYS, STORE_GATEWAY, STORED_GATEWAY, STORED_GATEWAYS } from './payment-setting-rows.ts';
import { paymentReasons } from './reasons.ts';

export interface GatewayView {
  id: string;
  name: GatewayKind['name'];
  enabled: boolean;
  /** True when customers can pay with it. */
  available: boolean;
  secrets: { name: string; set: boolean }[];
  options: Record<string, string>;
}

export interface GatewayDirectory {
  /** Gateways that customers can use: switched on, with all their secrets. */
  available(origin?: string): Promise<PaymentGateway[]>;
  find(id: string, origin?: string): Promise<PaymentGateway | undefined>;
  /** Finds a gateway even when it is switched off, because its orders must still be completed. */
  evenIfOff(id: string): Promise<PaymentGateway | undefined>;
  list(): Promise<GatewayView[]>;
  change(id: string, change: GatewayChange, actor: string): Promise<GatewayView>;
}

export interface GatewayDirectoryOptions extends Omit<GatewayTools, 'db'> {
  db: Database;
  secrets: SecretBox;
  /** When false there is no play bank, whatever is stored of it. */
  sandboxAllowed: boolean;
  /**
   * Whether the play bank is offered by default, which is only where nothing costs real money. The operator may switch
   * it on or off.
   */
  sandboxByDefault(): Promise<boolean>;
}

/** Gateways through which no money moves. All others bring real money, even those that need no secret. */
export const MOVES_NO_MONEY: ReadonlySet<string> = new Set(['gift-code', 'sandbox']);

interface Stored extends StoredGateway {
  enabled: boolean;
}

export function createGatewayDirectory(options: GatewayDirectoryOptions): GatewayDirectory {
  const { db, secrets: box } = options;
  const changed = createChangeRecorder(options, 'payment_gateway');

  const isBarred = ({ id }: GatewayKind) => id === 'sandbox' && !options.sandboxAllowed;

  async function isOn(kind: GatewayKind, all: Map<string, Stored>): Promise<boolean> {
    if (isBarred(kind)) return false;
    const own = all.get(kind.id);
    if (!isComplete(kind, own)) return false;
    if (own) return own.enabled;
    if (kind.id === 'gift-code') return true;
    if (kind.id !== 'sandbox') return false;
    const real = GATEWAY_KINDS.some(({ id }) => !MOVES_NO_MONEY.has(id) && all.get(id)?.enabled === true);
    return !real && (await options.sandboxByDefault());
  }

  const build = (kind: GatewayKind, all: Map<string, Stored>, origin = '') =>
    kind.build(options, all.get(kind.id) ?? { secrets: {}, options: {} }, origin);

  return {
    async available(origin) {
      const all = await readGateways(options);
      const built: PaymentGateway[] = [];
      for (const kind of GATEWAY_KINDS) if (await isOn(kind, all)) built.push(await build(kind, all, origin));
      return built;
    },
    async find(id, origin) {
      const kind = GATEWAY_KINDS.find((one) => one.id === id);
      const all = await readGateways(options);
      return kind && (await isOn(kind, all)) ? build(kind, all, origin) : undefined;
    },
    async evenIfOff(id) {
      const kind = GATEWAY_KINDS.find((one) => one.id === id);
      const all = await readGateways(options);
      return kind && isComplete(kind, all.get(id)) ? build(kind, all) : undefined;
    },
    async list() {
      const all = await readGateways(options);
      const shown = GATEWAY_KINDS.filter((kind) => !isBarred(kind));
      return Promise.all(shown.map(async (kind) => viewOf(kind, all, await isOn(kind, all))));
    },
    async change(id, change, actor) {
      const kind = GATEWAY_KINDS.find((one) => one.id === id) ?? noSuch('gateway', id);
      if (isBarred(kind)) throw new GatewayError('conflict', { reason: paymentReasons.noSandboxBank });
      checkChange(kind, change);
      await db.transaction(async (tx) => {
        await LOCK_GATEWAYS.run(tx);
        const row = await STORED_GATEWAY.first(tx, [id]);
        const secrets = merge(open(box, row?.sealed ?? null), change.secrets);
        const present = texts(row?.options ?? {});
        const merged = merge(present, change.options);
        checkOptions(merged);
        checkMoved(kind, { before: present, after: merged, input: change.secrets, known: secrets });
        const enabled = change.enabled ?? row?.enabled ?? false;
        await STORE_GATEWAY.run(tx, [
          id,
          enabled,
          box.seal(JSON.stringify(secrets)),
          merged,
          new Date(options.clock.now()),
        ]);
        // Only names are recorded, never the secrets themselves.
        const named = Object.keys(change.secrets ?? {});
        await changed(tx, actor, 'payment_gateway.change', id, {
          ...difference({ enabled: row?.enabled ?? false, ...(row?.options ?? {}) }, { enabled, ...merged }),
          secrets: named,
        });
      });
      const all = await readGateways(options);
      return viewOf(kind, all, await isOn(kind, all));
    },
  };
}

async function readGateways({ db, secrets: box }: GatewayDirectoryOptions): Promise<Map<string, Stored>> {
  const found = await STORED_GATEWAYS.rows(db);
  return new Map(
    found.map((row) => [row.id, { enabled: row.enabled, secrets: open(box, row.sealed), options: texts(row.options) }]),
  );
}

function viewOf(kind: GatewayKind, all: Map<string, Stored>, available: boolean): GatewayView {
  const own = all.get(kind.id);
  return {
    id: kind.id,
    name: kind.name,
    enabled: own?.enabled ?? available,
    available,
    secrets: [...kind.secrets, ...(kind.moreSecrets ?? [])].map((name) => ({
      name,
      set: (own?.secrets[name] ?? '') !== '',
    })),
    options: { ...own?.options },
  };
}

function isComplete({ secrets }: GatewayKind, own: Stored | undefined): boolean {
  return secrets.every((name) => (own?.secrets[name] ?? '') !== '');
}

function merge(present: Record<string, string>, change: Record<string, string | null> = {}): Record<string, string> {
  const merged = { ...present };
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete merged[name];
    else merged[name] = value.trim();
  }
  return merged;
}

function open(box: SecretBox, sealed: string | null): Record<string, string> {
  return sealed === null ? {} : texts(parseTrustedJson(box.open(sealed)));
}

function texts(value: unknown): Record<string, string> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
