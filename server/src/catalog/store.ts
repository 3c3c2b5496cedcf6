/**
 * The catalog in memory. `current()` is what every request reads: synchronous, immutable, replaced whole. Changes arrive on
 * the topic `catalog`; while the database cannot be reached, the last snapshot stays.
 */

import type { Clock } from '../core/clock.ts';
import { secretPartsOf } from '../core/cloud-credentials.ts';
import type { Database } from '../platform/db/index.ts';
import type { Log } from '../platform/log.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { EgressTerms } from '../platform/upstream/index.ts';
import { buildSnapshot, EMPTY_SNAPSHOT } from './build-snapshot.ts';
import type { CredentialRow, ProviderRow } from './catalog-rows.ts';
import { isVendorAddress } from './data-policy.ts';
import type { CatalogSnapshot, Credential, Timeouts } from './model.ts';
import { egressPasswords, egressTerms, openEgress, USUAL_EGRESS } from './provider-egress.ts';
import { type CatalogRows, readCatalogRows } from './read-catalog.ts';
import type { Environment } from './seed/vendor-address.ts';

export interface Catalog {
  current(): CatalogSnapshot;
  /** Reads the database now; throws when it cannot. Start-up awaits it once, before the first request. */
  reload(): Promise<void>;
  close(): void;
}

export interface CatalogOptions {
  db: Database;
  secrets: SecretBox;
  clock: Clock;
  log: Log;
  defaultTimeouts: Timeouts;
  /** Called with every secret that is decrypted, also later, because log lines must never contain one. */
  onSecret?: (secret: string) => void;
  /** The environment's addresses of vendors. */
  env?: Environment;
}

/** Pause between attempts while the database is away. */
const RETRY_MS = 1000;

export function createCatalog(options: CatalogOptions): Catalog {
  const { db, secrets, clock, log, defaultTimeouts, env = {} } = options;
  const isOwnAddress = (vendor: string, address: string) => isVendorAddress(vendor, address, env);
  let rows: CatalogRows | undefined;
  let credentials: ReadonlyMap<string, Credential[]> = new Map();
  let egresses: ReadonlyMap<string, EgressTerms> = new Map();
  let snapshot = EMPTY_SNAPSHOT;
  let nextChangeAtMs: number | undefined;
  let running: Promise<void> | undefined;
  let changedMeanwhile = false;
  let retry: NodeJS.Timeout | undefined;
  let closed = false;

  const rebuild = () => {
    if (!rows) return;
    ({ snapshot, nextChangeAtMs } = buildSnapshot(rows, {
      nowMs: clock.now(),
      defaultTimeouts,
      credentials,
      egresses,
      isOwnAddress,
    }));
  };

  const read = async () => {
    const fresh = await readCatalogRows(db, clock.now());
    credentials = openCredentials(fresh.credentials, secrets, log);
    for (const { secret } of [...credentials.values()].flat())
      for (const part of secretPartsOf(secret)) options.onSecret?.(part);
    egresses = openEgresses(fresh.providers, secrets, log);
    for (const password of egressPasswords([...egresses.values()])) options.onSecret?.(password);
    rows = fresh;
    rebuild();
  };

  /** One read at a time; a change that arrives during it causes one more, however many there were. */
  const reload = (): Promise<void> => {
    if (running) {
      changedMeanwhile = true;
      return running;
    }
    running = (async () => {
      do {
        changedMeanwhile = false;
        await read();
      } while (changedMeanwhile && !closed);
    })().finally(() => {
      running = undefined;
    });
    return running;
  };

  const reloadOrRetry = () => {
    if (closed) return;
    clearTimeout(retry);
    reload().catch((error: unknown) => {
      log.warn({ error }, 'catalog could not be read; the last one stays in use');
      if (!closed) retry = setTimeout(reloadOrRetry, RETRY_MS).unref();
    });
  };

  const unsubscribe = db.subscribe('catalog', reloadOrRetry, reloadOrRetry);
  return {
    current() {
      if (nextChangeAtMs !== undefined && clock.now() >= nextChangeAtMs) rebuild();
      return snapshot;
    },
    reload,
    close() {
      closed = true;
      clearTimeout(retry);
      unsubscribe();
    },
  };
}

/**
 * A secret that cannot be decrypted (another master key) leaves its provider without it; the others must keep working.
 */
function openCredentials(rows: CredentialRow[], secrets: SecretBox, log: Log): Map<string, Credential[]> {
  const opened = new Map<string, Credential[]>();
  for (const row of rows) {
    try {
      const secret = secrets.open(row.sealed);
      opened.set(row.provider_id, [...(opened.get(row.provider_id) ?? []), { id: row.id, secret }]);
    } catch {
      log.error(
        { provider: row.provider_id, credential: row.id },
        'a provider secret cannot be opened with this master key; set it again',
      );
    }
  }
  return opened;
}

/**
 * An egress that cannot be decrypted is left out: its provider then uses the one that the environment names, and the
 * log says so.
 */
function openEgresses(rows: ProviderRow[], secrets: SecretBox, log: Log): Map<string, EgressTerms> {
  const opened = new Map<string, EgressTerms>();
  for (const row of rows) {
    try {
      opened.set(row.id, egressTerms(openEgress(row.egress, secrets)));
    } catch {
      opened.set(row.id, egressTerms(USUAL_EGRESS));
      log.error(
        { provider: row.id },
        'the ways out of a provider cannot be opened with this master key; set them again',
      );
    }
  }
  return opened;
}
