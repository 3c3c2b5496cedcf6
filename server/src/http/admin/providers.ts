/** `/api/admin/providers`: who is called. Secrets go in and never come out. */

import {
  addCredential,
  changeProvider,
  createProvider,
  deleteProvider,
  getCostFactor,
  getProvider,
  getProviderUses,
  listCredentials,
  listProviders,
  removeCredential,
  setCostFactor,
} from '@dargah/api/admin/providers.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { CatalogAdmin } from '../../catalog/index.ts';
import type { Json } from '../../core/json.ts';
import type { Register } from '../routes/register.ts';

export function providers(register: Register, { providers: service, uses, costs }: CatalogAdmin): void {
  register(createProvider, ({ body, actor }) => service.create(body as Json, actor));
  register(listProviders, async () => page(await service.list()));
  register(getProvider, ({ params }) => service.get(params.id));
  register(changeProvider, ({ params, body, actor }) => service.update(params.id, body as Json, actor));
  register(deleteProvider, async ({ params, actor }) => {
    const id = params.id;
    await service.remove(id, actor);
    return { id, deleted: true };
  });
  register(getProviderUses, ({ params }) => uses.ofProvider(params.id));
  register(getCostFactor, ({ params }) => costs.factorOf(params.id));
  register(setCostFactor, ({ params, body, actor }) =>
    costs.setFactor(params.id, body.factor === null ? null : String(body.factor), actor),
  );
  credentials(register, service);
}

function credentials(register: Register, service: CatalogAdmin['providers']): void {
  register(addCredential, async ({ params, body, actor }) => {
    const provider = params.id;
    const { id } = await service.addCredential(provider, body, actor);
    return { id, provider };
  });
  register(listCredentials, async ({ params }) => page((await service.get(params.id)).credentials));
  register(removeCredential, async ({ params, actor }) => {
    const id = params.credential;
    await service.removeCredential(params.id, id, actor);
    return { id, deleted: true };
  });
}
