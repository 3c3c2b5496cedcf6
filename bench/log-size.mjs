/**
 * npm run bench:log-size -- [--chats 20000] [--show]
 *
 * What a request takes on PostgreSQL: after so many small chats, bytes a request of every table that grew, apart by heap, indexes
 * and TOAST. `--show` prints one row of the log as it is stored.
 */
import pg from 'pg';
import { numberOf } from './arguments.mjs';
import { startGateway } from './gateway.mjs';
import { drive } from './measure.mjs';
import { start, stopEverything } from './processes.mjs';
import { table } from './report.mjs';
import { startServices } from './services.mjs';
import { WORKLOADS } from './workloads.mjs';

const chats = numberOf('--chats', 20_000);
/** As long as those that the console makes. */
const LIKE_REAL = { account: 'acc_1M7PYTHDGHWGP5W1SZAQRSS0B', key: 'key_1M7PYTHD2FJJV7H6S3ZP8Q9B4' };
const SIZES = `select regexp_replace(c.relname, '_(\\d{4}_\\d\\d_\\d\\d|\\d{8}|p?\\d{4}.*|default)$', '') as name,
  sum(pg_relation_size(c.oid))::float8 as heap, sum(pg_indexes_size(c.oid))::float8 as indexes,
  sum(coalesce(pg_total_relation_size(c.reltoastrelid), 0))::float8 as toast
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname = 'public' group by 1`;
const INDEXES = `select regexp_replace(i.relname, '\\d{4}.*\\d\\d_?', '') as name, sum(pg_relation_size(i.oid))::float8 as bytes
  from pg_class i where i.relkind = 'i' and i.relname like 'request_log%' group by 1 having sum(pg_relation_size(i.oid)) > 100000 order by 2 desc`;

try {
  const services = await startServices();
  const upstream = await start('upstream.mjs');
  const gateway = await startGateway({ name: 'this', upstreamPort: upstream.port, env: services.env, ids: LIKE_REAL });
  const client = new pg.Client(services.env.DATABASE_URL);
  await client.connect();
  const sizes = async () => new Map((await client.query(SIZES)).rows.map((row) => [row.name, row]));
  const before = await sizes();
  await drive(gateway, WORKLOADS[0], { requests: chats, warmup: 0, concurrency: 16 });
  await gateway.idle();
  await client.query('vacuum');
  const rows = [];
  for (const [name, now] of await sizes()) {
    const was = before.get(name) ?? { heap: 0, indexes: 0, toast: 0 };
    const grown = ['heap', 'indexes', 'toast'].map((part) => (now[part] - was[part]) / chats);
    if (grown[0] + grown[1] + grown[2] >= 1) rows.push([name, ...grown]);
  }
  rows.sort((a, b) => b[1] + b[2] - a[1] - a[2]);
  const all = rows.flatMap((row) => row.slice(1)).reduce((a, b) => a + b, 0);
  console.log(`${chats} small chats, bytes a request: ${all.toFixed(0)}`);
  console.log(
    table(
      ['table', 'heap', 'indexes', 'TOAST'],
      rows.map(([name, ...bytes]) => [name, ...bytes.map((n) => n.toFixed(1))]),
    ),
  );
  for (const { name, bytes } of (await client.query(INDEXES)).rows)
    console.log(`  ${name} ${(bytes / chats).toFixed(1)}`);
  if (process.argv.includes('--show')) {
    const { rows: shown } = await client.query('select * from request_log order by id desc limit 1');
    const widths = await client.query(
      `select ${Object.keys(shown[0])
        .map((name) => `avg(pg_column_size(${name}))::float8 as ${name}`)
        .join(', ')} from request_log`,
    );
    for (const [name, value] of Object.entries(shown[0]))
      console.log(
        `  ${name.padEnd(16)} ${(widths.rows[0][name] ?? 0).toFixed(1).padStart(6)}  ${value instanceof Date ? value.toISOString() : value}`,
      );
  }
  await client.end();
} finally {
  await stopEverything();
}
