/**
 * The conformance matrix, wired: the gateway sends the probes, at night or on demand, and staff are told of changes.
 */
import { Conformance } from '../conformance/index.ts';
import { askRoute, type Gateway } from '../gateway/index.ts';
import type { ConformanceServices } from '../http/index.ts';
import type { Notices } from '../notices/index.ts';
import type { Foundation } from './foundation.ts';

const LOOK_MS = 60_000;
const PAGE = '/operator/conformance';

export function openConformance(base: Foundation, gw: Gateway, notices: Notices): ConformanceServices {
  const { db, clock, log, background } = base;
  const conformance = new Conformance({
    db,
    clock,
    log,
    randomBytes: base.tools.randomBytes,
    catalog: () => gw.catalog.current(),
    reload: () => base.catalog.reload(),
    ask: (model, route, request) => askRoute(model, route, request, gw),
    budget: () => gw.settings.conformanceBudget,
    detach: (work) => background.detach(work, 'conformance run'),
    async tell({ id, changed }, changes) {
      const data = { count: changed, changes: [...changes] };
      await notices.raise({ accountId: '', event: 'conformance.changed', occasion: id, data, link: PAGE });
    },
  });
  background.every(LOOK_MS, 'conformance', () => conformance.night());
  return { conformance, budget: () => gw.settings.conformanceBudget, current: () => gw.catalog.current() };
}
