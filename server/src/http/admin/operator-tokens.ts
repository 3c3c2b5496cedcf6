/** `/api/admin/operator-tokens`: which programs may work on the operator API. */

import {
  createOperatorToken,
  listOperatorTokens,
  revokeOperatorToken,
  setTokenCreditLimits,
} from '@dargah/api/admin/operator-tokens.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import { OPERATOR_SCOPES } from '@dargah/core/operator-scopes.ts';
import { checkLimits } from '../../accounting/index.ts';
import type { Clock } from '../../core/clock.ts';
import { money, toTomanText } from '../../core/money.ts';
import { ENVIRONMENT_TOKEN, type OperatorToken, type People } from '../../people/index.ts';
import type { Register } from '../routes/register.ts';
import { givenLimits, requirePerson } from './by-hand.ts';

export interface OperatorTokenServices {
  people: Pick<People, 'operatorTokens' | 'settings'>;
  clock: Clock;
  /** Whether DARGAH_OPERATOR_TOKEN is set. */
  hasEnvironmentToken: boolean;
}

export function operatorTokens(register: Register, services: OperatorTokenServices): void {
  const { people } = services;
  const tokens = people.operatorTokens;
  const view = (token: OperatorToken) => tokenView(token, services);
  register(listOperatorTokens, async () => {
    const named = (await tokens.list()).map(view);
    return page(services.hasEnvironmentToken ? [await environmentView(services), ...named] : named);
  });
  register(createOperatorToken, async ({ body, actor }) => {
    const { name, scopes, expires_at: expiresAt } = body;
    const { token, text } = await tokens.create({ name, scopes, expiresAt }, actor);
    return { ...view(token), token: text };
  });
  register(setTokenCreditLimits, async ({ params, body, actor, who }) => {
    requirePerson(who);
    const limits = givenLimits(body, 'act', null);
    checkLimits(limits, 'act');
    return view(await tokens.setCreditLimits(params.id, limits, actor));
  });
  register(revokeOperatorToken, async ({ params, actor }) => view(await tokens.revoke(params.id, actor)));
}

function tokenView(
  token: OperatorToken,
  { people, clock }: OperatorTokenServices,
): ResultOf<typeof revokeOperatorToken> {
  const { id, name, last4, scopes, expiresAt, createdBy, createdAt, lastUsedAt, revokedAt } = token;
  const isOver = expiresAt !== null && expiresAt.getTime() <= clock.now();
  const usable = people.settings.operatorTokens ? 'live' : 'off';
  return {
    object: 'operator_token',
    id,
    name,
    source: 'named',
    last4,
    scopes,
    state: revokedAt !== null ? 'revoked' : isOver ? 'expired' : usable,
    expires_at: expiresAt?.toISOString() ?? null,
    created_by: createdBy,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
    credit_limits: { act: said(token.creditAct), day: said(token.creditDay) },
  };
}

function said(amount: string): string {
  return toTomanText(money(BigInt(amount)));
}

async function environmentView({ people }: OperatorTokenServices): Promise<ResultOf<typeof revokeOperatorToken>> {
  const usedAt = await people.operatorTokens.environmentLastUsed();
  return {
    object: 'operator_token',
    id: ENVIRONMENT_TOKEN,
    name: ENVIRONMENT_TOKEN,
    source: 'environment',
    last4: null,
    scopes: [...OPERATOR_SCOPES],
    state: people.settings.operatorTokens ? 'live' : 'off',
    expires_at: null,
    created_by: null,
    created_at: null,
    last_used_at: usedAt?.toISOString() ?? null,
    revoked_at: null,
    // It may give credit as an owner may.
    credit_limits: null,
  };
}
