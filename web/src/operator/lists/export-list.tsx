/** A list as a file: made in the background, shown here as it grows, told when it is done. */

import type { beginExport, listExports, stopExport } from '@dargah/api/admin/exports.ts';
import type { StaffList } from '@dargah/core/staff-lists.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Result } from '../../api/call.ts';
import { forget, useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { useToast } from '../../parts/toast.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { useListTexts } from './texts.ts';

type Export = Result<typeof listExports>['data'][number];
export type ExportQuery = Readonly<Record<string, string | number | boolean>>;
const EXPORTS = 'GET /api/admin/exports';
const LOOK_MS = 1_500;

export function ExportList({ list, query }: { list: StaffList; query: ExportQuery }) {
  const texts = useListTexts();
  const shared = useShared();
  const toast = useToast();
  const begin = useChange<typeof beginExport>('POST /api/admin/exports', {
    stale: [EXPORTS],
    done: () => toast({ text: texts.began }),
  });
  const newest = useOwnExport(list);
  const isBusy = newest !== undefined && isGoingOn(newest);
  const { limit: _limit, ...filters } = query;
  return (
    <>
      {newest !== undefined && <Progress job={newest} />}
      {!isBusy && (
        <button
          type="button"
          className="btn small"
          disabled={begin.isPending}
          onClick={() => begin.mutate({ body: { list, query: filters } })}
        >
          <Icon name="save" />
          <span dir="ltr">{shared.csv}</span>
        </button>
      )}
    </>
  );
}

function isGoingOn({ state }: Export): boolean {
  return state === 'waiting' || state === 'running';
}

/** The newest of this list, looked at again while it grows; told once when it is done. */
function useOwnExport(list: StaffList): Export | undefined {
  const texts = useListTexts();
  const format = useFormat();
  const toast = useToast();
  const client = useQueryClient();
  const newest = useRead<typeof listExports>(EXPORTS, {}).data?.data.find((job) => job.list === list);
  const going = newest !== undefined && isGoingOn(newest);
  const watched = useRef<string>(undefined);
  useEffect(() => {
    if (!going) return;
    const timer = setInterval(() => forget(client, [EXPORTS]), LOOK_MS);
    return () => clearInterval(timer);
  }, [going, client]);
  useEffect(() => {
    if (newest === undefined) return;
    if (isGoingOn(newest)) watched.current = newest.id;
    else if (watched.current === newest.id) {
      watched.current = undefined;
      if (newest.state === 'done') toast({ tone: 'good', text: texts.done(format.number(newest.rows)) });
    }
  }, [newest, toast, texts, format]);
  return newest;
}

function Progress({ job }: { job: Export }) {
  const texts = useListTexts();
  const shared = useShared();
  const format = useFormat();
  const stop = useChange<typeof stopExport>('POST /api/admin/exports/:id/stop', { stale: [EXPORTS] });
  if (isGoingOn(job))
    return (
      <span className="row keep exporting">
        <output className="xs mid">
          {job.state === 'waiting' ? texts.waiting : texts.exporting(format.number(job.rows))}
        </output>
        <progress className="bar-progress" aria-label={shared.exporting} />
        <button type="button" className="btn small" onClick={() => stop.mutate({ params: { id: job.id } })}>
          {shared.stop}
        </button>
      </span>
    );
  if (job.state === 'done')
    return (
      <a className="btn small plain" href={`/api/admin/exports/${job.id}/file`} download title={texts.keptForADay}>
        {texts.ready(format.number(job.rows))} · {texts.downloadFile}
      </a>
    );
  if (job.state === 'stopped') return null;
  return (
    <span className="xs mid">
      {texts.failed}: {labelOf(texts.problems, job.problem ?? '') ?? job.problem}
    </span>
  );
}
