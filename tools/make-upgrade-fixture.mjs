/**
 * Makes server/test/upgrade/fixtures/<version>: what a released version left behind, by that version's own code.
 *   node tools/make-upgrade-fixture.mjs 0.1.0 <commit>
 * Run it with the packages of that version installed (right after its release), and commit what it wrote. It needs PostgreSQL.
 *
 *   program.tar.gz    the version itself, built, with its migrations: the way back is tried with it
 *   embedded.tar.br   a data directory;  postgres.sql.gz  the same rows on PostgreSQL;  master-key  of both
 *   journal/          of a process that was killed: three charges that are in no database, and a request that ran
 *   expected.json     what that version said of its books, log, papers and prices, and how to sign in
 */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import pg from 'pg';
import { ownPackages } from '../server/bin/sources.mjs';
import { OPERATOR_TOKEN, Operator, Program, PUBLIC_URL, until } from './upgrade-fixture/client.mjs';
import { readState } from './upgrade-fixture/expect.mjs';
import { live, MOBILE, PASSWORD, sellLongAgo } from './upgrade-fixture/fill.mjs';
import { NEVER_ENDS, openOutside } from './upgrade-fixture/outside.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const shiftClock = fileURLToPath(new URL('upgrade-fixture/shift-clock.mjs', import.meta.url));
const DAY_MS = 86_400_000;
/** Longer than the log keeps, so that a day of it is dropped. */
const LONG_AGO_MS = -40 * DAY_MS;
/** A data directory has most of its pages three times, megabytes apart. */
const WIDE = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 };
const START_MS = 300_000;
const MAX_BYTES = 2 << 20;
const [version, commit] = process.argv.slice(2);
if (version === undefined || commit === undefined)
  throw new Error('node tools/make-upgrade-fixture.mjs VERSION COMMIT');
const fixture = join(root, 'server/test/upgrade/fixtures', version);

/** Builds a commit into `<folder>/program`; packages are found further up, in this checkout. */
async function buildVersion(folder) {
  const checkout = join(folder, 'checkout');
  execFileSync('git', ['worktree', 'add', '--detach', checkout, commit], { cwd: root, stdio: 'ignore' });
  try {
    const source = join(checkout, 'server/src');
    const workers = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.worker.ts'));
    const options = {
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      packages: 'external',
      // Our own packages as they were at that commit.
      alias: ownPackages(checkout),
      minify: true,
    };
    await build({
      entryPoints: ['main.ts', 'cli.ts', ...workers].map((name) => join(source, name)),
      outdir: join(folder, 'program/dist'),
      entryNames: '[name]',
      loader: { '.lua': 'text', '.md': 'text' },
      logLevel: 'error',
      ...options,
    });
    for (const name of ['migrations', 'fonts'])
      await cp(join(checkout, 'server', name), join(folder, 'program', name), { recursive: true });
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', checkout], { cwd: root });
  }
}

function environmentOf(folder, dataDir, more) {
  const { PATH, HOME } = process.env;
  const own = { PORT: '0', DARGAH_DATA_DIR: dataDir, DARGAH_DISCOVERY: 'off', DARGAH_PUBLIC_URL: PUBLIC_URL };
  return {
    PATH,
    HOME,
    ...own,
    DARGAH_OPERATOR_TOKEN: OPERATOR_TOKEN,
    DARGAH_CONFIG: join(folder, 'config.yaml'),
    ...more,
  };
}

/** Child processes are killed when this process ends, however it ends. */
const children = new Set();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

