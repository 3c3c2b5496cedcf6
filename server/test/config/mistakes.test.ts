import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { checkConfig, findingText, readConfig } from '../../src/config/index.ts';

const PROVIDER =
  'providers:\n  - { id: mock-openai, protocol: openai-chat, base_url: "http://127.0.0.1:1/v1", api_key: k }\n';
const model = (rest: string) => `${PROVIDER}models:\n  - ${rest}\n`;
const GOOD_ROUTE = 'routes: [{ provider: mock-openai, model: m }]';
const GOOD_PRICE = 'price: { input: 100, output: 200 }';

const mistakes = (text: string) => readConfig(text, {}).mistakes.map(findingText);
const warnings = (text: string) => readConfig(text, {}).warnings.map(findingText);

describe('typical mistakes, in the words a person reads', () => {
  it.each<[string, string, string[]]>([
    [
      'a misspelt provider',
      model(`{ id: a/b, routes: [{ provider: mock-opena, model: m }], ${GOOD_PRICE} }`),
      ['models[0].routes[0].provider: no provider has the id "mock-opena" (did you mean "mock-openai"?) (line 4)'],
    ],
    [
      'a misspelt field',
      model(`{ id: a/b, ${GOOD_ROUTE}, ${GOOD_PRICE}, contxt: 5 }`),
      ['models[0].contxt: is not a known field (did you mean "context"?) (line 4)'],
    ],
    ['a misspelt section', 'provider: []\n', ['provider: is not a known field (did you mean "providers"?) (line 1)']],
    [
      'a setting that is the choice of accounts and keys',
      'settings: { log_prompts: true }\n',
      ['settings.log_prompts: is not a known field (line 1)'],
    ],
    ['no price', model(`{ id: a/b, ${GOOD_ROUTE} }`), ['models[0].price: is required (line 4)']],
    [
      'half a price',
      model(`{ id: a/b, ${GOOD_ROUTE}, price: { input: 5000 } }`),
      [
        'models[0].price: a chat model needs a price for output above 0 (a zero price means unknown, never free) (line 4)',
      ],
    ],
    [
      'a price per token',
      model(`{ id: a/b, ${GOOD_ROUTE}, price: { input: 0.015, output: 60 } }`),
      [
        'models[0].price.input: must be whole toman per million units, since less than one micro-toman per unit cannot be charged exactly, but is 0.015 (line 4)',
      ],
    ],
    [
      'a price a million times too high',
      model(`{ id: a/b, ${GOOD_ROUTE}, price: { input: 15000000000, output: 60000000000 } }`),
      [
        'models[0].price.input: 15000000000 toman per million is above 10000000000: prices are per million units, not per unit (line 4)',
        'models[0].price.output: 60000000000 toman per million is above 10000000000: prices are per million units, not per unit (line 4)',
      ],
    ],
    [
      'an unknown price field',
      model(`{ id: a/b, ${GOOD_ROUTE}, price: { input: 100, outptu: 200 } }`),
      ['models[0].price.outptu: is not a known field (did you mean "output"?) (line 4)'],
    ],
    [
      'an id without a vendor',
      model(`{ id: gpt, ${GOOD_ROUTE}, ${GOOD_PRICE} }`),
      ['models[0].id: must be <vendor>/<model>, such as openai/gpt-4o, without spaces (line 4)'],
    ],
    [
      'an id used twice',
      `${model(`{ id: a/b, ${GOOD_ROUTE}, ${GOOD_PRICE} }`)}  - { id: a/b, ${GOOD_ROUTE}, ${GOOD_PRICE} }\n`,
      ['models[1].id: the model id "a/b" is already used at models[0].id (line 5)'],
    ],
    [
      'no routes',
      model(`{ id: a/b, routes: [], ${GOOD_PRICE} }`),
      ['models[0].routes: must hold at least one route (line 4)'],
    ],
    [
      'an unknown capability',
      model(`{ id: a/b, ${GOOD_ROUTE}, ${GOOD_PRICE}, capabilities: [tool] }`),
      [
        'models[0].capabilities[0]: must be one of vision, audio_input, files, tools, json_object, json_schema, reasoning, streaming, seed, logprobs, prefill, but is "tool" (did you mean "tools"?) (line 4)',
      ],
    ],
    [
      'more output than context',
      model(`{ id: a/b, ${GOOD_ROUTE}, ${GOOD_PRICE}, context: 10, max_output: 20 }`),
      ['models[0].max_output: is above context (10) (line 4)'],
    ],
    [
      'an unknown protocol',
      'providers:\n  - { id: p, protocol: openai, base_url: "http://x" }\n',
      [
        'providers[0].protocol: must be one of openai-chat, openai-responses, anthropic-messages, gemini-generate, bedrock-converse, but is "openai" (line 2)',
      ],
    ],
    [
      'an address that is none',
      'providers:\n  - { id: p, protocol: openai-chat, base_url: localhost }\n',
      ['providers[0].base_url: must be an http or https address, but is "localhost" (line 2)'],
    ],
    [
      'a secret in the address',
      'providers:\n  - { id: p, protocol: openai-chat, base_url: "http://u:pw@x" }\n',
      ['providers[0].base_url: must not hold a user name or password: give the secret as api_key_env (line 2)'],
    ],
    [
      'a key twice',
      'providers:\n  - { id: p, protocol: openai-chat, base_url: "http://x", api_key: a, api_key_env: B }\n',
      ['providers[0].api_key_env: stands beside api_key: give one of the two (line 2)'],
    ],
    [
      'a number as key',
      'providers:\n  - { id: p, protocol: openai-chat, base_url: "http://x", api_key: 12345 }\n',
      ['providers[0].api_key: must be text, but is 12345: put it in quotes (line 2)'],
    ],
    [
      'a header that is ours',
      'providers:\n  - { id: p, protocol: openai-chat, base_url: "http://x", headers: { Authorization: x } }\n',
      ['providers[0].headers.Authorization: is set by the gateway itself and cannot be given here (line 2)'],
    ],
    [
      'a group with a stranger',
      `${model(`{ id: a/b, ${GOOD_ROUTE}, ${GOOD_PRICE} }`)}groups:\n  - { id: g, default: a/c, models: [a/b] }\n`,
      ['groups[0].default: "a/c" is not among the group\'s models (did you mean "a/b"?) (line 6)'],
    ],
    [
      'a rate that is no number',
      'money: { exchange_rate: "100,000" }\n',
      ['money.exchange_rate: must be a plain number from 1 to 1000000000, but is "100,000" (line 1)'],
    ],
    [
      'a setting out of bounds',
      'settings:\n  keepalive_ms: 5\n',
      ['settings.keepalive_ms: must be a whole number from 1000 to 60000, but is 5 (line 2)'],
    ],
    [
      'two wrong rules at once',
      'accounts:\n  - id: a\n    keys:\n      - id: k\n        key: dg-x-123456\n        rules:\n          rpm: -1\n          ips: [home]\n',
      [
        'accounts[0].keys[0].rules.rpm: must be a whole number from 0 to 1000000, or null for no limit (line 7)',
        'accounts[0].keys[0].rules.ips[0]: must be an IP address or CIDR range (line 8)',
      ],
    ],
    ['a list where a mapping belongs', 'money: []\n', ['money: must be a mapping, but is a list (line 1)']],
    [
      'a scalar file',
      'hello\n',
      ['(file): must be a mapping with sections such as providers and models, but is "hello"'],
    ],
  ])('%s', (_, text, expected) => {
    expect(mistakes(text)).toEqual(expected);
  });

  it('broken YAML names its line', () => {
    expect(mistakes('money:\n  margin: [1\n')).toEqual([
      expect.stringMatching(/^\(file\): is not valid YAML: .+ \(line \d\)$/),
    ]);
  });

  it('all mistakes come at once, with a count', () => {
    const { ok, lines } = checkConfig('f.yaml', readConfig('monney: 1\nsettings: { drain_ms: x }\n', {}));
    expect(ok).toBe(false);
    expect(lines).toHaveLength(3);
    expect(lines.at(-1)).toBe('f.yaml: 2 mistakes');
  });

  it('odd but possible things are warnings', () => {
    expect(warnings(model(`{ id: a/b, ${GOOD_ROUTE}, price: { input: 900, output: 200 } }`))).toEqual([
      'models[0].price.output: is lower than input: are the two swapped? (line 4)',
    ]);
    expect(
      warnings(
        'accounts:\n  - { id: a, keys: [{ id: k, key: dg-x-123456, rules: { default_model: openai/gpt-4oo } }] }\n',
      ),
    ).toEqual([
      'accounts[0].keys[0].rules.default_model: no model has the id "openai/gpt-4oo" here (did you mean "openai/gpt-4o"?) (line 2)',
    ]);
  });
});

