import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { renderQuirks } from '../../src/catalog/reading/index.ts';
import { readConfig } from '../../src/config/index.ts';

it('a provider can be given every deviation, and is shown with it', () => {
  const quirks = {
    rejects_stream_options: true,
    no_developer_role: true,
    rejects_sampling: false,
    replays_tool_signatures: true,
    takes_cache_control: true,
    rejects_strict_tools: true,
    adaptive_thinking: true,
    max_tokens_field: 'max_tokens',
    reasoning_style: 'none',
    replay_reasoning_as: 'reasoning',
    rerank_style: 'tei',
    begun_turn: 'partial',
    image_style: 'xai',
    drop_fields: ['seed'],
    pass_fields: ['all'],
    azure_api_version: '2026-01-01',
    cloud: 'bedrock',
    aws_region: 'eu-central-1',
    embeddings: { encoding: 'float', max_inputs: 5 },
  };
  const provider = { id: 'odd', protocol: 'openai-chat', base_url: 'http://127.0.0.1:9/v1', api_key: 'x', quirks };
  const { catalog, mistakes } = readConfig(stringify({ providers: [provider] }), {});
  expect(mistakes).toEqual([]);
  expect(catalog.providers[0]?.quirks).toMatchObject({ takesCacheControl: true, replaysToolSignatures: true });
  expect(renderQuirks(catalog.providers[0]?.quirks ?? {})).toEqual(quirks);
});
