/** Own keys, `auto`, caches, batches and data policies where they meet: none of them changes the price or the promise of another. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Model } from '../../src/catalog/index.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Usage } from '../../src/core/usage.ts';
import { autoOf } from '../../src/gateway/admit/auto-choice.ts';
import { planModel, type RequestPlan } from '../../src/gateway/admit/plan.ts';
import type { Call } from '../../src/gateway/call.ts';
import { cachedChats } from '../../src/gateway/chat/cached-chat.ts';
import type { PaidChat } from '../../src/gateway/chat/read-chat.ts';
import { cachedVectors } from '../../src/gateway/embeddings/cached-vectors.ts';
import type { Gateway } from '../../src/gateway/index.ts';
import { attemptCached } from '../../src/gateway/paid/attempt-cached.ts';
import { holdForResponse } from '../../src/gateway/realtime/response-hold.ts';
import { DEFAULT_CALENDAR, type KeySnapshot, UNLIMITED_ACCOUNT, UNLIMITED_KEY } from '../../src/keys/index.ts';
import { Cancellation } from '../../src/platform/upstream/index.ts';
import { type Target, targetsOf } from '../../src/routing/index.ts';
import { model, provider, route } from '../routing/fixtures.ts';

const KEY: KeySnapshot = {
  id: 'k',
  name: 'k',
  rules: UNLIMITED_KEY,
  account: { id: 'acme', name: 'acme', rules: UNLIMITED_ACCOUNT, calendar: DEFAULT_CALENDAR },
};
const EU = { noTraining: false, maxRetentionDays: null, regions: ['eu'] };
const IN_EU = { training: null, retention_days: null, region: 'eu' };

const catalogOf = (...models: Model[]) => ({
  current: () => ({ models: new Map(models.map((one) => [one.id, one])), groups: new Map(), providers: new Map() }),
});

describe('a line of a batch that asks for auto', () => {
  it('is sold at the part of the price that was agreed on, like one that names its model', () => {
    const gw = { settings: { autoModels: ['mock/chat'] }, catalog: catalogOf(model([route(provider('a'))])) };
    const request = { model: 'auto', messages: [], tools: [], output: { kind: 'text' }, sampling: {}, extras: {} };
    const asked = { ...request, svc: { knowledgeBaseIds: [] } } as unknown as Parameters<typeof autoOf>[0];
    const priceFor = (key: KeySnapshot) =>
      autoOf(asked, key, gw as unknown as Gateway)?.models.map(({ price }) => price.perUnit);
    expect(priceFor(KEY)).toEqual([{ inputFresh: 100n, output: 400n }]);
    expect(priceFor({ ...KEY, pricePercent: 50 })).toEqual([{ inputFresh: 50n, output: 200n }]);
  });
});

describe('an own key behind other routes', () => {
  it('is told, so that what it does counts neither as the operator’s uptime nor as an unknown cost', () => {
    const own = { id: 'ownk_1', provider: 'b', secret: 's', fallback: true };
    const key = { ...KEY, account: { ...KEY.account, ownKeys: [own] } };
    const asked = model([route(provider('a')), route(provider('b', { takesOwnKeys: true }))]);
    // As the router orders them while too many requests run with the own key.
    const plan = ({ models }: { models: Model[] }) => ({
      targets: [...models].reverse().flatMap((one) => [...targetsOf(one)]),
      explanation: [],
    });
    const gw = { settings: { ownKeys: true, ownKeyFeePercent: 5 }, router: { plan } } as unknown as Gateway;
    const { targets, told } = planModel(asked, key, undefined, gw);
    expect(targets.map(({ route: { own } }) => own?.id)).toEqual([undefined, undefined, 'ownk_1']);
    expect(told?.ownKey).toEqual({ id: 'ownk_1', feePercent: 5, answered: false });
    expect(planModel(asked, KEY, undefined, gw).told).toBeUndefined();
  });
});

describe('a cached answer', () => {
  afterEach(() => void vi.useRealTimers());

  const only = model([route(provider('a'))]);
  const plan = { model: only, targets: [...targetsOf(only)] } as unknown as RequestPlan;
  const runWith = (demanded?: object[]) => ({
    call: { endpoint: 'x', relayHeaders: {} },
    told: demanded && { data: { demanded, stated: null } },
  });

  it('is that of another request where the key demands other providers', () => {
    const chat = {
      request: { svc: { knowledgeBaseIds: [] } },
      prompt: { messages: [], extras: {} },
      relayBody: undefined,
    };
    const texts = { request: { inputs: ['a'], extras: {}, svc: { knowledgeBaseIds: [] } } };
    const chats = [undefined, [], [EU]].map((demanded) =>
      cachedChats.digest({ asked: chat, run: runWith(demanded) } as unknown as PaidChat, plan),
    );
    expect(new Set(chats).size).toBe(3);
    type Embedding = Parameters<typeof cachedVectors.digest>[0];
    const vectors = [undefined, [EU]].map((demanded) =>
      cachedVectors.digest({ asked: texts, run: runWith(demanded) } as unknown as Embedding, plan),
    );
    expect(new Set(vectors).size).toBe(2);
  });

  it('that was waited for leaves no timer behind, which would keep it until the deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const given: Target[] = [];
    const run = {
      key: KEY,
      deadlineAtMs: systemClock.monotonicMs() + 600_000,
      cancellation: new Cancellation(),
      noteCache: () => undefined,
      giveCached: (_how: string, instead: Target) => given.push(instead),
    };
    const endpoint = { cached: { digest: () => 'd', read: (text: string) => text } };
    const gw = {
      clock: systemClock,
      settings: { cachePricePercent: 10 },
      responseCache: { claim: async () => ({ kind: 'made-now', ended: Promise.resolve('answer') }) },
    };
    const attempted = { paid: { run }, plan, endpoint } as unknown as Parameters<typeof attemptCached>[0];
    const { begun } = await attemptCached(attempted, { keepMs: 1_000 }, gw as unknown as Gateway);
    expect(begun).toBe('answer');
    expect(given).toEqual([plan.targets[0]]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a response of a realtime session', () => {
  it('is refused once its key demands what its provider does not state', async () => {
    const [silent, stating] = [route(provider('a')), route(provider('b', { dataPolicy: IN_EU as never }))];
    const spoken = model([silent, stating], { kind: 'realtime' });
    const gw = {
      settings: { holdStepTokens: 100 },
      catalog: catalogOf(spoken),
      // Whoever comes so far was let in by every rule.
      journal: { accepting: () => false },
    } as unknown as Gateway;
    const key = { ...KEY, rules: { ...KEY.rules, dataPolicy: EU } };
    const usage: Usage = { buckets: { inputFresh: 10 }, source: 'estimated' };
    const ask = (whose: KeySnapshot, used: typeof silent) =>
      holdForResponse({ metadata: {} } as Call, whose, spoken.id, usage, used, gw);
    await expect(ask(key, silent)).rejects.toMatchObject({ code: 'data_policy_unmet' });
    await expect(ask(key, stating)).rejects.toMatchObject({ code: 'overloaded' });
    await expect(ask(KEY, silent)).rejects.toMatchObject({ code: 'overloaded' });
  });
});
