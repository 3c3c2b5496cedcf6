/** Drafts of the catalog and what was published: a preview of what a draft does, one button that publishes it, one that undoes it. */

import type { discardChange, getChange, listChanges, publishChange, undoChange } from '@dargah/api/admin/offers.ts';
import { Link, useLocation } from 'wouter';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id, ModelName } from '../../parts/copyable.tsx';
import { AskingButton } from '../../parts/dialog.tsx';
import { Amount, Moment } from '../../parts/figures.tsx';
import { Empty, Note, PageHead, Panel } from '../../parts/page-frame.tsx';
import { Pill, type Tone } from '../../parts/pill.tsx';
import { Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { labelOf } from '../../texts/dictionary.tsx';
import { useStaffMay } from '../may.ts';
import { useOfferTexts } from '../providers/offer-texts.ts';
import { BothUnits } from '../providers/unit-price.tsx';
import { STALE } from './money-fields.ts';
import { SellingNote } from './selling.tsx';
import { UndoText } from './undo-text.tsx';

type Change = Result<typeof listChanges>['data'][number];
type Preview = NonNullable<Result<typeof getChange>['preview']>;
const CHANGED = [
  ...STALE,
  'GET /api/admin/catalog/changes',
  'GET /api/admin/catalog/changes/:id',
  'GET /api/admin/providers/:id/offer',
];
const TONES: Record<string, Tone> = { draft: 'held', published: 'ok', undone: 'off' };

export default function ChangesPage({ params }: { params: { id?: string | undefined } }) {
  return params.id === undefined ? <List /> : <One key={params.id} id={params.id} />;
}

function useSaid(): (change: Change) => string {
  const texts = useOfferTexts();
  const format = useFormat();
  return ({ edits }) => {
    const prices = edits.filter(({ op }) => op === 'price' || op === 'unpin').length;
    return texts.edits(format.number(edits.length - prices), format.number(prices));
  };
}

function List() {
  const texts = useOfferTexts();
  const said = useSaid();
  const [, navigate] = useLocation();
  const read = useRead<typeof listChanges>('GET /api/admin/catalog/changes', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead title={texts.changes} lead={texts.changesLead} />
      <section className="panel" aria-label={texts.changes}>
        <Table
          label={texts.changes}
          rows={read.data?.data}
          idOf={({ id }) => id}
          onOpen={({ id }) => navigate(`/operator/changes/${id}`)}
          empty={<Empty title={texts.noChanges} text={texts.noChangesText} />}
          columns={[
            {
              id: 'what',
              head: texts.what,
              fold: 'c1',
              cell: (change) => (
                <>
                  {change.undoes !== null && `${texts.undoOf}: `}
                  {said(change)} {change.note !== null && <span className="dim">{change.note}</span>}
                </>
              ),
            },
            { id: 'who', head: texts.who, fold: 'c3', className: 'mid', cell: ({ made_by: by }) => <Id value={by} /> },
            {
              id: 'when',
              head: texts.when,
              fold: 'c4',
              cell: ({ published_at: published, made_at: made }) => <Moment at={published ?? made} />,
            },
            {
              id: 'state',
              head: texts.state,
              fold: 'c2',
              cell: ({ state }) => (
                <Pill tone={TONES[state] ?? 'info'}>{labelOf(texts.changeStates, state) ?? state}</Pill>
              ),
            },
          ]}
        />
      </section>
    </>
  );
}

function One({ id }: { id: string }) {
  const texts = useOfferTexts();
  const said = useSaid();
  const read = useRead<typeof getChange>('GET /api/admin/catalog/changes/:id', { params: { id } });
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  const change = read.data;
  if (change === undefined) return <span className="skel block" />;
  return (
    <>
      <PageHead
        title={
          <>
            {change.undoes === null ? texts.draft : texts.undoOf}{' '}
            <Pill tone={TONES[change.state] ?? 'info'}>
              {labelOf(texts.changeStates, change.state) ?? change.state}
            </Pill>
          </>
        }
        lead={said(change)}
      >
        <Link className="btn" href="/operator/changes">
          {texts.back}
        </Link>
        <Acts change={change} />
      </PageHead>
      <div className="stack">
        <SellingNote />
        {change.preview === null ? <Edits change={change} /> : <PreviewPanel preview={change.preview} />}
      </div>
    </>
  );
}

function Acts({ change }: { change: Result<typeof getChange> }) {
  const texts = useOfferTexts();
  const toast = useToast();
  const [, navigate] = useLocation();
  const params = { id: change.id };
  const onlyPrices = change.edits.every(({ op }) => op === 'price' || op === 'unpin');
  const isOwner = useStaffMay<{ readonly access: { guard: 'operator'; roles: readonly ['owner'] } }>(['owner']);
  const mayMoney = useStaffMay<typeof publishChange>(['owner', 'finance']);
  const publish = useChange<typeof publishChange>('POST /api/admin/catalog/changes/:id/publish', {
    stale: CHANGED,
    done: () => toast({ text: texts.published }),
  });
  const undo = useChange<typeof undoChange>('POST /api/admin/catalog/changes/:id/undo', {
    stale: CHANGED,
    done({ id }) {
      toast({ text: texts.undone });
      navigate(`/operator/changes/${id}`);
    },
  });
  const discard = useChange<typeof discardChange>('DELETE /api/admin/catalog/changes/:id', {
    stale: ['GET /api/admin/catalog/changes'],
    done() {
      toast({ text: texts.discarded });
      navigate('/operator/changes');
    },
  });
  if (!(onlyPrices ? mayMoney : isOwner)) return null;
  if (change.state === 'published' && change.undoable)
    return (
      <AskingButton
        title={texts.undoAsk}
        text={<UndoText lost={change.undo_loses} />}
        onConfirm={() => undo.mutate({ params })}
      >
        {texts.undo}
      </AskingButton>
    );
  if (change.state !== 'draft') return null;
  return (
    <>
      <button type="button" className="btn" disabled={discard.isPending} onClick={() => discard.mutate({ params })}>
        {texts.discard}
      </button>
      <button
        type="button"
        className="btn main"
        disabled={publish.isPending}
        onClick={() => publish.mutate({ params })}
      >
        {texts.publish}
      </button>
    </>
  );
}

function PreviewPanel({ preview }: { preview: Preview }) {
  const texts = useOfferTexts();
  const format = useFormat();
  return (
    <>
      {preview.clashes.length > 0 && (
        <Note tone="warn">
          {texts.clashes}{' '}
          {preview.clashes.map((one) => (
            <Id key={one} value={one} />
          ))}
        </Note>
      )}
      {preview.below_cost > 0 && <Note tone="warn">{texts.belowCost(format.number(preview.below_cost))}</Note>}
      {preview.cost_unknown > 0 && <Note tone="info">{texts.costUnknown(format.number(preview.cost_unknown))}</Note>}
      <Panel
        title={texts.preview}
        aside={<span className="xs dim">{texts.previewLead(format.number(preview.appearing))}</span>}
      >
        <Table
          label={texts.preview}
          rows={preview.rows}
          idOf={({ model, provider }) => `${model} ${provider}`}
          columns={[
            { id: 'model', head: texts.model, fold: 'c1', cell: ({ model }) => <ModelName id={model} /> },
            {
              id: 'state',
              head: texts.state,
              fold: 'c3',
              cell: ({ appears, below_cost: below, op }) =>
                below ? (
                  <Pill tone="bad">{texts.below}</Pill>
                ) : (
                  <Pill tone={appears ? 'info' : 'held'}>
                    {appears ? texts.states.new : op === 'price' ? texts.price : texts.states.adds_route}
                  </Pill>
                ),
            },
            {
              id: 'cost',
              head: texts.cost,
              number: true,
              cell: ({ cost }) =>
                cost === null ? <span className="dim">{texts.unknownCost}</span> : <BothUnits price={cost} />,
            },
            { id: 'old', head: texts.before, number: true, cell: ({ old }) => old && <BothUnits price={old} /> },
            {
              id: 'new',
              head: texts.after,
              number: true,
              fold: 'c2',
              cell: (row) => row.new && <BothUnits price={row.new} />,
            },
            {
              id: 'week',
              head: texts.week,
              number: true,
              fold: 'c4',
              cell: ({ sales_7_days: sales, effect_7_days: effect }) =>
                sales && (
                  <>
                    <Amount value={sales.revenue} />
                    {effect !== null && Number(effect) !== 0 && (
                      <span className="sub">{texts.effect(format.money(effect))}</span>
                    )}
                  </>
                ),
            },
          ]}
        />
      </Panel>
    </>
  );
}

function Edits({ change }: { change: Change }) {
  const texts = useOfferTexts();
  return (
    <Panel title={texts.what}>
      <Table
        label={texts.what}
        rows={change.edits}
        idOf={({ op, model, provider }) => `${op} ${model} ${provider}`}
        columns={[
          { id: 'model', head: texts.model, fold: 'c1', cell: ({ model }) => <ModelName id={model} /> },
          {
            id: 'route',
            head: texts.state,
            fold: 'c3',
            cell: ({ op, provider, upstream }) =>
              provider === undefined ? (
                op === 'price' ? (
                  texts.price
                ) : (
                  texts.undoOf
                )
              ) : (
                <Id value={`${provider}:${upstream}`} />
              ),
          },
        ]}
      />
    </Panel>
  );
}
