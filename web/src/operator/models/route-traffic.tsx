/** What a route carried since yesterday, beside what its weight says. */
import type { getRouteTraffic } from '@dargah/api/admin/models.ts';
import { useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { partsOf } from './money-fields.ts';
import { useRouteTexts } from './route-texts.ts';

export function RouteTraffic({ model, target }: { model: string; target: string }) {
  const texts = useRouteTexts();
  const format = useFormat();
  const params = partsOf(model);
  const read = useRead<typeof getRouteTraffic>('GET /api/admin/models/:vendor/:model/routes/traffic', { params });
  if (read.data === undefined) return null;
  const day = read.data.data.find(({ route }) => route === target);
  if (day === undefined) return <p className="xs dim">{texts.noTraffic}</p>;
  const all = day.answered + day.failed;
  return (
    <p className="xs mid">
      {texts.traffic(
        format.percent(day.share, 0),
        format.percent(all === 0 ? 0 : day.failed / all, 2),
        day.p95_ms === null ? '—' : format.seconds(day.p95_ms),
      )}
    </p>
  );
}
