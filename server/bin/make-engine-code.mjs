/**
 * Lets a server with an empty embedded database answer requests of its own, until V8 has compiled well what they use of the
 * database, and keeps that code for later starts, and the server's own (compiled-code.mjs). Nothing happens where there is code of
 * the database that a process with these flags can run. build-engine-code.mjs starts it.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readProgram } from './compiled-code.mjs';
import { prepareStart } from './v8-profile.mjs';

/** Postings follow time rather than requests, so a while of few requests makes as much of the database hot as a while of many. */
const SERVED_MS = 12_000;
const AT_ONCE = 4;
const QUIET_MS = 300;
const QUIET_CPU_US = 30_000;
const QUIET_TIMES = 3;
const LIMIT_MS = 120_000;

prepareStart();
const { beginThread, keepEngineCode, lacksEngineCode } = await import('../dist/begun-thread.js');
const thread = beginThread();
if (!lacksEngineCode()) process.exit();
setTimeout(() => process.exit(1), LIMIT_MS).unref();

const folder = mkdtempSync(join(tmpdir(), 'dargah-engine-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const key = randomBytes(24).toString('hex');
Object.assign(process.env, {
  HOST: '127.0.0.1',
  PORT: '0',
  DARGAH_DATA_DIR: folder,
  DARGAH_BOOTSTRAP_KEY: key,
  DARGAH_DISCOVERY: 'off',
  DARGAH_LOG_LEVEL: 'silent',
});
const program = readProgram();
await program.exports.startServer([], thread);
program.keep();

const { address } = JSON.parse(await readFile(join(folder, 'server.json'), 'utf8'));
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const until = performance.now() + SERVED_MS;

const chat = (stream) =>
  new Promise((resolve, reject) => {
    const url = new URL('/api/v1/chat/completions', address);
    const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`a chat was answered with ${answer.statusCode}`)),
      );
    });
    sent.once('error', reject);
    sent.end(JSON.stringify({ model: 'sandbox/echo', stream, messages: [{ role: 'user', content: 'سلام' }] }));
  });

async function ask() {
  for (let turn = 0; performance.now() < until; turn++) await chat(turn % 2 === 1);
}

/** V8 ends a process that compiles while its code is being written. */
async function quiet() {
  let before = process.cpuUsage().user;
  for (let times = 0; times < QUIET_TIMES; ) {
    await pause(QUIET_MS);
    const now = process.cpuUsage().user;
    times = now - before < QUIET_CPU_US ? times + 1 : 0;
    before = now;
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, ask));
agent.destroy();
await quiet();
await keepEngineCode();
process.kill(process.pid, 'SIGINT');
