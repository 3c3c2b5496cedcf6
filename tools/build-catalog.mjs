/**
 * Builds server/src/catalog/data/models.gen.json: the plain facts of the models we list (id, list price in USD per million
 * units, context, longest output, sees images, reasons, and who serves it). Run by hand when the catalog should be renewed:
 *
 *   node tools/build-catalog.mjs                       packs the two pinned packages with npm, then works offline
 *   node tools/build-catalog.mjs --from DIR            uses tarballs already in DIR
 *
 * Sources: @earendil-works/pi-ai (MIT) for chat models, @pydantic/genai-prices (MIT) for what it lacks. Both are data to us:
 * nothing of them is needed at run time. The same tarballs always give the same bytes. What neither package knows
 * (capabilities, categories, Persian names, audio) is hand-kept in server/src/catalog/seed/overlay.ts.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PI_AI = { name: '@earendil-works/pi-ai', version: '1.5.0', tarball: 'earendil-works-pi-ai-1.5.0.tgz' };
const GENAI = { name: '@pydantic/genai-prices', version: '0.1.8', tarball: 'pydantic-genai-prices-0.1.8.tgz' };
const OUTPUT = join(dirname(fileURLToPath(import.meta.url)), '../server/src/catalog/data/models.gen.json');

/** pi-ai's name of a provider → our vendor id, which is also the first half of the public model id. */
const FIRST_PARTY = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  deepseek: 'deepseek',
  mistral: 'mistral',
  xai: 'xai',
  moonshotai: 'moonshot',
  zai: 'zai',
  minimax: 'minimax',
  groq: 'groq',
  cerebras: 'cerebras',
  together: 'together',
  fireworks: 'fireworks',
};

/** OpenRouter's name of a maker → our vendor id. Makers not named here are not listed. */
const MAKERS = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'google',
  deepseek: 'deepseek',
  mistralai: 'mistral',
  'x-ai': 'xai',
  moonshotai: 'moonshot',
  'z-ai': 'zai',
  minimax: 'minimax',
  cohere: 'cohere',
  qwen: 'qwen',
  meta: 'meta',
  'meta-llama': 'meta',
  amazon: 'amazon',
  nvidia: 'nvidia',
  xiaomi: 'xiaomi',
};
/** Makers whose models are listed even when only OpenRouter serves them. */
const LISTED_THROUGH_OPENROUTER = new Set(['qwen', 'meta', 'amazon', 'nvidia', 'xiaomi', 'cohere']);

const NOT_LISTED = [
  /-\d{8}$/, // dated copies of a model that is listed anyway
  /-\d{4}-\d{2}-\d{2}$/,
  /(^|-)latest$/, // the price of a moving name goes stale without notice
  /daybreak|cyber|contributor/, // not open to every customer
  /deep-research|computer-use|robotics|customtools|image|safeguard|leanstral|decision/, // not general chat
  /^accounts\/fireworks\/routers\//,
];
/** Names that end in -latest but are the only name of their model. */
const LISTED_ANYWAY = new Set(['gpt-5-chat-latest', 'magistral-medium-latest']);
/** OpenAI serves these in the Responses protocol only. */
const RESPONSES_ONLY = /-pro$|codex/;
/** A host's copies of other makers' models under Mistral's roof: listed at their makers. */
const MISTRAL_GUESTS = /^(deepseek|glm|zai)/;

/** DashScope's own names whose price is known through OpenRouter's listing of the same model. */
const QWEN_OWN_NAMES = [
  'qwen3.6-flash',
  'qwen3.6-plus',
  'qwen3.7-max',
  'qwen3.7-plus',
  'qwen3.8-flash',
  'qwen-plus',
  'qwen3-coder-flash',
];
/** Cohere and Perplexity are in genai-prices only; its short names differ from what their addresses accept. */
const COHERE = {
  'command-a': ['command-a-03-2025', 256000, 8000],
  'command-r': ['command-r-08-2024', 128000, 4000],
  'command-r-plus': ['command-r-plus-08-2024', 128000, 4000],
  'command-r7b': ['command-r7b-12-2024', 128000, 4000],
};
const PERPLEXITY = { sonar: [128000, 8000], 'sonar-pro': [200000, 8000], 'sonar-reasoning-pro': [128000, 8000] };