async function start(folder, dataDir, more = {}) {
  const main = join(folder, 'program/dist/main.js');
  const child = spawn(process.execPath, ['--import', shiftClock, main], {
    env: environmentOf(folder, dataDir, more),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const origin = await until(() => {
    if (child.exitCode !== null) throw new Error(`it ended:\n${output}`);
    return /listens on (http:\/\/\S+)\n/.exec(output)?.[1];
  }, START_MS);
  const end = async (signal) => {
    child.kill(signal);
    await ended;
  };
  return { origin, stop: () => end('SIGTERM'), kill: () => end('SIGKILL'), output: () => output };
}

/** States that no caller can bring an order to: only a process that dies in between leaves them. */
const HALF_WAY = `
insert into payment_order (id, account_id, gateway, amount, vat, units, unit, state, created_by, language, expires_at, created_at, updated_at)
select id || state_now, account_id, gateway, amount, vat, units, unit, state_now, created_by, language, expires_at, created_at, updated_at
from payment_order, (values ('created'), ('paid')) as half(state_now) where id = (select min(id) from payment_order where state = 'credited' and gateway = 'sandbox')`;

/** The log of a database that ended well is of no use any more, and as large as all the rest. */
const FORGET_LOG = ['checkpoint', 'select pg_switch_wal()', 'checkpoint'];

async function changeEmbedded(dataDir, work) {
  const { PGlite } = await import('@electric-sql/pglite');
  const { pg_trgm } = await import('@electric-sql/pglite/contrib/pg_trgm');
  const { vector } = await import('@electric-sql/pglite-pgvector');
  const startParams = [...PGlite.defaultStartParams, '-c', 'wal_recycle=off'];
  const db = await PGlite.create({ dataDir: join(dataDir, 'database'), extensions: { vector, pg_trgm }, startParams });
  await work(db);
  await db.close();
}

async function fill(folder, dataDir, outside) {
  const longAgo = await start(folder, dataDir, { DARGAH_SHIFT_MS: String(LONG_AGO_MS) });
  const sold = await sellLongAgo(longAgo.origin, outside);
  await longAgo.stop();
  const now = await start(folder, dataDir);
  const lived = await live(now.origin, outside, sold);
  // The first proof comes within a minute of the start; version 0.1.0 proves when it is asked.
  await until(async () => (await new Operator(now.origin).get('/api/admin/audit')).ok === true);
  await now.stop();
  await changeEmbedded(dataDir, async (db) => {
    await db.exec(HALF_WAY);
    await db.query(
      `update payment_order set expires_at = now() - interval '1 hour', next_check_at = now() where id = $1`,
      [lived.orders.toExpire],
    );
  });
  // Once more, so that it finds the order that has expired, and settles.
  const again = await start(folder, dataDir);
  const operator = new Operator(again.origin);
  await until(
    async () => (await operator.get(`/api/admin/payments/${lived.orders.toExpire}`)).state === 'expired',
    120_000,
  );
  await again.stop();
  await changeEmbedded(dataDir, async (db) => {
    for (const statement of FORGET_LOG) await db.exec(statement);
  });
  return { ...sold, ...lived };
}

async function emptyTables(query) {
  const tables = await query(`select relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`);
  const empty = [];
  for (const { name } of tables) {
    const [{ filled }] = await query(`select exists (select from ${name}) as filled`);
    if (!filled) empty.push(name);
  }
  return empty;
}

async function openPostgres(folder) {
  const base = '/usr/lib/postgresql';
  const bin = join(base, readdirSync(base).sort().at(-1), 'bin');
  const asOwner = process.getuid() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];
  const run = (...words) =>
    execFileSync([...asOwner, ...words][0], [...asOwner, ...words].slice(1), {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1 << 28,
    });
  const data = join(folder, 'pg');
  if (asOwner.length > 0) execFileSync('chown', ['postgres', folder]);
  run(join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '-N');
  const port = 20_000 + (process.pid % 20_000);
  run(
    join(bin, 'pg_ctl'),
    '-D',
    data,
    '-w',
    '-l',
    join(folder, 'pg.log'),
    '-o',
    `-p ${port} -h 127.0.0.1 -k ${folder} -c fsync=off`,
    'start',
  );
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    dump: () =>
      run(
        join(bin, 'pg_dump'),
        '-h',
        '127.0.0.1',
        '-p',
        String(port),
        '-U',
        'postgres',
        '--no-owner',
        '--no-privileges',
        '--inserts',
        '--rows-per-insert=50',
        'postgres',
      ),
    stop: () => run(join(bin, 'pg_ctl'), '-D', data, '-m', 'fast', 'stop'),
  };
}

