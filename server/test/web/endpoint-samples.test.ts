/**
 * The samples of the reference, taken from the page as a reader sees them and run against the gateway: one process per language,
 * which runs all of them. @tier services
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wav } from '../audio/sounds.ts';
import { createGate, faults } from '../fake-vendor/index.ts';
import { startGateway, type TestGateway } from '../harness/start-gateway.ts';
import { eventually } from '../services/eventually.ts';
import { programMissing } from '../services/programs.ts';

const run = promisify(execFile);

let gateway: TestGateway;
let page: string;
let folder: string;
beforeAll(async () => {
  gateway = await startGateway({ config: { sandbox: true } });
  page = await (await gateway.fetch('/fa/docs')).text();
  folder = await mkdtemp(join(tmpdir(), 'dargah-samples-'));
}, 120_000);
afterAll(async () => {
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The smallest picture there is. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

interface Shown {
  operation: string;
  code: string;
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

function shownIn(language: string): Shown[] {
  const blocks = page.matchAll(/<pre class="code"[^>]* id="sample-(\w+)-(\w+)"><code>([\s\S]*?)<\/code>/g);
  return [...blocks]
    .filter(([, , of]) => of === language)
    .map(([, operation = '', , code = '']) => ({
      operation,
      code: code.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity),
    }));
}

async function ask(path: string, body: object): Promise<{ id: string }> {
  const answer = await gateway.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.ok, path).toBe(true);
  return (await answer.json()) as { id: string };
}

const LINE = {
  custom_id: 'first',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'sandbox/echo', messages: [{ role: 'user', content: 'hello' }] },
};

async function uploaded(): Promise<string> {
  const body = new FormData();
  body.set('purpose', 'batch');
  body.set('file', new Blob([JSON.stringify(LINE)]), 'requests.jsonl');
  const answer = await gateway.fetch('/api/v1/files', { method: 'POST', body });
  return ((await answer.json()) as { id: string }).id;
}

/** Only what has ended has results, and can be deleted. */
async function endedBatch(): Promise<string> {
  const params = { ...LINE.body, max_tokens: 20 };
  const { id } = await ask('/api/v1/messages/batches', { requests: [{ custom_id: 'first', params }] });
  await eventually(async () => {
    const batch = await (await gateway.fetch(`/api/v1/messages/batches/${id}`)).json();
    expect(batch).toMatchObject({ processing_status: 'ended' });
  });
  return id;
}

/** Things of the reader's own, made anew for each sample: some of them delete theirs. */
async function ownIds(code: string): Promise<Record<string, string>> {
  const input = 'hello';
  if (/:(?:embedContent|batchEmbedContents)/.test(code)) return { vendor: 'sandbox', model: 'embed' };
  if (code.includes('/models/{vendor}')) return { vendor: 'sandbox', model: 'echo' };
  if (code.includes('/responses/{id}')) {
    const { id } = await ask('/api/v1/responses', { model: 'sandbox/echo', input, background: true });
    return { id };
  }
  if (code.includes('/messages/batches/{id}')) return { id: await endedBatch() };
  if (code.includes('/batches/{id}')) {
    const order = { endpoint: '/v1/chat/completions', completion_window: '24h' };
    const { id } = await ask('/api/v1/batches', { input_file_id: await uploaded(), ...order });
    return { id };
  }
  if (code.includes('/files/{id}') || code.includes('input_file_id')) return { id: await uploaded() };
  if (code.includes('/conversations/{id}')) {
    const { id } = await ask('/api/v1/conversations', { items: [{ role: 'user', content: input }] });
    const items = (await (await gateway.fetch(`/api/v1/conversations/${id}/items`)).json()) as {
      data: { id: string }[];
    };
    return { id, item: items.data[0]?.id ?? '' };
  }
  if (code.includes('/knowledge_bases/{id}')) {
    const { id } = await ask('/api/v1/knowledge_bases', { name: 'Handbook' });
    if (!code.includes('{document}')) return { id };
    const document = await ask(`/api/v1/knowledge_bases/${id}/documents`, { name: 'leave.txt', text: input });
    return { id, document: document.id };
  }
  if (code.includes('/requests/{id}/stream') && code.includes('DELETE')) {
    // Only what still runs can be cancelled.
    gateway.vendor.next(faults.stallAfter(2, createGate(), { text: 'hello yourself' }));
    const messages = [{ role: 'user', content: input }];
    const running = await gateway.chat({ model: 'mock/chat', messages, stream: true, svc: { resume_seconds: 60 } });
    return { id: running.headers.get('x-svc-request-id') ?? '' };
  }
  if (code.includes('/requests/{id}')) {
    const kept = code.includes('/stream') ? { stream: true, svc: { resume_seconds: 60 } } : {};
    const chat = await gateway.chat({ model: 'sandbox/echo', messages: [{ role: 'user', content: input }], ...kept });
    await chat.text();
    const id = chat.headers.get('x-svc-request-id') ?? '';
    await eventually(async () => expect((await gateway.fetch(`/api/v1/requests/${id}`)).status).toBe(200));
    return { id };
  }
  return {};
}

