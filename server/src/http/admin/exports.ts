/** `/api/admin/exports` and `/api/admin/views`: lists as files, and views that people saved. */

import * as routes from '@dargah/api/admin/exports.ts';
import { page } from '@dargah/api/building-blocks.ts';
import type { ResultOf } from '@dargah/api/describe-route.ts';
import { DAY_MS } from '@dargah/core/time-spans.ts';
import type { Sink } from '../../core/answer.ts';
import type { ExportJob, Exports, SavedView, SavedViews } from '../../lists/index.ts';
import { RawAnswer } from '../routes/handler-result.ts';
import type { Register } from '../routes/register.ts';
import { exportQuery } from './staff-list.ts';

export interface ListServices {
  exports: Exports;
  views: SavedViews;
}

export function exportRoutes(register: Register, { exports, views }: ListServices): void {
  register(routes.beginExport, async ({ body, who, language }) => {
    const wanted = { list: body.list, query: exportQuery(body.query, who.personId), language };
    return exportView(await exports.begin(wanted, who));
  });
  register(routes.listExports, async ({ actor }) => page((await exports.of(actor)).map(exportView)));
  register(routes.stopExport, async ({ params, actor }) => exportView(await exports.stop(params.id, actor)));
  register(routes.downloadExport, async ({ params, who }) => {
    const { job, pieces } = await exports.download(params.id, who);
    const name = `${job.list}-${job.createdAt.toISOString().slice(0, 10)}.csv`;
    return new RawAnswer({
      kind: 'stream',
      contentType: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': `attachment; filename="${name}"`, 'x-content-type-options': 'nosniff' },
      run: (sink) => send(sink, pieces),
    });
  });
  register(routes.listViews, async ({ actor }) => page((await views.list(actor)).map(savedView)));
  register(routes.saveView, async ({ body, actor }) => savedView(await views.save(actor, body)));
  register(routes.removeView, async ({ params, actor }) => {
    await views.remove(actor, params.id);
    return { id: params.id, deleted: true };
  });
}

/** A file that broke off must not look complete. */
async function send(sink: Sink, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const piece of pieces) {
      if (sink.gone) return;
      await sink.write(piece);
    }
    sink.end();
  } catch {
    sink.cut();
  }
}

function exportView(job: ExportJob): ResultOf<typeof routes.stopExport> {
  return {
    object: 'export',
    id: job.id,
    list: job.list,
    query: job.query,
    state: job.state,
    rows: job.rows,
    bytes: job.bytes,
    reached_at: job.reachedAt?.toISOString() ?? null,
    problem: job.problem,
    created_at: job.createdAt.toISOString(),
    ended_at: job.endedAt?.toISOString() ?? null,
    expires_at: new Date(job.createdAt.getTime() + DAY_MS).toISOString(),
  };
}

function savedView({ id, list, name, query, createdAt }: SavedView): ResultOf<typeof routes.saveView> {
  return { object: 'saved_view', id, list: list, name, query, created_at: createdAt.toISOString() };
}
