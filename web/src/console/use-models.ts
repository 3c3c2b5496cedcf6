/** The models of the account: read once, kept until the live connection tells of a change, shared by every picker. */
import type { listOfferedModels } from '@dargah/api/console/offered-models.ts';
import { useMemo } from 'react';
import type { Result } from '../api/call.ts';
import { useRead } from '../api/read.ts';
import type { ModelSource } from '../parts/model-search.ts';

/** The simulator that answers anything, on an installation without a provider. */
const TRIED_FIRST = 'sandbox/hello';

type Offered = Result<typeof listOfferedModels>;

export function useModels(kind?: string): ModelSource | undefined {
  const all: Offered | undefined = useRead<typeof listOfferedModels>(
    'GET /api/console/models',
    {},
    { untilTold: true },
  ).data;
  return useMemo(
    () =>
      all === undefined || kind === undefined ? all : { ...all, data: all.data.filter((model) => model.kind === kind) },
    [all, kind],
  );
}

/**
 * The initial model of a playground or a test: the last one used, then the cheapest of the popular ones, then any that
 * answers.
 */
export function firstModel(
  source: ModelSource | undefined,
  recent: readonly string[],
  permits: ((id: string) => boolean) | undefined,
): string {
  const open = (source?.data ?? []).filter(({ id }) => permits === undefined || permits(id));
  const used = recent.find((id) => open.some((model) => model.id === id));
  const popular = open
    .filter((model) => model.popular && !model.simulated)
    .sort((a, b) => Number(a.output ?? 0) - Number(b.output ?? 0));
  const first = popular[0] ?? open.find(({ simulated }) => !simulated) ?? open.find(({ id }) => id === TRIED_FIRST);
  return used ?? first?.id ?? open[0]?.id ?? '';
}
