/**
 * What all files of the services tier share: one PostgreSQL server with a migrated database to clone, and one Chromium. A file
 * that stops or crashes its server starts one of its own (services/postgres.ts).
 */
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { systemClock } from '../../src/core/clock.ts';
import { migrate, openDatabase } from '../../src/platform/db/index.ts';
import { type PostgresService, postgresInstalled, startPostgres, TEMPLATE } from '../services/postgres.ts';
import { recordedLog } from '../services/silent-log.ts';
import { CHROMIUM } from '../web/chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the shared PostgreSQL server; empty where none is installed. */
    sharedPostgres: string;
    /** Where the shared Chromium listens; empty where none is installed. */
    sharedChromium: string;
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const [postgres, browser] = await Promise.all([startSharedPostgres(), startSharedChromium()]);
  project.provide('sharedPostgres', postgres?.url ?? '');
  project.provide('sharedChromium', browser?.wsEndpoint() ?? '');
  return async () => {
    await Promise.all([postgres?.remove(), browser?.close()]);
  };
}

async function startSharedPostgres(): Promise<PostgresService | undefined> {
  if (!postgresInstalled()) return undefined;
  const service = await startPostgres();
  const databaseUrl = await service.createDatabase(TEMPLATE);
  const db = await openDatabase({ databaseUrl, dataDir: '', log: recordedLog(), clock: systemClock });
  await migrate(db);
  await db.close();
  return service;
}

async function startSharedChromium(): Promise<BrowserServer | undefined> {
  if (CHROMIUM === undefined) return undefined;
  return chromium.launchServer({
    executablePath: CHROMIUM,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}
