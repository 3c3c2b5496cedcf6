/**
 * Tests a provider step by step: name, egress, connection, TLS, credentials, models. It costs nothing: only the list of
 * models is read, which every provider gives for free.
 */
import type { Provider } from '../../catalog/index.ts';
import type { Clock } from '../../core/clock.ts';
import { parseTrustedJson } from '../../core/json.ts';
import {
  type EnvironmentEgress,
  type ProbeStep,
  probeWays,
  TransportError,
  type UpstreamTransport,
  type WayProbe,
} from '../../platform/upstream/index.ts';
import { awsFailure, isAwsFailure, modelListOf, namesInModelList } from '../../protocols/index.ts';
import { findVendor } from '../../vendors/index.ts';
import { providerCall, requestHeaders } from './provider-http.ts';

export interface ProviderTest {
  ok: boolean;
  ways: WayProbe[];
  /** One per credential. */
  credentials: { id: string; steps: ProbeStep[] }[];
}

export interface ProviderTestTools {
  clock: Clock;
  transport: UpstreamTransport;
  environment: EnvironmentEgress | undefined;
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 4_000_000;
/** The sandbox has no address, so no network step can fail. */
const INSIDE: ProviderTest = {
  ok: true,
  ways: [{ via: 'none', steps: [{ step: 'connect', ok: true, ms: 0, detail: 'answers inside this process' }] }],
  credentials: [],
};

export async function testProvider(
  provider: Provider,
  upstreamModels: readonly string[],
  tools: ProviderTestTools,
): Promise<ProviderTest> {
  if (provider.transport === 'sandbox') return INSIDE;
  const { clock, environment } = tools;
  const ways = await probeWays(provider.baseUrl, provider.egress, { clock, environment, timeoutMs: TIMEOUT_MS });
  const reachable = ways.some(({ steps }) => steps.every(({ ok }) => ok));
  const credentials: ProviderTest['credentials'] = [];
  if (reachable)
    for (const credential of provider.credentials.length > 0 ? provider.credentials : [undefined])
      credentials.push({
        id: credential?.id ?? '',
        steps: await askForModels(provider, credential, upstreamModels, tools),
      });
  const ok = reachable && credentials.every(({ steps }) => steps.every((step) => step.ok));
  return { ok, ways, credentials };
}

async function askForModels(
  provider: Provider,
  credential: Provider['credentials'][number] | undefined,
  wanted: readonly string[],
  tools: ProviderTestTools,
): Promise<ProbeStep[]> {
  const { clock } = tools;
  const begunMs = clock.monotonicMs();
  const ms = () => Math.round(clock.monotonicMs() - begunMs);
  const answer = await requestModels(provider, credential, tools);
  if ('problem' in answer) return [{ step: 'auth', ok: false, ms: ms(), detail: answer.problem }];
  const { status, text } = answer;
  // Some compatible servers have no list of models: they have at least not refused the credential.
  if (status === 404) return [{ step: 'auth', ok: true, ms: ms(), detail: 'taken; the server has no list of models' }];
  if (mayNotList(answer)) return [{ step: 'auth', ok: true, ms: ms(), detail: 'taken; it may not list models' }];
  if (status < 200 || status > 299) return [{ step: 'auth', ok: false, ms: ms(), detail: refusalOf(answer) }];
  const auth: ProbeStep = { step: 'auth', ok: true, ms: ms(), detail: `status ${status}` };
  if (findVendor(provider.vendor)?.ownNames) return [auth];
  return [auth, modelStep(namesInModelList(parseTrustedJson(text)), wanted)];
}

interface ListAnswer {
  status: number;
  text: string;
  headers: Record<string, string>;
}

/** A key of Amazon that may call models and nothing else is valid. */
function mayNotList({ status, text }: ListAnswer): boolean {
  return status === 403 && text.includes('bedrock:ListFoundationModels');
}

function refusalOf({ status, text, headers }: ListAnswer): string {
  if (status !== 401 && status !== 403) return `status ${status}`;
  const { code, message } = isAwsFailure(headers)
    ? awsFailure(status, headers, text)
    : { code: undefined, message: '' };
  return code === 'clock_skew' ? message : `the credential is refused (${status})`;
}

async function requestModels(
  provider: Provider,
  credential: Provider['credentials'][number] | undefined,
  { clock, transport }: ProviderTestTools,
): Promise<ListAnswer | { problem: string }> {
  const { path, headers: listHeaders, host } = modelListOf(provider.protocol, provider.quirks);
  const asked = host ? { ...provider, baseUrl: provider.baseUrl.replace(host.from, host.to) } : provider;
  try {
    const headers = requestHeaders(provider, credential, listHeaders, 1, undefined);
    const deadlineAtMs = clock.monotonicMs() + TIMEOUT_MS;
    const reply = await transport.send(
      providerCall(asked, credential, headers, { path, whole: true }, TIMEOUT_MS, deadlineAtMs),
    );
    return { status: reply.status, headers: reply.headers, text: await reply.text(MAX_BYTES) };
  } catch (error) {
    return { problem: error instanceof TransportError ? error.message : 'the answer could not be read' };
  }
}

/** Whether a provider accepts a secret, tested on its list of models, which costs nothing. */
export async function trySecret(
  provider: Provider,
  secret: string,
  tools: ProviderTestTools,
): Promise<'works' | 'refused' | 'unreachable'> {
  const answer = await requestModels(provider, { id: '', secret }, tools);
  if ('problem' in answer || answer.status >= 500 || answer.status === 429) return 'unreachable';
  const { status } = answer;
  return (status >= 200 && status < 300) || status === 404 ? 'works' : 'refused';
}

/** A provider's own list of models beside our routes to it. */
export interface ProviderModels {
  provider: string;
  /** Routes of ours that it no longer lists. */
  missing: string[];
  /** Listed there and without a route here: they need a price before they can be offered. */
  unlisted: string[];
  problem: string | null;
}

export async function modelsOfProvider(
  provider: Provider,
  upstreamModels: readonly string[],
  tools: ProviderTestTools,
): Promise<ProviderModels> {
  const answer = await requestModels(provider, provider.credentials[0], tools);
  const failed = 'problem' in answer ? answer.problem : answer.status === 200 ? null : `status ${answer.status}`;
  const names =
    'text' in answer && failed === null ? namesInModelList(parseTrustedJson(answer.text)) : new Set<string>();
  const problem = failed ?? (names.size === 0 ? 'the list is empty' : null);
  if (problem !== null) return { provider: provider.id, missing: [], unlisted: [], problem };
  // Names that the customer chose are in no list.
  if (findVendor(provider.vendor)?.ownNames) return { provider: provider.id, missing: [], unlisted: [], problem: null };
  const known = new Set(upstreamModels);
  return {
    provider: provider.id,
    missing: upstreamModels.filter((name) => !isListed(name, names)).sort(),
    unlisted: [...names].filter((name) => !known.has(name)).sort(),
    problem: null,
  };
}

/** Amazon does not list its profiles over several regions (`eu.anthropic.…`), only the models behind them. */
function isListed(name: string, listed: ReadonlySet<string>): boolean {
  return listed.has(name) || listed.has(name.replace(/^(?:us|us-gov|eu|apac|jp|au|ca|global)\./, ''));
}

function modelStep(listed: ReadonlySet<string>, wanted: readonly string[]): ProbeStep {
  const missing = wanted.filter((name) => !isListed(name, listed));
  if (listed.size === 0) return { step: 'model', ok: true, ms: 0, detail: 'the list is empty' };
  if (missing.length === 0) return { step: 'model', ok: true, ms: 0, detail: `all ${wanted.length} routes are listed` };
  return { step: 'model', ok: false, ms: 0, detail: `not listed there: ${missing.slice(0, 20).join(', ')}` };
}
