/** Lists of models and list prices from outside: read, shown with what they change, applied or announced, or the shipped one again. */

import type { applyList, listLists, proposeList, useShippedList, withdrawList } from '@dargah/api/admin/lists.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { type Day, startOf } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/figures.tsx';
import { Form, TextField } from '../../parts/form.tsx';
import { Note, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useToast } from '../../parts/toast.tsx';
import { usePreferences } from '../../preferences.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { WhoMay } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { FromDay } from './from-day.tsx';
import { STALE } from './money-fields.ts';
import { useModelTexts } from './texts.ts';

const LISTS = [...STALE, 'GET /api/admin/catalog/lists'];
type PriceList = Result<typeof proposeList>;

export function PriceLists() {
  const texts = useModelTexts();
  const format = useFormat();
  const toast = useToast();
  const mayChange = useStaffMay<typeof proposeList>(['owner', 'finance']);
  const [url, setUrl] = useState('');
  const [shown, setShown] = useState<PriceList>();
  const lists = useRead<typeof listLists>('GET /api/admin/catalog/lists', {}).data?.data ?? [];
  const propose = useChange<typeof proposeList>('POST /api/admin/catalog/lists', {
    stale: LISTS,
    quiet: true,
    done: setShown,
  });
  const shipped = useChange<typeof useShippedList>('DELETE /api/admin/catalog/lists', {
    stale: LISTS,
    done: ({ new_prices: count }) => toast({ text: texts.applied(format.number(count)) }),
  });
  return (
    <Panel
      title={texts.listTitle}
      aside={
        mayChange &&
        lists.some(({ state }) => state === 'applied') && (
          <button type="button" className="btn small" disabled={shipped.isPending} onClick={() => shipped.mutate({})}>
            {texts.listShipped}
          </button>
        )
      }
    >
      <div className="pad stack gap-m">
        <p className="mid">{texts.listText}</p>
        {mayChange ? (
          <Form label={texts.listTitle} onSubmit={() => propose.mutate({ body: { url: url.trim() } })}>
            <TextField
              label={texts.url}
              dir="ltr"
              placeholder="https://"
              value={url}
              onChange={setUrl}
              error={propose.error?.message}
            />
            <div className="row">
              <button type="submit" className="btn" disabled={url.trim() === '' || propose.isPending}>
                {texts.listRead}
              </button>
            </div>
          </Form>
        ) : (
          <WhoMay<typeof proposeList> roles={['owner', 'finance']} />
        )}
        {lists.length > 0 && (
          <ul className="stack gap-s">
            {lists.map((list) => (
              <li key={list.id} className="row between">
                <span>
                  <Id value={list.origin} />{' '}
                  <Moment at={list.effective_at ?? list.created_at} exact={list.state === 'announced'} />
                </span>
                <span className="row keep">
                  <Pill tone={list.state === 'applied' ? 'ok' : list.state === 'announced' ? 'info' : 'off'}>
                    {labelOf(texts.listStates, list.state) ?? list.state}
                  </Pill>
                  <button type="button" className="btn small" onClick={() => setShown(list)}>
                    {texts.preview}
                  </button>
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
      {shown !== undefined && <ListDialog list={shown} onClose={() => setShown(undefined)} />}
    </Panel>
  );
}

function ListDialog({ list, onClose }: { list: PriceList; onClose(): void }) {
  const texts = useModelTexts();
  const shared = useShared();
  const format = useFormat();
  const toast = useToast();
  const { timeZone } = usePreferences();
  const [day, setDay] = useState<Day | null>(null);
  const withdraw = useChange<typeof withdrawList>('DELETE /api/admin/catalog/lists/:id/announcement', {
    stale: LISTS,
    quiet: true,
    done() {
      toast({ text: texts.withdrawn });
      onClose();
    },
  });
  const apply = useChange<typeof applyList>('POST /api/admin/catalog/lists/:id/apply', {
    stale: LISTS,
    quiet: true,
    done({ new_prices: count = 0, state }) {
      toast({ text: state === 'announced' ? texts.announcedDone : texts.applied(format.number(count)) });
      onClose();
    },
  });
  const mayApply = useStaffMay<typeof applyList>(['owner', 'finance']);
  const isOffered = mayApply && list.state !== 'applied' && list.state !== 'announced';
  const doubtful = list.doubts.length > 0;
  const isAnnounced = list.state === 'announced';
  const when = day === null ? {} : { effective_at: startOf(day, timeZone).toISOString() };
  const word = day === null ? texts.listApply : texts.announce;
  return (
    <Dialog
      title={texts.listTitle}
      wide
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.close}
          </button>
          {mayApply && isAnnounced && (
            <button
              type="button"
              className="btn stop"
              disabled={withdraw.isPending}
              onClick={() => withdraw.mutate({ params: { id: list.id } })}
            >
              {texts.withdraw}
            </button>
          )}
          {isOffered && (
            <button
              type="button"
              className={doubtful ? 'btn stop' : 'btn main'}
              disabled={apply.isPending}
              onClick={() => apply.mutate({ params: { id: list.id }, body: { insist: doubtful, ...when } })}
            >
              {doubtful ? texts.listInsist : word}
            </button>
          )}
        </>
      }
    >
      <p>
        {texts.listAdded(format.number(list.added.length))} · {texts.listGone(format.number(list.withdrawn.length))} ·{' '}
        {texts.listChanged(format.number(list.changed.length))}
      </p>
      {doubtful && (
        <Note tone="warn">
          <b>{texts.listDoubts}</b>
          <ul>
            {list.doubts.map((doubt) => (
              <li key={doubt}>
                <bdi>{doubt}</bdi>
              </li>
            ))}
          </ul>
        </Note>
      )}
      <ul className="stack gap-s">
        {list.changed.slice(0, 100).map(({ model, percent }) => (
          <li key={model} className="row between">
            <Id value={model} />
            <span>{percent === null ? '—' : format.percent(percent / 100, 2)}</span>
          </li>
        ))}
      </ul>
      {isOffered && <FromDay value={day} onChange={setDay} />}
      {apply.error !== null && <p className="bad">{apply.error.message}</p>}
      {withdraw.error !== null && <p className="bad">{withdraw.error.message}</p>}
    </Dialog>
  );
}
