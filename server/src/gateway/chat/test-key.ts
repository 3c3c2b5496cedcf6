/** The rule tester: a dry run of a key that is not presented, from an address and at a time of the asker's choice. */
import { GatewayError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Language } from '../../core/text.ts';
import { checkKeyRules, type Endpoint, type KeySnapshot } from '../../keys/index.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import { dryRun, judge, LATER, type RuleVerdict } from './dry-run.ts';

export interface KeyTest {
  key: KeySnapshot;
  endpoint: Endpoint;
  ip: string;
  referrer: string | undefined;
  nowMs: number;
  body: JsonObject;
  language: Language;
}

/** Each of the key's own rules alone: the others are lifted, so that every one gets its own verdict. */
const OWN_RULES = ['paused', 'expired', 'ip', 'referrer', 'endpoint'] as const;

export async function testKey(test: KeyTest, protocol: ClientProtocol, gw: Gateway): Promise<JsonObject> {
  const rules: RuleVerdict[] = [];
  const { language } = test;
  try {
    for (const rule of OWN_RULES) judge(rules, rule, language, () => checkAlone(rule, test));
    const request = judge(rules, 'body', language, () => protocol.client.decodeRequest(test.body));
    return await dryRun(request, test.key, { language, before: rules }, gw);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return notReached(rules);
  }
}

function checkAlone(rule: (typeof OWN_RULES)[number], { key, endpoint, ip, referrer, nowMs }: KeyTest): void {
  const { rules, account } = key;
  const lifted = {
    ...rules,
    paused: rule === 'paused' && rules.paused,
    expiresAt: rule === 'expired' ? rules.expiresAt : null,
    ips: rule === 'ip' ? rules.ips : null,
    referrers: rule === 'referrer' ? rules.referrers : null,
    endpoints: rule === 'endpoint' ? rules.endpoints : null,
  };
  const accountRules = {
    ...account.rules,
    paused: rule === 'paused' && account.rules.paused,
    endpoints: rule === 'endpoint' ? account.rules.endpoints : null,
  };
  const alone = { ...key, rules: lifted, account: { ...account, rules: accountRules } };
  checkKeyRules(alone, { endpoint, ip, referrer, nowMs });
}

const IN_ORDER = [...OWN_RULES, 'body', ...LATER];

function notReached(rules: RuleVerdict[]): JsonObject {
  const reached = new Set(rules.map(({ rule }) => rule));
  const rest = IN_ORDER.filter((rule) => !reached.has(rule)).map(
    (rule): RuleVerdict => ({ rule, verdict: 'not_reached', code: null, detail: {}, message: null }),
  );
  return {
    object: 'dry_run',
    passes: false,
    rules: [...rules, ...rest] as never,
    model: null,
    tokens: null,
    price: null,
    hold: null,
    routes: [],
    notes: [],
  };
}
