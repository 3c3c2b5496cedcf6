/** The rule tester: a dry run for a key that is not presented, with an address and a time that the tester chooses. */

import type { Language } from '@dargah/core/text.ts';
import { GatewayError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { CALLER_RULES, type Endpoint, type KeySnapshot } from '../../keys/index.ts';
import type { ClientProtocol, Gateway } from '../gateway.ts';
import {
  type DryRunAnswer,
  dryRun,
  dryRunAnswer,
  judge,
  NOTHING_TOLD,
  notReached,
  RULES_IN_ORDER,
  type RuleVerdict,
} from './dry-run.ts';

export interface KeyTest {
  key: KeySnapshot;
  endpoint: Endpoint;
  ip: string;
  referrer: string | undefined;
  nowMs: number;
  body: JsonObject;
  language: Language;
}

export async function testKey(test: KeyTest, protocol: ClientProtocol, gw: Gateway): Promise<DryRunAnswer> {
  const rules: RuleVerdict[] = [];
  const { key, language } = test;
  try {
    for (const [rule, of] of Object.entries(CALLER_RULES)) judge(rules, rule, language, () => of(key)?.(test));
    const request = judge(rules, 'body', language, () => protocol.client.decodeRequest(test.body));
    return await dryRun(request, key, { language, before: rules }, gw);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return dryRunAnswer([...rules, ...notReached(rules, RULES_IN_ORDER)], NOTHING_TOLD);
  }
}
