/** The gateway under test, with everything on: rules, rates, caps and wallet on key and account, journal, posting, log, metrics. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from './processes.mjs';

export const KEY = 'dg-bench-main';
const SCRIPT = fileURLToPath(new URL('../server/bin/start.mjs', import.meta.url));

/** What `npm start` of the checkout gives Node on the way: flags, and variables for the C library's allocator. */
async function startTerms(script) {
  const checkout = join(dirname(script), script.includes('/server/bin/') ? '../..' : '..');
  const { scripts } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const words = scripts.start.split(' ');
  return {
    flags: words.filter((word) => word.startsWith('--')),
    variables: Object.fromEntries(words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('='))),
  };
}

const caps = (toman) => ({ daily: toman, monthly: toman, total: toman });

function configOf(upstreamPort, models, { account, key }) {
  const provider = { id: 'bench', protocol: 'openai-chat', base_url: `http://127.0.0.1:${upstreamPort}/v1` };
  const chat = (id, upstream) => ({
    id,
    routes: [{ provider: 'bench', model: upstream }],
    price: { input: 15_000, output: 60_000 },
    context: 128_000,
    max_output: 16_384,
    capabilities: ['tools', 'streaming'],
  });
  const embed = {
    id: 'bench/embed',
    kind: 'embedding',
    routes: [{ provider: 'bench', model: 'bench' }],
    price: { input: 100 },
  };
  return {
    providers: [{ ...provider, api_key: 'provider-secret' }],
    models: [chat('bench/chat', 'bench'), embed, ...models.map((name) => chat(`bench/${name}`, name))],
    accounts: [
      {
        id: account,
        name: 'Bench',
        balance: 1_000_000_000,
        rules: { rpm: 900_000, caps: caps(900_000_000) },
        keys: [
          {
            id: key,
            key: KEY,
            rules: {
              rpm: 800_000,
              tpm: 900_000_000,
              caps: caps(800_000_000),
              ips: ['127.0.0.0/8'],
              endpoints: ['chat.completions', 'messages', 'embeddings'],
              models: ['bench/chat', 'bench/embed', ...models.map((name) => `bench/${name}`)],
            },
          },
        ],
      },
    ],
    settings: { discovery: false, max_concurrent_requests: 20_000 },
  };
}

/** `extraPids`: processes that serve it (database, Redis), whose cost is its cost. */
export async function startGateway({
  name,
  upstreamPort,
  env = {},
  extraPids = [],
  models = [],
  ids = { account: 'bench', key: 'main' },
  dataDir,
  nodeArgs = [],
  script = SCRIPT,
}) {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'dargah-bench-')));
  const config = join(folder, 'bench.yaml');
  // JSON is YAML.
  await writeFile(config, JSON.stringify(configOf(upstreamPort, models, ids)));
  const { flags, variables } = await startTerms(script);
  const own = { PORT: '0', DARGAH_CONFIG: config, DARGAH_DATA_DIR: folder, DARGAH_LOG_LEVEL: 'warn' };
  const running = await start(script, {
    nodeArgs: [...flags, ...nodeArgs],
    env: { ...variables, ...own, ...env },
    ready: /listens on http:\/\/[^:]+:(\d+)/,
  });
  return {
    name,
    key: KEY,
    port: running.port,
    pids: [running.pid, ...extraPids],
    dataDir: folder,
    /** All charges are in the database. */
    async idle() {
      for (let tries = 0; tries < 600; tries++) {
        const reply = await fetch(`http://127.0.0.1:${running.port}/readyz`);
        if ((await reply.json()).journal.depth === 0) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`${name} did not post everything in a minute`);
    },
    async stop({ keepData = dataDir !== undefined, signal } = {}) {
      await running.stop(signal);
      if (!keepData) await rm(folder, { recursive: true, force: true });
    },
  };
}
