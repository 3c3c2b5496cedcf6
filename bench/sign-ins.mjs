/**
 * What chat notices of people who sign in: its latency alone, and while a thousand sign in with a password at once, in turns.
 * Passwords are hashed on one thread of their own, so on a machine with a core to spare chat should notice nothing.
 *   npm run bench:sign-ins [-- rounds requests lanes]
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from '../server/bin/build.mjs';
import { startGateway } from './gateway.mjs';
import { drive, medianOf } from './measure.mjs';
import { start, stopEverything } from './processes.mjs';
import { WORKLOADS } from './workloads.mjs';

const [rounds = 3, requests = 2_000, lanes = 1_000] = process.argv.slice(2).map(Number);
const CONCURRENCY = 4;
const SETTLE_MS = 3_000;
/** One person may have ten guesses open at once; the places to wait are more. */
const PEOPLE = Array.from({ length: 8 }, (_, n) => `0912000000${n}`);
const PASSWORD = 'correct horse battery';
const token = randomBytes(24).toString('hex');
const [chat] = WORKLOADS;

/** A person with a password, made as everybody is made: by a code from the outbox. */
async function makePerson(origin, to) {
  const send = async (method, path, body, more = {}) => {
    const headers = { origin, 'content-type': 'application/json', ...more };
    const answer = await fetch(origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  };
  await send('POST', '/api/console/sign-in/codes', { to });
  let code;
  while (code === undefined) {
    await pause(100);
    const { data } = await (
      await send('GET', '/api/admin/outbox', undefined, { authorization: `Bearer ${token}` })
    ).json();
    code = /\b\d{6}\b/.exec(data.find((message) => message.to === to)?.text ?? '')?.[0];
  }
  const entered = await send('POST', '/api/console/sign-in/code', { to, code });
  const cookie = entered.headers.get('set-cookie').split(';')[0];
  await send('PUT', '/api/console/me/password', { password: PASSWORD }, { cookie });
}

/** Gives what the work gave, and how the sign-ins were answered meanwhile. */
async function whileSigningIn(port, work) {
  const order = JSON.stringify({ port, people: PEOPLE, password: PASSWORD, lanes });
  const script = fileURLToPath(new URL('flood.mjs', import.meta.url));
  const flood = spawn(process.execPath, [script, order], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  flood.stdout.on('data', (text) => (said += text));
  const ended = new Promise((resolve) => flood.once('close', resolve));
  try {
    await pause(SETTLE_MS);
    return await work();
  } finally {
    flood.kill('SIGTERM');
    await ended;
    console.log(`  answers to those who signed in: ${said.trim()}`);
  }
}

try {
  await buildIfStale();
  const upstream = await start('upstream.mjs');
  const gateway = await startGateway({
    name: 'gateway',
    upstreamPort: upstream.port,
    env: { DARGAH_OPERATOR_TOKEN: token },
  });
  for (const to of PEOPLE) await makePerson(`http://127.0.0.1:${gateway.port}`, to);
  const measured = () => drive(gateway, chat, { requests, warmup: 0, concurrency: CONCURRENCY });
  await drive(gateway, chat, { requests: 0, warmup: 10_000, concurrency: 16 });
  const alone = [];
  const beside = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(await measured());
    beside.push(await whileSigningIn(gateway.port, measured));
    await gateway.idle();
  }
  const show = (name, { p50, p99, rps }) =>
    console.log(
      `${name.padEnd(26)} p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms   ${Math.round(rps)} requests/s`,
    );
  console.log(`chat at concurrency ${CONCURRENCY}, median of ${rounds} rounds of ${requests} requests`);
  show('alone', medianOf(alone));
  show(`${lanes} sign in meanwhile`, medianOf(beside));
  await gateway.stop();
} finally {
  await stopEverything();
}
