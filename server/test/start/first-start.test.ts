/** A stranger's first minute: start, read the greeting, run the very curl line it prints. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../services/free-port.ts';
import { type Home, makeHome, postChat, type ServerProcess } from './server-process.ts';

const shell = promisify(execFile);

let home: Home;
let first: ServerProcess;
let key = '';
let password = '';

beforeAll(async () => {
  home = await makeHome('none');
  first = await home.start();
  key = /API key\s+(\S+)/.exec(first.output())?.[1] ?? '';
  password = /operator password\s+(\S+)/.exec(first.output())?.[1] ?? '';
}, 300_000);
afterAll(() => home.remove());

describe.sequential('the first start', () => {
  it('says what it is doing while the database is made', () => {
    const before = first.output().split('listens on')[0] ?? '';
    expect(before).toMatch(/database/i);
  });

  it('prints the console address, the operator password and an API key', () => {
    expect(first.output()).toContain(`${first.origin}/`);
    expect(password).toMatch(/^[0-9A-Za-z]{24}$/);
    expect(key).toMatch(/^dg-[0-9A-Za-z]{49}$/);
  });

  it('prints a curl line that works as it stands', async () => {
    const line = first
      .output()
      .split('\n')
      .find((text) => text.trim().startsWith('curl '));
    const { stdout } = await shell('sh', ['-c', `${line} --silent --fail-with-body`]);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'sandbox/echo' });
    expect(answer.choices[0].message.content).toContain('سلام');
    expect(answer.usage.cost).toBeGreaterThanOrEqual(0);
  });

  it('stops on SIGTERM with code 0', async () => {
    expect(await first.stop()).toBe(0);
  });
});

describe.sequential('the second start', () => {
  let second: ServerProcess;

  it('prints no secrets, and the old ones still open the door', async () => {
    second = await home.start();
    expect(second.output()).not.toMatch(/password|API key|dg-|curl/i);
    expect(second.output()).not.toContain(password);
    const response = await postChat(second.origin, key, { messages: [{ role: 'user', content: 'again' }] });
    expect(response.status).toBe(200);
  });

  it('refuses a second server on the same data', async () => {
    const { code, output } = await home.run({});
    expect(code).not.toBe(0);
    expect(output).toMatch(/data directory|already|in use/i);
    expect(await second.stop()).toBe(0);
  });
});

describe('a first start on a busy port', () => {
  it('says so and makes no secrets; the next one shows them', { timeout: 300_000 }, async () => {
    const other = await makeHome();
    const port = String(await freePort());
    const squatter = createServer().listen(Number(port), '127.0.0.1');
    await once(squatter, 'listening');
    try {
      const { code, output } = await other.run({ env: { PORT: port } });
      expect(code).toBe(1);
      expect(output).toContain(`Port ${port} on 127.0.0.1 is in use`);
      expect(output).not.toMatch(/API key|password|\n +at /);
      squatter.close();
      const server = await other.start({ env: { PORT: port } });
      const shown = /API key\s+(\S+)/.exec(server.output())?.[1] ?? '';
      expect((await postChat(server.origin, shown, { messages: [{ role: 'user', content: 'hi' }] })).status).toBe(200);
      expect(await server.stop()).toBe(0);
    } finally {
      squatter.close();
      await other.remove();
    }
  });
});

describe('DARGAH_BOOTSTRAP_KEY', () => {
  it("is the first account's API key", async () => {
    const other = await makeHome();
    try {
      const server = await other.start({ env: { DARGAH_BOOTSTRAP_KEY: 'dg-bootstrap-for-scripts' } });
      const body = { messages: [{ role: 'user', content: 'hi' }] };
      expect((await postChat(server.origin, 'dg-bootstrap-for-scripts', body)).status).toBe(200);
      expect((await postChat(server.origin, 'dg-another', body)).status).toBe(401);
      expect(await server.stop()).toBe(0);
    } finally {
      await other.remove();
    }
  });
});