function unpack(directory, source, into) {
  const target = join(into, source.tarball.replace(/\.tgz$/, ''));
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['xzf', join(directory, source.tarball), '-C', target]);
  return join(target, 'package');
}

function readPiProvider(root, name) {
  const file = JSON.parse(readFileSync(join(root, 'dist/providers/data', `${name}.json`), 'utf8'));
  return Object.values(file)
    .flatMap((byApi) => Object.values(byApi))
    .filter((model) => model.type === 'chat');
}

function isListed(upstream) {
  return LISTED_ANYWAY.has(upstream) || !NOT_LISTED.some((pattern) => pattern.test(upstream));
}

/** Decimal text, never a float: 0.1 must stay 0.1 when the toman price is computed exactly. */
function decimal(value) {
  const text = String(value);
  if (!/^\d+(\.\d+)?$/.test(text)) throw new Error(`not a plain decimal: ${text}`);
  return text;
}

/** Undefined when the price is unknown: a zero is a gap in the data, never a price. */
function usdOf(cost) {
  if (!cost || !(cost.input > 0) || !(cost.output > 0)) return undefined;
  const usd = unitPrices(cost);
  const tiers = (cost.tiers ?? [])
    .filter((tier) => tier.inputTokensAbove > 0 && tier.input > 0 && tier.output > 0)
    .map((tier) => ({ above: tier.inputTokensAbove, ...unitPrices(tier) }))
    .sort((a, b) => a.above - b.above);
  return tiers.length === 0 ? usd : { ...usd, tiers };
}

function unitPrices(cost) {
  const usd = { input: decimal(cost.input), output: decimal(cost.output) };
  if (cost.cacheRead > 0) usd.cacheRead = decimal(cost.cacheRead);
  if (cost.cacheWrite > 0) usd.cacheWrite = decimal(cost.cacheWrite);
  return usd;
}

/** The price of a prompt of so many tokens. */
function priceAt({ tiers = [], ...usd }, prompt) {
  return { ...usd, ...tiers.findLast(({ above }) => prompt > above) };
}

/**
 * A route that costs more than we charge, for prompts of any accepted length, would lose money with every such request.
 */
function costsMore(road, sold, context) {
  const borders = [...(road.tiers ?? []), ...(sold.tiers ?? [])].map(({ above }) => above + 1);
  const lengths = [1, ...borders.filter((prompt) => prompt <= context)];
  return lengths.some((prompt) => {
    const [cost, price] = [priceAt(road, prompt), priceAt(sold, prompt)];
    return Number(cost.input) > Number(price.input) || Number(cost.output) > Number(price.output);
  });
}

/** The source ends the windows of some makers' models where their second price begins; OpenRouter lists the whole window. */
function isCutAtTier({ usd, context }) {
  return usd.tiers?.[0]?.above === context;
}

function publicName(upstream) {
  return upstream.split('/').at(-1).toLowerCase();
}

function entry(vendor, model, routeVendor) {
  const usd = usdOf(model.cost);
  if (!usd || !(model.contextWindow > 0)) return undefined;
  const context = model.contextWindow;
  return {
    id: `${vendor}/${publicName(model.id)}`,
    name: model.name.replace(/ \(latest\)$/, '').replace(/^[^:]+: /, ''),
    usd,
    context,
    maxOutput: Math.min(model.maxTokens || context, context),
    ...(model.input.includes('image') && { vision: true }),
    ...(model.reasoning && { reasoning: true }),
    routes: [{ vendor: routeVendor, model: model.id, usd }],
  };
}

function firstParty(root) {
  const models = new Map();
  for (const [provider, vendor] of Object.entries(FIRST_PARTY)) {
    for (const model of readPiProvider(root, provider)) {
      if (!isListed(model.id) || (vendor === 'mistral' && MISTRAL_GUESTS.test(model.id))) continue;
      const route = vendor === 'openai' && RESPONSES_ONLY.test(model.id) ? 'openai-responses' : vendor;
      const made = entry(vendor, model, route);
      if (made && !models.has(made.id)) models.set(made.id, made);
    }
  }
  return models;
}

