/**
 * What a test file needs decides when it runs, and what it needs is read off its imports, so that no list can grow old:
 *
 *   fast      pure code: no database, no server, no other process
 *   gateway   the embedded database, gateways and fake vendors in the test's own process; nothing must be installed
 *   services  PostgreSQL, Redis, Chromium, proxies, other programs and versions of Node, several processes beside each other
 *
 * A file that belongs elsewhere says so in its first comment: `@tier services` when it walks through every route,
 * searches or evaluates, or takes longer than 20 seconds; `@tier gateway` when the processes it starts are small. One that measures its
 * process or replaces a module of Node says `@process own`; all others share one process per worker, because to load the gateway's modules
 * anew costs each file more than most of them take to run.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const TIERS = ['fast', 'gateway', 'services'] as const;
export type Tier = (typeof TIERS)[number];

export interface TestFile {
  /** Relative to the repository. */
  path: string;
  tiers: Tier[];
  ownProcess: boolean;
}

const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** Modules of the tests that bring a program of the system. */
const SERVICES = /\/(services\/(postgres|redis|nginx|caddy|programs|nodes)|web\/browser)\.ts$/;
const STARTS_PROCESSES = /from 'node:child_process'/;
/** Modules of the tests or the server that open a database or listen. */
const GATEWAY =
  /\/(test\/(harness\/start-gateway|services\/embedded-database|fake-vendor\/.*|fake-bank\/.*)|src\/wiring)\.ts$/;
const OPENS_CONNECTIONS = /from 'node:(http|https|http2|net|tls|dgram|worker_threads)'|from 'fastify'/;
/** A suite that runs on both databases: on the embedded one with the gateways, on PostgreSQL with the services. */
const BOTH_DATABASES = '/services/both-databases.ts';

export function testFiles(): TestFile[] {
  return ['server/test', 'server/packages', 'web/test', 'packages']
    .filter((folder) => existsSync(join(repository, folder)))
    .flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.test\.tsx?$/.test(path) && !path.includes('node_modules'))
    .map(classify);
}

function classify(path: string): TestFile {
  const own = readText(join(repository, path));
  const reached = [...reachedFrom(join(repository, path))];
  const named = /@tier (fast|gateway|services)\b/.exec(own)?.[1] as Tier | undefined;
  return {
    path: relative(repository, join(repository, path)),
    tiers: named ? [named] : needed(reached),
    ownProcess: /@process own\b/.test(own),
  };
}

function needed(reached: string[]): Tier[] {
  if (reached.some((path) => path.endsWith(BOTH_DATABASES))) return ['gateway', 'services'];
  const ofTests = reached.filter((path) => !path.includes('/src/'));
  if (reached.some((path) => SERVICES.test(path)) || ofTests.some((path) => STARTS_PROCESSES.test(readText(path))))
    return ['services'];
  if (reached.some((path) => GATEWAY.test(path)) || ofTests.some((path) => OPENS_CONNECTIONS.test(readText(path))))
    return ['gateway'];
  return ['fast'];
}

/** The test's own modules, however far away, and the first of the server's. */
function reachedFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path) || !existsSync(path)) return seen;
  seen.add(path);
  if (path.includes('/src/')) return seen;
  for (const [, target] of readText(path).matchAll(/^(?:import|export)\s(?:[^'";]*?from\s)?'(\.[^']+)'/gm))
    if (target !== undefined) reachedFrom(resolve(dirname(path), target), seen);
  return seen;
}

const texts = new Map<string, string>();

function readText(path: string): string {
  const known = texts.get(path) ?? readFileSync(path, 'utf8');
  texts.set(path, known);
  return known;
}
