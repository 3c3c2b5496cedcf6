/** The command line tool as operators run it: a process of its own, against a running and against a stopped server. */
import { execFile, spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/cli/connect.ts';
import { run } from '../../src/cli/run.ts';
import { renderTable, width } from '../../src/cli/table.ts';
import { eventually } from '../services/eventually.ts';
import { postgresMissing, startPostgres } from '../services/postgres.ts';
import { type Home, makeHome, type ServerProcess } from '../start/server-process.ts';

const TOOL = fileURLToPath(new URL('../../bin/dargah.mjs', import.meta.url));

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

function dargah(
  home: Home,
  args: string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<Ran> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [TOOL, ...args], {
    cwd: home.folder,
    env: { PATH, HOME, DARGAH_DATA_DIR: home.dataDir, DARGAH_DISCOVERY: 'off', ...env },
  });
  const ran: Ran = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.err += text;
  });
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ ...ran, code })));
}

/** The same tool inside this process, for the many cases in which only the words matter. */
async function here(home: Home, args: string[], input = ''): Promise<Ran> {
  const ran: Ran = { code: null, out: '', err: '' };
  const complain = (text: string) => {
    ran.err += `${text}\n`;
  };
  ran.code = await run(args, {
    variables: { DARGAH_DATA_DIR: home.dataDir },
    connect: () => connect({ DARGAH_DATA_DIR: home.dataDir, DARGAH_DISCOVERY: 'off' }, complain),
    print: (text) => {
      ran.out += `${text}\n`;
    },
    complain,
    readInput: async () => input,
  });
  return ran;
}

describe('tables', () => {
  it('line up whatever the script, and let no control character through', () => {
    expect(width('فروشگاه')).toBe(7);
    expect(width('می‌روم')).toBe(5);
    expect(width('模型')).toBe(4);
    const lines = renderTable(
      [
        { a: 'می‌روم', b: 'x' },
        { a: 'plain\u001b[2J', b: 'y' },
      ],
      [
        ['A', 'a'],
        ['B', 'b'],
      ],
    ).split('\n');
    expect(lines[2]).not.toContain('\u001b');
    expect(new Set(lines.map((line) => width(line))).size).toBe(1);
  });
});

