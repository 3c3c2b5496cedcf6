/**
 * THE ORDER OF RULES as the contract has it, each with what breaks it: the one list that tests of the order, of refusals, of
 * dry runs and of the rule tester go by. A new rule is one line here, in its place.
 */
import type { ContractCode } from './expect-error.ts';

export interface OrderedRule {
  name: string;
  code: ContractCode;
  /** Its name in dry runs and in the rule tester; none for what is asked before there is a key. */
  verdict?: string;
  /** The field at fault, which tells the invalid requests apart. */
  param?: string;
  /** `error.limit`, which tells the three rate rules apart. */
  limit?: string;
  key?: object;
  account?: 'poor' | 'stopped';
  /** What a request does to break the rule. */
  body?: { svc?: object; [field: string]: unknown };
  unknownKey?: true;
}

const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const OTHER_BASE = { svc: { knowledge_base_ids: ['kb_other'] } };

/** The numbers are those of the contract. */
export const RULES: OrderedRule[] = [
  { name: '1 key known', code: 'invalid_api_key', unknownKey: true },
  { name: '2 paused', code: 'key_paused', verdict: 'paused', key: { paused: true } },
  { name: '3 expired', code: 'key_expired', verdict: 'expired', key: { expires_at: '2020-01-01T00:00:00Z' } },
  { name: '4 IP', code: 'ip_not_allowed', verdict: 'ip', key: { ips: ['10.0.0.0/8'] } },
  { name: '4 referrer', code: 'ip_not_allowed', verdict: 'referrer', key: { referrers: ['shop.example'] } },
  { name: '5 endpoint', code: 'endpoint_not_allowed', verdict: 'endpoint', key: { endpoints: ['models'] } },
  { name: '6 body valid', code: 'invalid_request', verdict: 'body', param: 'messages', body: { messages: 7 } },
  { name: '7 model resolved', code: 'model_not_found', verdict: 'model', body: { model: 'mock/none' } },
  { name: '8 model permitted', code: 'model_not_allowed', verdict: 'model', key: { models: ['mock/claude'] } },
  {
    name: '9 capability',
    code: 'invalid_request',
    verdict: 'capability',
    param: 'tools',
    body: { model: 'mock/plain', tools: TOOLS },
  },
  { name: '9 price permitted', code: 'price_above_limit', verdict: 'price', key: { max_price: { output: 1 } } },
  {
    name: '9 data policy stated',
    code: 'data_policy_unmet',
    verdict: 'data',
    key: { data_policy: { no_training: true } },
  },
  {
    name: '9 frames of streams kept',
    code: 'invalid_request',
    verdict: 'resume',
    param: 'svc.resume_seconds',
    key: { resume_seconds: 0 },
    body: { svc: { resume_seconds: 60 } },
  },
  {
    name: '9 answers cached',
    code: 'invalid_request',
    verdict: 'cache',
    param: 'svc.cache_seconds',
    key: { cache_seconds: 0 },
    body: { svc: { cache_seconds: 60 } },
  },
  {
    name: '9 knowledge base permitted',
    code: 'invalid_request',
    verdict: 'knowledge',
    param: 'svc.knowledge_base_ids',
    key: { knowledge_bases: [] },
    body: OTHER_BASE,
  },
  { name: '10 RPM of the key', code: 'rate_limited', verdict: 'requests_of_key', limit: 'rpm', key: { rpm: 0 } },
  {
    name: '10 RPM of the account',
    code: 'rate_limited',
    verdict: 'requests_of_account',
    limit: 'account_rpm',
    account: 'stopped',
  },
  { name: '11 spend cap', code: 'spend_cap_reached', verdict: 'cap', key: { caps: { daily: 0 } } },
  { name: '12 wallet', code: 'insufficient_balance', verdict: 'wallet', account: 'poor' },
  { name: '13 TPM', code: 'rate_limited', verdict: 'tokens_of_key', limit: 'tpm', key: { tpm: 1 } },
];

/** Every name that the rule tester tells, in its order. */
export const VERDICTS = [...new Set(RULES.flatMap(({ verdict }) => verdict ?? []))];

/** What is told where this rule is the first that refuses. */
export function verdictsWith(refusing: string): string[] {
  const at = VERDICTS.indexOf(refusing);
  return VERDICTS.map((rule, index) => `${rule} ${index < at ? 'passes' : index === at ? 'refuses' : 'not_reached'}`);
}