describe('whatever the file holds', () => {
  const sound = (text: string) => {
    const config = readConfig(text, { SET: 'value' });
    for (const finding of [...config.mistakes, ...config.warnings]) {
      expect(finding.path).not.toBe('');
      expect(finding.message).not.toBe('');
    }
    expect(checkConfig('f', config).ok).toBe(config.mistakes.length === 0);
  };

  it('reading text never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), sound), { numRuns: 200 });
  });

  const names =
    'id protocol base_url api_key api_key_env api_keys headers quirks timeouts idle_ms routes provider model price input output kind context capabilities categories default models keys key rules caps daily rpm ips endpoints expires_at calendar time_zone month balance vendor auth __proto__ constructor toString';
  const field = fc.constantFrom(...names.split(' '));
  const leaf = fc.oneof(
    fc.constantFrom('openai-chat', 'http://x', 'a/b', 'SET', '', 'jalali', 'bearer', 'openai', 'chat'),
    fc.string({ maxLength: 8 }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(field, tie('value'), { maxKeys: 5 }),
    ),
  }));
  const section = fc.constantFrom('money', 'providers', 'models', 'groups', 'accounts', 'settings', 'sandbox');
  const entries = fc.oneof(fc.array(fc.dictionary(field, value, { maxKeys: 6 }), { maxLength: 3 }), value);

  it('reading structures never throws, and every finding has its place', () => {
    fc.assert(
      fc.property(fc.dictionary(section, entries), (file) => sound(stringify(file))),
      { numRuns: 300 },
    );
  });

  it('anchors that multiply are refused, not expanded', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`)
      .join('\n')}\n`;
    expect(mistakes(bomb)).toEqual([expect.stringMatching(/^\(file\): cannot be read: .*alias/i)]);
  });
});
