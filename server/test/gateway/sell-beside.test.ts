/** What is asked for beside tokens: which routes it goes to, and that a tier is sold only where its field is sent. */
import { describe, expect, it } from 'vitest';
import type { Model } from '../../src/catalog/index.ts';
import type { AskedTier, HostedCalls, ProtocolId } from '../../src/core/chat.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { sellBeside } from '../../src/gateway/admit/sell-beside.ts';
import type { KeySnapshot } from '../../src/keys/index.ts';
import { passListed, type Quirks } from '../../src/protocols/index.ts';
import type { Target } from '../../src/routing/index.ts';
import { refusalOf } from '../protocols/refusal-of.ts';

const price = {
  version: 'v',
  perRequest: 0n,
  perUnit: { inputFresh: 1n, output: 1n, webSearches: 5n },
  serviceTiers: { fast: 6_000n, priority: 2_000n },
};
const model = { id: 'm', price } as unknown as Model;
const key = { rules: { maxPrice: { input: null, output: null } } } as unknown as KeySnapshot;
const target = (protocol: ProtocolId, quirks: Quirks = {}): Target =>
  ({ route: { provider: { protocol }, quirks }, model }) as unknown as Target;
const planOf = (...targets: Target[]) => ({ targets, model, models: [model] });

describe('a tier', () => {
  it.each<[AskedTier, ProtocolId, Quirks, bigint]>([
    ['fast', 'anthropic-messages', {}, 6n],
    ['fast', 'anthropic-messages', { cloud: 'bedrock' }, 1n],
    ['fast', 'anthropic-messages', { dropFields: ['speed'] }, 1n],
    ['priority', 'openai-chat', {}, 2n],
    ['priority', 'openai-chat', { dropFields: ['service_tier'] }, 1n],
  ])('%s of %s with %o is held at %d', (tier, protocol, quirks, each) => {
    const sold = sellBeside(planOf(target(protocol, quirks)), { protocol, tier, hosted: undefined }, key);
    expect(sold.targets[0]?.model.price.perUnit.output).toBe(each);
    expect(sold.targets[0]?.tier).toBe(each === 1n ? undefined : tier);
  });
});

describe('a search that may be left out', () => {
  const chat = target('openai-chat');
  const responses = target('openai-responses');
  const most = { webSearches: 4 };
  const use = { index: 0, type: 'web_search', calls: 4, most, resultTokens: 1, optional: true };
  const hosted: HostedCalls = { protocol: 'openai-responses', uses: [use], total: 4 };
  const ordered = (calls: HostedCalls, ...targets: Target[]) =>
    sellBeside(planOf(...targets), { protocol: 'openai-responses', tier: undefined, hosted: calls }, key).targets;

  it('goes first to the routes of its model that run it, unless it is offered by habit', () => {
    expect(ordered(hosted, chat, responses)).toEqual([responses, chat]);
    expect(ordered({ ...hosted, isHabit: true }, chat, responses)).toEqual([chat, responses]);
    const fallback = { ...responses, model: { ...model, id: 'other' } };
    expect(ordered(hosted, chat, fallback)).toEqual([chat, fallback]);
  });

  it('leaves the choice of tools to the client where it passes, and takes it out with what is left out', () => {
    const search = { type: 'web_search_20250305', name: 'web_search' };
    const claude = { ...use, type: search.type, optional: false };
    const none = { tools: [search], tool_choice: { type: 'none' } };
    const sold = { price, hosted: { protocol: 'anthropic-messages' as const, uses: [claude] } };
    expect(passListed('anthropic-messages', none, {}, [], sold)).toMatchObject({ tool_choice: { type: 'none' } });

    const f = { type: 'function', name: 'f' };
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [f] };
    const body = { tools: [{ type: 'web_search' }, f], tool_choice: allowed };
    expect(passListed('openai-responses', body, {}, [], { price, hosted })).toMatchObject({ tool_choice: allowed });
    const both = { ...body, tool_choice: { ...allowed, tools: [f, { type: 'web_search' }] } };
    expect(passListed('openai-responses', both, {}, [])).toEqual({ tools: [f] });
  });
});

it('a shell in a container of the provider’s is refused wherever it is brought from, one of the client’s own passes', () => {
  const brought = (environment: JsonObject) => ({
    input: [{ type: 'additional_tools', role: 'developer', tools: [{ type: 'shell', environment }] }],
  });
  expect(passListed('openai-responses', brought({ type: 'local' }), {}, [])).toEqual(brought({ type: 'local' }));
  const hosted = { price, hosted: undefined };
  expect(
    refusalOf(() => passListed('openai-responses', brought({ type: 'container_auto' }), {}, [], hosted)),
  ).toMatchObject({ code: 'invalid_request', param: 'input.0.tools.0' });
});
