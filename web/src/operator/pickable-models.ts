/** The operator's models as a picker wants them: whatever state they are in, at the price for everybody. */
import type { listGroups } from '@dargah/api/admin/groups.ts';
import type { listManagedModels } from '@dargah/api/admin/models.ts';
import { useMemo } from 'react';
import type { Result } from '../api/call.ts';
import { useRead } from '../api/read.ts';
import type { ModelSource, PickedModel } from '../parts/model-search.ts';

type Managed = Result<typeof listManagedModels>['data'][number];

export function usePickableModels(): ModelSource | undefined {
  const all = useRead<typeof listManagedModels>('GET /api/admin/models', {}).data?.data;
  const groups = useRead<typeof listGroups>('GET /api/admin/groups', {}).data?.data;
  return useMemo(
    () => (all === undefined ? undefined : { data: all.map(pickable), groups: groups ?? [], vendors: {} }),
    [all, groups],
  );
}

function pickable(model: Managed): PickedModel {
  const { id, name, name_fa, kind, context, capabilities, simulated, categories } = model;
  const prices: Record<string, unknown> = { ...model.price?.price };
  const said = (field: string) => (prices[field] == null ? null : String(prices[field]));
  return {
    id,
    name,
    name_fa,
    kind,
    context,
    capabilities,
    simulated,
    vendor: id.slice(0, id.indexOf('/')),
    input: said('input'),
    output: said('output'),
    per: 'million_tokens',
    withdrawn_from: null,
    popular: categories.includes('popular'),
  };
}
