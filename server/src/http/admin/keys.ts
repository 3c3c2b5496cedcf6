/** `/api/admin/keys`. A key's text is only in the answer that creates it. */

import {
  changeKey,
  createKey,
  getKey,
  getKeySpend,
  listKeys,
  pauseKey,
  resumeKey,
  revokeKey,
  rotateKey,
} from '@dargah/api/admin/keys.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { AccountService } from '../../accounts/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { type ApiKey, type KeyService, renderKeyRules } from '../../keys/index.ts';
import type { People } from '../../people/index.ts';
import { httpReasons } from '../reasons.ts';
import type { StaffPrincipal } from '../routes/guards.ts';
import type { Register } from '../routes/register.ts';
import type { Spending } from '../spending.ts';

export interface KeyServices {
  keys: KeyService;
  accounts: AccountService;
  people: Pick<People, 'members'>;
  spending: Spending;
}

export function keys(register: Register, { keys: service, accounts, people, spending }: KeyServices): void {
  /** Staff never see the text of a customer's key; a token belongs to the operator's programs and does. */
  const refuseCustomersKey = async (who: StaffPrincipal, accountId: string) => {
    if (who.personId === null) return;
    const { managedBy } = await accounts.get(accountId);
    if (managedBy !== 'config' && (await people.members.hasCustomers(accountId)))
      throw new GatewayError('forbidden', { reason: httpReasons.customersOwnKey });
  };
  register(createKey, async ({ body, actor, who }) => {
    await refuseCustomersKey(who, body.account_id);
    const { account_id: accountId, name, rules } = body;
    const input = { accountId, name, ...(rules === undefined ? {} : { rules: rules as Json }) };
    const { key, text } = await service.create(input, actor);
    return { ...keyView(key), key: text };
  });
  register(listKeys, async ({ query }) => {
    const { items, next } = await service.list(query.account_id, query);
    return page(items.map(keyView), next);
  });
  register(getKey, async ({ params }) => keyView(await service.get(params.id)));
  register(getKeySpend, async ({ params }) => {
    const key = await service.get(params.id);
    const { calendar } = await accounts.get(key.accountId);
    const spend = await spending.periods(key.accountId, 'key', key.id, key.rules.caps, calendar);
    return { object: 'spend', key_id: key.id, spend };
  });
  register(changeKey, async ({ params, body, actor }) =>
    keyView(await service.update(params.id, body as { name?: string; rules?: Json }, actor)),
  );
  register(rotateKey, async ({ params, actor, who }) => {
    await refuseCustomersKey(who, (await service.get(params.id)).accountId);
    const { key, text } = await service.rotate(params.id, actor);
    return { ...keyView(key), key: text };
  });
  keyActions(register, service);
}

function keyActions(register: Register, service: KeyService): void {
  register(pauseKey, async ({ params, actor }) => keyView(await service.pause(params.id, true, actor)));
  register(resumeKey, async ({ params, actor }) => keyView(await service.pause(params.id, false, actor)));
  register(revokeKey, async ({ params, actor }) => keyView(await service.revoke(params.id, actor)));
}

function keyView(key: ApiKey): ResultOf<typeof getKey> {
  return {
    object: 'key',
    id: key.id,
    account_id: key.accountId,
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    rules: renderKeyRules(key.rules),
    managed_by: key.managedBy,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}