/** `4.5` and `4-5` are the same model to different listings. */
const sameness = (id) => id.replaceAll('.', '-');

function addOpenRouter(root, models) {
  const known = new Map([...models.values()].map((model) => [sameness(model.id), model]));
  for (const model of readPiProvider(root, 'openrouter')) {
    const [maker, name, ...more] = model.id.split('/');
    const vendor = MAKERS[maker];
    if (!vendor || more.length > 0 || /[:~]/.test(model.id) || !isListed(name)) continue;
    const made = entry(vendor, model, 'openrouter');
    if (!made) continue;
    const existing = known.get(sameness(made.id));
    if (existing) {
      if (isCutAtTier(existing) && made.context > existing.context) existing.context = made.context;
      const fits = made.context >= existing.context;
      if (fits && !costsMore(made.usd, existing.usd, existing.context)) existing.routes.push(made.routes[0]);
    } else if (LISTED_THROUGH_OPENROUTER.has(vendor)) {
      if (vendor === 'qwen' && QWEN_OWN_NAMES.includes(name)) made.routes.unshift({ vendor: 'qwen', model: name });
      models.set(made.id, made);
    }
  }
}

function addFromGenai(genai, models) {
  const priceOf = (providerId, id) => genai.findProvider({ providerId }).models.find((model) => model.id === id);
  const add = (vendor, id, upstream, [context, maxOutput], extra = {}) => {
    const { name, prices } = priceOf(vendor, id);
    const usd = { input: decimal(prices.input_mtok), output: decimal(prices.output_mtok) };
    if (prices.requests_kcount) usd.request = decimal(prices.requests_kcount / 1000);
    models.set(`${vendor}/${upstream}`, {
      id: `${vendor}/${upstream}`,
      name,
      usd,
      context,
      maxOutput,
      ...extra,
      routes: [{ vendor, model: upstream, usd }],
    });
  };
  for (const [id, [upstream, ...limits]] of Object.entries(COHERE)) add('cohere', id, upstream, limits);
  for (const [id, limits] of Object.entries(PERPLEXITY))
    add('perplexity', id, id, limits, id.includes('reasoning') ? { reasoning: true } : {});
}

/** The model's own price stands at its head; a route repeats it only where it differs. */
function compact(model) {
  const own = JSON.stringify(model.usd);
  const routes = model.routes.map(({ usd, ...route }) =>
    usd && JSON.stringify(usd) !== own ? { ...route, usd } : route,
  );
  return { ...model, routes };
}

async function main() {
  const from = process.argv.indexOf('--from');
  const scratch = mkdtempSync(join(tmpdir(), 'catalog-'));
  try {
    let directory = scratch;
    if (from > 0) directory = resolve(process.argv[from + 1]);
    else
      for (const { name, version } of [PI_AI, GENAI])
        execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: scratch });
    for (const { tarball } of [PI_AI, GENAI])
      if (!readdirSync(directory).includes(tarball)) throw new Error(`${tarball} is not in ${directory}`);

    const pi = unpack(directory, PI_AI, scratch);
    const genai = await import(pathToFileURL(join(unpack(directory, GENAI, scratch), 'dist/index.js')).href);
    const models = firstParty(pi);
    addFromGenai(genai, models);
    addOpenRouter(pi, models);

    const sorted = [...models.values()].map(compact).sort((a, b) => (a.id < b.id ? -1 : 1));
    const lines = sorted.map((model) => JSON.stringify(model)).join(',\n');
    const sources = [PI_AI, GENAI].map(({ name, version }) => `${name}@${version}`);
    mkdirSync(dirname(OUTPUT), { recursive: true });
    writeFileSync(OUTPUT, `{"sources":${JSON.stringify(sources)},"models":[\n${lines}\n]}\n`);
    console.log(`${sorted.length} models written`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

await main();
