/**
 * How long a PostgreSQL database of 0.1.0 with many requests takes to upgrade: from the start of today's program until it answers.
 *   node bench/upgrade.mjs [--requests 300000]
 * The database is the fixture of the upgrade tests; one request and its charge are copied under new ids.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { buildIfStale } from '../server/bin/build.mjs';
import { numberOf } from './arguments.mjs';
import { startCommand, stopEverything } from './processes.mjs';
import { servicesInstalled, startServices } from './services.mjs';

const requests = numberOf('--requests', 300_000);
const fixture = fileURLToPath(new URL('../server/test/upgrade/fixtures/0.1.0/', import.meta.url));
const program = fileURLToPath(new URL('../server/bin/run-built.mjs', import.meta.url));

async function columnsOf(client, table) {
  const { rows } = await client.query(
    `select column_name as name from information_schema.columns
     where table_name = $1 and is_generated = 'NEVER' and identity_generation is null order by ordinal_position`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Copies of one charge and its request; the books stay balanced. */
async function fill(client) {
  const { rows } = await client.query(
    `select t.id, t.debit, t.amount::text as amount, t.id as request_id from ledger_transfer t join request_log r on r.id = t.id
     where t.kind = 'charge' limit 1`,
  );
  const [charge] = rows;
  const copy = async (table, id, changed) => {
    const names = await columnsOf(client, table);
    const values = names.map((name) => changed[name] ?? name);
    await client.query(
      `insert into ${table} (${names.join(', ')}) select ${values.join(', ')}
       from ${table}, generate_series(1, $2::integer) as n where id = $1`,
      [id, requests],
    );
  };
  const next = `left(request_log.id, 20) || lpad(n::text, 9, '0')`;
  await copy('request_log', charge.request_id, { id: next });
  const made = `'${charge.request_id.slice(0, 20)}' || lpad(n::text, 9, '0')`;
  await copy('ledger_transfer', charge.id, {
    id: `replace(id, '${charge.request_id}', ${made})`,
    request_id: made,
  });
  const sum = BigInt(charge.amount) * BigInt(requests);
  await client.query('update ledger_account set posted = posted - $1 where id = $2', [String(sum), charge.debit]);
  await client.query(`update ledger_account set posted = posted + $1 where id = 'revenue'`, [String(sum)]);
  await client.query('analyze');
}

if (!servicesInstalled()) throw new Error('PostgreSQL is not installed');
await buildIfStale();
const dataDir = await mkdtemp(join(tmpdir(), 'dargah-bench-upgrade-'));
try {
  const { env } = await startServices();
  const client = new pg.Client(env.DATABASE_URL);
  await client.connect();
  const dump = gunzipSync(readFileSync(join(fixture, 'postgres.sql.gz'))).toString();
  await client.query(dump.replace(/^\\.*$/gm, ''));
  await client.query('set search_path to public');
  await fill(client);
  const { rows } = await client.query('select count(*)::int as count from request_log');
  await client.end();
  const began = performance.now();
  await startCommand(process.execPath, [program], {
    env: {
      DATABASE_URL: env.DATABASE_URL,
      DARGAH_MASTER_KEY: readFileSync(join(fixture, 'master-key'), 'utf8').trim(),
      DARGAH_DATA_DIR: dataDir,
      PORT: '0',
      DARGAH_LOG_LEVEL: 'warn',
    },
    ready: /listens on http:\/\/[^:]+:(\d+)/,
    limitMs: 180_000,
  });
  console.log(
    `${rows[0].count} requests: ${((performance.now() - began) / 1000).toFixed(1)} s from the start to the open port`,
  );
} finally {
  await stopEverything();
  await rm(dataDir, { recursive: true, force: true });
}