/** Charges that the database does not take, because somebody holds a lock, and the kill after them. */
async function dieWithCharges(folder, dataDir, url, filled, more) {
  const server = await start(folder, dataDir, more);
  const state = await readState(server.origin, filled);
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query('begin; lock table ledger_account, request_log in exclusive mode');
  const program = new Program(server.origin, filled.key);
  const charges = [];
  for (let n = 0; n < 3; n++) {
    const { id, status } = await program.chat(`unposted ${n}`);
    if (status !== 200) throw new Error(`a chat was not answered: ${status}`);
    charges.push(id);
  }
  const running = program.chat(NEVER_ENDS).catch(() => undefined);
  const receipts = {};
  for (const id of charges) {
    const { body } = await program.send('GET', `/api/v1/requests/${id}`);
    receipts[id] = { cost: body.cost, state: body.state };
  }
  await new Promise((resolve) => setTimeout(resolve, 500));
  await server.kill();
  await running;
  await holder.query('rollback');
  await holder.end();
  return { state, charges: receipts };
}

async function main() {
  const cache = join(root, 'node_modules/.cache/dargah');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'fixture-'));
  const pgFolder = await mkdtemp(join(tmpdir(), 'dargah-fixture-'));
  const outside = await openOutside();
  try {
    await buildVersion(folder);
    await writeFile(join(folder, 'config.yaml'), 'settings: { log_retention_days: 30 }\n');
    const embedded = join(folder, 'embedded');
    const filled = await fill(folder, embedded, outside);
    const server = await openPostgres(pgFolder);
    try {
      await writeAll(folder, embedded, server, filled);
    } finally {
      server.stop();
    }
  } finally {
    await outside.close();
    await rm(folder, { recursive: true, force: true });
    await rm(pgFolder, { recursive: true, force: true });
  }
}

async function writeAll(folder, embedded, server, filled) {
  const cli = join(folder, 'program/dist/cli.js');
  execFileSync(process.execPath, [cli, 'move', '--to', server.url], {
    env: environmentOf(folder, embedded, {}),
    stdio: 'inherit',
  });
  const masterKey = (await readFile(join(embedded, 'master.key'), 'utf8')).trim();
  const beside = join(folder, 'beside');
  const { state, charges } = await dieWithCharges(folder, beside, server.url, filled, {
    DATABASE_URL: server.url,
    DARGAH_MASTER_KEY: masterKey,
  });
  const client = new pg.Client(server.url);
  await client.connect();
  const empty = await emptyTables(async (sql) => (await client.query(sql)).rows);
  await client.end();
  if (empty.length > 0) console.log(`tables without rows: ${empty.join(', ')}`);
  await rm(fixture, { recursive: true, force: true });
  await mkdir(fixture, { recursive: true });
  await cp(join(beside, 'journal'), join(fixture, 'journal'), {
    recursive: true,
    filter: (path) => !path.endsWith('lock'),
  });
  await writeFile(join(fixture, 'master-key'), `${masterKey}\n`);
  await writeFile(join(fixture, 'postgres.sql.gz'), gzipSync(server.dump(), { level: 9 }));
  await rm(join(folder, 'program/dist/cli.js'));
  await rm(join(embedded, 'server.json'), { force: true });
  archive('program.tar.gz', join(folder, 'program'));
  archive('embedded.tar.br', embedded);
  const { key, person, account, requests, passkey, totp } = filled;
  const secrets = { key, mobile: MOBILE, password: PASSWORD, person: person.person.id, passkey, totp };
  const expected = { version, made_at: Date.now(), secrets, account, requests, charges, ...state };
  await writeFile(join(fixture, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
  for (const name of await readdir(fixture)) {
    const bytes = (await readFile(join(fixture, name)).catch(() => [])).length;
    console.log(`${name}: ${Math.ceil(bytes / 1024)} KiB`);
    if (bytes > MAX_BYTES) throw new Error(`${name} is larger than ${MAX_BYTES} bytes`);
  }
}

function archive(name, folder) {
  execFileSync('tar', ['--owner=0', '--group=0', '--sort=name', '-C', folder, '-cf', join(fixture, 'draft.tar'), '.']);
  const tar = readFileSync(join(fixture, 'draft.tar'));
  writeFileSync(
    join(fixture, name),
    name.endsWith('.gz') ? gzipSync(tar, { level: 9 }) : brotliCompressSync(tar, { params: WIDE }),
  );
  rmSync(join(fixture, 'draft.tar'));
}

await main();
