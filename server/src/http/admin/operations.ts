/** What an operator does to a running service: try a provider, look at the ways out, change the master key. */

import { listEgresses, listProviderModels, rotateSecrets, testProvider } from '@dargah/api/admin/operations.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { AskModels, CatalogAdmin } from '../../catalog/index.ts';
import { GatewayError } from '../../core/errors.ts';
import type { ProviderModels, ProviderTest } from '../../gateway/index.ts';
import type { Rotation } from '../../platform/master-key-rotation.ts';
import type { EgressHealth } from '../../platform/upstream/index.ts';
import type { Register } from '../routes/register.ts';

export interface OperatorTools {
  /** Returns undefined when no provider of this id can be used now. */
  testProvider(id: string): Promise<ProviderTest | undefined>;
  /** Asks a provider for its own list of models. */
  modelsOf: AskModels;
  /** The list of models of every provider that can be used now. */
  providerModels(): Promise<ProviderModels[]>;
  egresses(): EgressHealth[];
  rotateSecrets(actor: string): Promise<Rotation>;
}

export function operatorTools(
  register: Register,
  tools: OperatorTools,
  providers: Pick<CatalogAdmin['providers'], 'tested'>,
): void {
  register(testProvider, async ({ params }) => {
    const test = await tools.testProvider(params.id);
    if (!test) throw new GatewayError('not_found');
    await providers.tested(params.id, test.ok);
    return { object: 'provider_test' as const, provider: params.id, ...test };
  });
  register(listProviderModels, async () => page((await tools.providerModels()).map((one) => ({ ...one }))));
  register(listEgresses, async () =>
    page(
      tools.egresses().map(({ connectMs, cause, ...rest }) => ({
        ...rest,
        cause: cause ?? null,
        connect_ms: connectMs ?? null,
      })),
    ),
  );
  register(rotateSecrets, async ({ actor }) => ({
    object: 'secrets_rotation' as const,
    ...(await tools.rotateSecrets(actor)),
  }));
}
