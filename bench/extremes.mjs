/** What the comparison does not show: start, memory after many requests, thousands of open streams, posting, a full database. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownPackages } from '../server/bin/sources.mjs';
import { KEY, startGateway } from './gateway.mjs';
import { drive, measure } from './measure.mjs';
import { rssMb } from './processes.mjs';
import { WORKLOADS } from './workloads.mjs';

const [SMALL] = WORKLOADS;
/** As the fake provider understands it: a token every 4 ms, five of them. */
export const PACED = 'slow-4x5';
const STREAMS_IN_TURN = 10;
const ask = (port, workload) =>
  fetch(`http://127.0.0.1:${port}${workload.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: workload.body,
  });

/** From the start of the process to the first answer of a model, on a new data directory and on an existing one. */
export async function startTimes(upstreamPort) {
  const dataDir = await mkdtemp(join(tmpdir(), 'dargah-bench-start-'));
  const times = [];
  try {
    for (let i = 0; i < 2; i++) {
      const begun = performance.now();
      const gateway = await startGateway({ name: 'start', upstreamPort, dataDir });
      const reply = await ask(gateway.port, SMALL);
      if (reply.status !== 200) throw new Error(`the first answer was ${reply.status}`);
      times.push((performance.now() - begun) / 1000);
      await gateway.stop({ keepData: true });
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
  return { firstRunSeconds: times[0], existingSeconds: times[1] };
}

/** Memory is flat when the second half of the requests adds nothing. */
export async function memoryAfter(gateway, requests) {
  const half = Math.ceil(requests / 2);
  await drive(gateway, SMALL, { requests: 0, warmup: half, concurrency: 16 });
  await gateway.idle();
  const halfwayMb = rssMb(gateway.pids);
  await drive(gateway, SMALL, { requests: 0, warmup: half, concurrency: 16 });
  await gateway.idle();
  return { requests, halfwayMb, endMb: rssMb(gateway.pids) };
}

/** Many clients that read an answer of 200 chunks slowly; each must get all of it. */
export async function slowStreams(gateway, streams) {
  const before = rssMb(gateway.pids);
  const body = JSON.stringify({ ...JSON.parse(SMALL.body), model: 'bench/slow-250', stream: true, max_tokens: 300 });
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, rssMb(gateway.pids));
  }, 1_000);
  try {
    // Every connection asks once; the load generator fails when one answer is not complete.
    await drive(gateway, { ...SMALL, body }, { requests: streams, warmup: 0, concurrency: streams });
  } finally {
    clearInterval(timer);
  }
  return { streams, kbPerStream: ((most - before) * 1024) / streams };
}

/** The poster's statement alone, on the embedded database or on PostgreSQL. */
export async function postingSpeed(rows, databaseUrl) {
  const esbuild = fileURLToPath(new URL('../node_modules/.bin/esbuild', import.meta.url));
  const source = fileURLToPath(new URL('posting.ts', import.meta.url));
  // Beside the built server, where the database's thread is found.
  const script = fileURLToPath(new URL('../server/dist/bench-posting.mjs', import.meta.url));
  const own = Object.entries(ownPackages(fileURLToPath(new URL('..', import.meta.url))));
  const options = ['--bundle', '--platform=node', '--format=esm', '--packages=external', '--log-level=error'];
  const aliases = own.map(([name, folder]) => `--alias:${name}=${folder}`);
  execFileSync(esbuild, [source, ...options, ...aliases, `--outfile=${script}`]);
  const dataDir = await mkdtemp(join(tmpdir(), 'dargah-bench-posting-'));
  try {
    const args = [script, dataDir, String(rows), '500', ...(databaseUrl ? [databaseUrl] : [])];
    const found = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout: 600_000 }));
    // The processor time of a database server is not visible from this process, so it is left out rather than half
    // reported.
    if (databaseUrl) delete found.cpuUsPerRow;
    return found;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
    await rm(script, { force: true });
  }
}

/**
 * What the gateway adds to the first token of a stream that comes as a model's would: one caller, a token every 4 ms, one stream
 * through the yardstick and one through the gateway in turn.
 */
export async function firstTokenAdded(yardstick, gateway, samples) {
  const { path, body, firstToken } = WORKLOADS.find(({ stream }) => stream);
  const paced = (server, model) => ({
    server,
    workload: { path, firstToken, body: body.replace('bench/chat', model) },
  });
  const sides = [paced(yardstick, PACED), paced(gateway, `bench/${PACED}`)];
  const terms = { requests: 1, warmup: 0, concurrency: 1 };
  for (const { server, workload } of sides) await drive(server, workload, { ...terms, requests: 0, warmup: 400 });
  const times = sides.map(() => []);
  for (let round = 0; round < samples / STREAMS_IN_TURN; round++) {
    for (const [side, { server, workload }] of sides.entries()) {
      const { firstP50 } = await drive(server, workload, { ...terms, requests: STREAMS_IN_TURN, warmup: 3 });
      times[side].push(firstP50);
    }
  }
  const [bare, ours] = times.map((all) => all.sort((a, b) => a - b)[all.length >> 1]);
  return { bareMs: bare, gatewayMs: ours, addedMs: ours - bare };
}

/** Cost per request in a database with many keys and log rows against an empty one; both on PostgreSQL. */
export async function fullDatabase({ upstreamPort, services, keys, rows, requests }) {
  const empty = await startGateway({ name: 'empty', upstreamPort, env: services.env, extraPids: services.pids });
  const terms = { requests, concurrency: 16, warmup: requests };
  const before = await measure(empty, SMALL, terms);
  await empty.stop();
  await fill(services.env.DATABASE_URL, keys, rows);
  const full = await startGateway({ name: 'full', upstreamPort, env: services.env, extraPids: services.pids });
  const after = await measure(full, SMALL, terms);
  await full.stop();
  return { keys, rows, emptyCpuUs: before.cpuUs, fullCpuUs: after.cpuUs, ratio: after.cpuUs / before.cpuUs };
}

async function fill(databaseUrl, keys, rows) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows: columns } = await client.query(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns where table_name = 'api_key' and column_name not in ('id', 'digest')`,
  );
  const names = columns[0].names;
  await client.query(
    `insert into api_key (id, digest, ${names}) select 'filler-' || n, sha256(convert_to('filler-' || n, 'UTF8')), ${names}
     from api_key cross join generate_series(1, $1::int) n where api_key.id = 'main'`,
    [keys],
  );
  const { rows: logColumns } = await client.query(
    `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns where table_name = 'request_log' and column_name not in ('id')`,
  );
  const logNames = logColumns[0].names;
  for (let done = 0; done < rows; done += 100_000) {
    await client.query(
      `insert into request_log (id, ${logNames}) select 'req_0FILLER' || lpad(($1::bigint + n)::text, 14, '0'), ${logNames}
       from (select * from request_log where state = 'completed' limit 1) sample cross join generate_series(1, $2::int) n`,
      [done, Math.min(100_000, rows - done)],
    );
  }
  await client.query('analyze');
  await client.end();
}