describe('the command line', () => {
  let home: Home;
  let server: ServerProcess;

  beforeAll(async () => {
    home = await makeHome();
    server = await home.start();
  });
  afterAll(() => home.remove());

  it('explains itself, and every noun, without touching anything', async () => {
    const help = await dargah(home, ['help']);
    expect(help.code).toBe(0);
    const nouns = [...help.out.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, noun = '']) => noun);
    expect(nouns).toEqual(
      expect.arrayContaining([
        'accounts',
        'keys',
        'credit',
        'models',
        'prices',
        'groups',
        'providers',
        'requests',
        'usage',
        'audit',
        'documents',
        'catalog',
        'settings',
      ]),
    );
    const keys = await here(home, ['keys', '--help']);
    expect([keys.code, keys.out.includes('dargah keys rotate ID')]).toEqual([0, true]);
  });

  it('manages a running server, whose key works at once and stops at once', async () => {
    const account = await here(home, ['accounts', 'create', '--id', 'shop', '--name', 'فروشگاه', '--monthly', '5_000']);
    expect(account.code).toBe(0);
    expect(account.out).toContain('rules.caps.monthly');
    expect((await here(home, ['credit', 'add', 'shop', '10,000', '--id', 'first'])).out).toContain('10000');
    expect((await here(home, ['credit', 'add', 'shop', '10000', '--id', 'first'])).out).toMatch(/balance +10000\n/);
    expect((await here(home, ['documents', 'list', '--party', 'shop'])).out).toContain('top-up');
    const papers = (await here(home, ['documents', 'export', '--kind', 'top-up'])).out.split('\n');
    expect(papers[0]).toBe('\ufeffid,kind,dated_on,number,party,amount,note,created_by,created_at');
    expect(papers[1]).toMatch(/^topup:\w+,top-up,[\d-]+,first,shop,10000,/);
    const made = await here(home, [
      'keys',
      'create',
      'shop',
      '--name',
      'cli',
      '--default-model',
      'sandbox/echo',
      '--json',
    ]);
    const { id, key } = JSON.parse(made.out) as { id: string; key: string };
    const ask = async () =>
      (
        await fetch(`${server.origin}/api/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] }),
        })
      ).status;
    expect(await ask()).toBe(200);
    expect((await here(home, ['keys', 'pause', id])).code).toBe(0);
    await eventually(async () => expect(await ask()).toBe(403));
    // Requests reach the database in the background.
    await eventually(async () =>
      expect((await here(home, ['requests', 'list', '--account-id', 'shop'])).out).toContain('sandbox/echo'),
    );
    const listed = await here(home, ['keys', 'list', '--account-id', 'shop']);
    expect(listed.out).toContain('paused');
    expect(listed.out).not.toContain(key);
  });

  it('says what is wrong and ends with a code for it', async () => {
    const unknown = await here(home, ['accounts', 'show', 'nobody']);
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("no account 'nobody'")]);
    const misspelt = await here(home, ['accounts', 'create', '--nmae', 'x']);
    expect([misspelt.code, misspelt.err]).toEqual([2, expect.stringContaining('--nmae')]);
    expect((await here(home, ['accounts', 'destroy'])).code).toBe(2);
    const refused = await here(home, ['accounts', 'create', '--id', 'a b', '--name', 'x', '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: 'invalid_request', param: 'id' } });
  });

  it('ends quietly when its reader has seen enough', async () => {
    // The reader is gone before the first line comes.
    const command = `{ "${process.execPath}" "${TOOL}" models list; echo "code $?" >&2; } | true`;
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, DARGAH_DATA_DIR: home.dataDir };
    const { stderr } = await promisify(execFile)('sh', ['-c', command], { cwd: home.folder, env });
    expect(stderr).toBe('code 0\n');
  });

  it('gives a new operator password, which signs in and is no token, and the old one stops working', async () => {
    const asToken = async (token: string) =>
      (await fetch(`${server.origin}/api/admin/settings`, { headers: { authorization: `Bearer ${token}` } })).status;
    const signIn = async (password: string) =>
      (
        await fetch(`${server.origin}/api/admin/sign-in`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: server.origin },
          body: JSON.stringify({ password }),
        })
      ).status;
    const old = /operator password\s+(\S+)/.exec(server.output())?.[1] ?? '';
    expect([await signIn(old), await asToken(old)]).toEqual([200, 401]);
    const reset = await here(home, ['operators', 'reset-password', '--json']);
    const { operator_password: fresh } = JSON.parse(reset.out) as { operator_password: string };
    expect([await signIn(fresh), await asToken(fresh)]).toEqual([200, 401]);
    expect([await signIn(old), await asToken(old)]).toEqual([401, 401]);
  });

  it('makes, lists and revokes operator tokens', async () => {
    const asToken = async (token: string, method = 'GET') =>
      (await fetch(`${server.origin}/api/admin/accounts`, { method, headers: { authorization: `Bearer ${token}` } }))
        .status;
    const made = await here(home, ['tokens', 'create', '--name', 'report', '--scopes', 'read', '--json']);
    const { id, token } = JSON.parse(made.out) as { id: string; token: string };
    expect([await asToken(token), await asToken(token, 'POST')]).toEqual([200, 403]);
    const listed = await here(home, ['tokens', 'list']);
    expect(listed.out).toMatch(/report +live +read/);
    expect(listed.out).not.toContain(token);
    expect((await here(home, ['tokens', 'revoke', id])).code).toBe(0);
    expect(await asToken(token)).toBe(401);
    expect((await here(home, ['tokens', 'create', '--name', 'x', '--scopes', 'everything'])).code).toBe(1);
  });

  it('takes secrets from standard input and shows none', async () => {
    const args = ['providers', 'create', 'mine', '--vendor', 'openai', '--api-key', '-'];
    const made = await dargah(home, args, { input: 'sk-very-secret-text\n' });
    expect(made.code).toBe(0);
    const listed = await here(home, ['providers', 'list']);
    expect(listed.out).toContain('mine');
    expect(made.out + made.err + listed.out).not.toContain('sk-very-secret-text');
  });

  it('works on the database when no server runs, and proves the books', { timeout: 300_000 }, async () => {
    await server.stop();
    const wallet = await dargah(home, ['accounts', 'wallet', 'shop']);
    expect([wallet.code, wallet.out]).toEqual([0, expect.stringContaining('balance')]);
    const whole = await dargah(home, ['audit', '--whole']);
    expect([whole.code, whole.out]).toEqual([0, expect.stringContaining('the books balance')]);
    // What that proof found is told again without another.
    const told = await dargah(home, ['audit', '--json']);
    expect([told.code, JSON.parse(told.out)]).toMatchObject([0, { ok: true, at: expect.any(String) }]);
  });
});

describe('a place without a database', () => {
  it('is refused in words and left as it was', async () => {
    const home = await makeHome('none');
    try {
      const ran = await dargah(home, ['accounts', 'list']);
      expect([ran.code, ran.out]).toEqual([3, '']);
      expect(ran.err).toContain(`there is no database in ${home.dataDir}`);
      expect(ran.err).toContain('npm start');
      expect(await readdir(home.folder)).toEqual([]);
    } finally {
      await home.remove();
    }
  });

  it('is told from a database that does not answer, whose address is named without its password', async () => {
    const home = await makeHome('none');
    try {
      const env = { DATABASE_URL: 'postgres://shop:secret-word@127.0.0.1:1/shop' };
      const ran = await dargah(home, ['accounts', 'list'], { env });
      expect(ran.code).toBe(3);
      expect(ran.err).toContain('cannot reach PostgreSQL at 127.0.0.1:1');
      expect(ran.err).not.toContain('secret-word');
    } finally {
      await home.remove();
    }
  });
});

describe.skipIf(postgresMissing())('books that do not balance', () => {
  it('end the audit with 1, over PostgreSQL and without a running server', { timeout: 120_000 }, async () => {
    const postgres = await startPostgres();
    const home = await makeHome();
    try {
      const env = { DATABASE_URL: postgres.url };
      const unasked = await dargah(home, ['credit', 'add', 'operator', '5'], { env });
      expect([unasked.code, unasked.err]).toEqual([3, expect.stringContaining('no tables of Dargah')]);
      await (await home.start({ env })).stop();
      expect((await dargah(home, ['credit', 'add', 'operator', '5'], { env })).code).toBe(0);
      expect((await dargah(home, ['audit', '--whole'], { env })).code).toBe(0);
      const client = new pg.Client(postgres.url);
      await client.connect();
      await client.query("update ledger_account set posted = posted + 1 where id = 'wallet:operator'");
      await client.end();
      const audit = await dargah(home, ['audit', '--whole', '--json'], { env });
      expect(audit.code).toBe(1);
      expect(JSON.parse(audit.out)).toMatchObject({ ok: false });
    } finally {
      await home.remove();
      await postgres.remove();
    }
  });
});