async function runnable(language: string): Promise<Shown[]> {
  const shown = shownIn(language);
  const ready: Shown[] = [];
  for (const { operation, code } of shown) {
    const ids = await ownIds(code);
    ready.push({
      operation,
      code: code.replace(/\{(vendor|model|id|item|document)\}/g, (word, name) => ids[name] ?? word),
    });
  }
  return ready;
}

async function inFolder(language: string): Promise<string> {
  const own = join(folder, language);
  await mkdir(own);
  await writeFile(join(own, 'speech.wav'), wav(1));
  await writeFile(join(own, 'picture.png'), PICTURE);
  await writeFile(join(own, 'requests.jsonl'), JSON.stringify(LINE));
  return own;
}

/** A line before each, so that a failure names its sample. */
async function played(
  language: string,
  cwd: string,
  program: string,
  args: string[],
  env: object = {},
): Promise<string[]> {
  const result = await run(program, args, {
    cwd,
    env: { ...process.env, DARGAH_KEY: gateway.key, GOFLAGS: '-mod=mod', ...env },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${language}: ${error.stdout.slice(-500)}\n${error.stderr.slice(-2_000)}`);
  });
  return [...result.stdout.matchAll(/^## (\w+)$/gm)].map(([, operation = '']) => operation);
}

const operations = (shown: readonly Shown[]) => shown.map(({ operation }) => operation);

it('every endpoint of a key has a sample in four languages, in Persian and English', async () => {
  const english = await (await gateway.fetch('/en/docs')).text();
  const document = (await (await gateway.fetch('/api/openapi.json')).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const described = Object.entries(document.paths)
    .filter(([path]) => /^\/api\/v\d(?:beta)?\//.test(path))
    .flatMap(([, methods]) => Object.values(methods).map(({ operationId }) => operationId));
  expect(described.length).toBeGreaterThan(30);
  for (const language of ['curl', 'python', 'javascript', 'go']) {
    expect(operations(shownIn(language)).sort()).toEqual(described.sort());
    for (const operation of described) expect(english).toContain(`id="sample-${operation}-${language}"`);
  }
});

describe('samples run as they stand', () => {
  it.skipIf(programMissing('curl'))('curl', async () => {
    const samples = await runnable('curl');
    const cwd = await inFolder('curl');
    await writeFile(join(cwd, '.curlrc'), 'silent\nshow-error\nfail-with-body\n');
    const script = samples.map(({ operation, code }) => `echo; echo "## ${operation}"\n${code}`).join('\n');
    await writeFile(join(cwd, 'all.sh'), `set -e\n${script}\n`);
    expect(await played('curl', cwd, 'sh', ['all.sh'], { CURL_HOME: cwd })).toEqual(operations(samples));
  });

  it.skipIf(programMissing('python3'))('Python', async () => {
    const samples = await runnable('python');
    const cwd = await inFolder('python');
    await writeFile(join(cwd, 'all.json'), JSON.stringify(samples));
    const all = `import json\nfor one in json.load(open("all.json", encoding="utf-8")):
    print("## " + one["operation"], flush=True)\n    exec(compile(one["code"], one["operation"], "exec"), {})\n`;
    await writeFile(join(cwd, 'all.py'), all);
    const env = { PYTHONIOENCODING: 'utf-8' };
    expect(await played('python', cwd, 'python3', ['all.py'], env)).toEqual(operations(samples));
  });

  it('JavaScript', async () => {
    const samples = await runnable('javascript');
    const cwd = await inFolder('javascript');
    for (const { operation, code } of samples) await writeFile(join(cwd, `${operation}.mjs`), code);
    const all = operations(samples).map(
      (operation) => `console.log('## ${operation}');\nawait import('./${operation}.mjs');`,
    );
    await writeFile(join(cwd, 'all.mjs'), all.join('\n'));
    expect(await played('javascript', cwd, process.execPath, ['all.mjs'])).toEqual(operations(samples));
  });

  // Go compiles its own library with the first program that a machine runs.
  it.skipIf(programMissing('go'))('Go', { timeout: 600_000 }, async () => {
    const cwd = await inFolder('go');
    await writeFile(join(cwd, 'go.mod'), 'module samples\n\ngo 1.19\n');
    const own = { GOTOOLCHAIN: 'local' };
    // Compiled before there are ids: what one of them names would have ended meanwhile.
    await writeGo(cwd, shownIn('go'));
    await played('go', cwd, 'go', ['build', '-o', 'all', '.'], own);
    const samples = await runnable('go');
    await writeGo(cwd, samples);
    expect(await played('go', cwd, 'go', ['run', '.'], own)).toEqual(operations(samples));
  });
});

/** One program of all: each main becomes a function of its own. */
async function writeGo(cwd: string, samples: readonly Shown[]): Promise<void> {
  for (const { operation, code } of samples) {
    const renamed = code.replace('func main() {', `func ${operation}() {`);
    expect(renamed).not.toBe(code);
    await writeFile(join(cwd, `${operation}.go`), renamed);
  }
  const calls = operations(samples).map((name) => `\tfmt.Println("## ${name}")\n\t${name}()`);
  await writeFile(join(cwd, 'main.go'), `package main\n\nimport "fmt"\n\nfunc main() {\n${calls.join('\n')}\n}\n`);
}
