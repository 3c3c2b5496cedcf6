/** `POST /api/console/keys/{id}/test`: whether a request would pass the key's rules. */

import { testKey } from '@dargah/api/console/test-key.ts';
import type { AccountService } from '../../accounts/index.ts';
import type { JsonObject } from '../../core/json.ts';
import { type ClientProtocol, type Gateway, testKey as runTest } from '../../gateway/index.ts';
import type { KeyService, KeySnapshot, SharedBudgets } from '../../keys/index.ts';
import type { Register } from '../routes/register.ts';
import { timeInput } from '../time-input.ts';
import { ownKey } from './keys.ts';

export type TestedEndpoint = 'chat.completions' | 'messages' | 'responses';

export interface TestServices {
  gw: Gateway;
  keys: KeyService;
  accounts: AccountService;
  budgets: Pick<SharedBudgets, 'list'>;
  protocols: Record<TestedEndpoint, ClientProtocol>;
}

export function testRoutes(register: Register, { gw, keys, accounts, budgets, protocols }: TestServices): void {
  register(testKey, async ({ who, params, body, call, language }) => {
    const { id, name, rules } = await ownKey(keys, who.accountId, params.id);
    const account = await accounts.get(who.accountId);
    const key: KeySnapshot = {
      id,
      name,
      rules,
      account: {
        id: account.id,
        name: account.name,
        rules: account.rules,
        calendar: account.calendar,
        ownCaps: account.ownCaps,
        margin: account.margin,
        blocked: account.blocked,
      },
      budgets: (await budgets.list(account.id)).filter(({ keyIds }) => keyIds.includes(id)),
    };
    const endpoint = (body.endpoint ?? 'chat.completions') as TestedEndpoint;
    const test = {
      key,
      endpoint,
      ip: body.ip ?? call.ip,
      referrer: body.referrer,
      nowMs: body.at === undefined ? gw.clock.now() : timeInput(body.at, 'at', account.calendar.timeZone),
      body: body.request as JsonObject,
      language,
    };
    return runTest(test, protocols[endpoint], gw);
  });
}
