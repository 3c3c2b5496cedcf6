/** `/api/console/provider-keys`: the account's own keys at providers. */
import {
  addProviderKey,
  changeProviderKey,
  listProviderKeys,
  removeProviderKey,
} from '@dargah/api/console/provider-keys.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import type { Gateway } from '../../gateway/index.ts';
import type { OwnKey, OwnKeys } from '../../keys/index.ts';
import { makerName } from '../pages/catalog/model-labels.ts';
import type { Register } from '../routes/register.ts';

export interface ProviderKeyServices {
  gw: Pick<Gateway, 'catalog' | 'settings'>;
  ownKeys: OwnKeys;
}

export function providerKeyRoutes(register: Register, { gw, ownKeys }: ProviderKeyServices): void {
  const view = (key: OwnKey): ResultOf<typeof changeProviderKey> => ({
    object: 'provider_key',
    id: key.id,
    provider: key.provider,
    name: key.name,
    last4: key.last4,
    fallback: key.fallback,
    in_use: gw.settings.ownKeys && gw.catalog.current().providers.get(key.provider)?.takesOwnKeys === true,
    created_by: key.createdBy,
    created_at: key.createdAt.toISOString(),
    updated_at: key.updatedAt.toISOString(),
  });
  register(listProviderKeys, async ({ who: { accountId } }) => {
    const { settings, catalog } = gw;
    const taking = settings.ownKeys ? [...catalog.current().providers.values()].filter((one) => one.takesOwnKeys) : [];
    return {
      object: 'list',
      data: (await ownKeys.list(accountId)).map(view),
      enabled: settings.ownKeys,
      fee_percent: settings.ownKeyFeePercent,
      providers: taking.map(({ id, vendor }) => ({
        id,
        name: { fa: makerName(vendor, 'fa'), en: makerName(vendor, 'en') },
      })),
    };
  });
  register(addProviderKey, async ({ who: { accountId }, body, actor }) =>
    view(await ownKeys.add(accountId, body, actor)),
  );
  register(changeProviderKey, async ({ who: { accountId }, params, body, actor }) =>
    view(await ownKeys.change(accountId, params.id, body, actor)),
  );
  register(removeProviderKey, async ({ who: { accountId }, params, actor }) => {
    await ownKeys.remove(accountId, params.id, actor);
    return { done: true };
  });
}
