/** Budgets that several keys spend from together: how far each is used, and the form that declares one. */
import type { changeBudget, createBudget, listBudgets, removeBudget } from '@dargah/api/console/budgets.ts';
import { CAP_FIELDS } from '@dargah/core/fields/account-rules.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { roughly, useFormat } from '../../format.ts';
import { useDeclared } from '../../parts/declared.ts';
import { AskingButton, Dialog } from '../../parts/dialog.tsx';
import { Check, NumberField, TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Meter } from '../../parts/meter.tsx';
import { Panel } from '../../parts/page-frame.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useOwnAccount } from '../../session.tsx';
import { useShared } from '../../texts/shared.ts';
import { useShownKeyName } from '../key-name.ts';
import type { Key } from './own-key.ts';
import { useTexts } from './texts.ts';

type Budget = Result<typeof listBudgets>['data'][number];
type Period = keyof typeof CAP_FIELDS;
const PERIODS = Object.keys(CAP_FIELDS) as Period[];
const STALE = ['GET /api/console/budgets'] as const;

export function Budgets({ keys }: { keys: readonly Key[] }) {
  const texts = useTexts().budgets;
  const role = useOwnAccount()?.role;
  const mayWrite = role === 'owner' || role === 'admin';
  const read = useRead<typeof listBudgets>('GET /api/console/budgets', {});
  const [edited, setEdited] = useState<Budget | 'new'>();
  const budgets = read.data?.data;
  return (
    <Panel
      title={texts.title}
      aside={
        mayWrite ? (
          <button type="button" className="btn small" onClick={() => setEdited('new')}>
            <Icon name="plus" />
            {texts.add}
          </button>
        ) : undefined
      }
    >
      {read.error !== null && budgets === undefined ? (
        <Trouble error={read.error} again={() => void read.refetch()} />
      ) : budgets === undefined ? (
        <Skeleton shape="rows" />
      ) : (
        <div className="pad stack gap-m">
          <p className="mid text">{texts.lead}</p>
          {budgets.map((budget) => (
            <BudgetRow
              key={budget.id}
              budget={budget}
              keys={keys}
              onEdit={mayWrite ? () => setEdited(budget) : undefined}
            />
          ))}
        </div>
      )}
      {edited !== undefined && (
        <BudgetForm
          budget={edited === 'new' ? undefined : edited}
          keys={keys.filter((key) => key.revoked_at === null && !key.playground)}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Panel>
  );
}

function BudgetRow({
  budget,
  keys,
  onEdit,
}: {
  budget: Budget;
  keys: readonly Key[];
  onEdit: (() => void) | undefined;
}) {
  const { budgets: texts } = useTexts();
  const shared = useShared();
  const format = useFormat();
  const declared = useDeclared();
  const shownName = useShownKeyName();
  const remove = useChange<typeof removeBudget>('DELETE /api/console/budgets/:id', { stale: [...STALE] });
  const names = budget.key_ids.map((id) => {
    const key = keys.find((one) => one.id === id);
    return `\u2068${key === undefined ? id : shownName(key)}\u2069`;
  });
  return (
    <div className="stack gap-s">
      <div className="row between">
        <div>
          <bdi className="strong">{budget.name}</bdi>
          <div className="mid xs">
            {names.length === 0 ? texts.noKeys : names.join(format.language === 'fa' ? '، ' : ', ')}
          </div>
        </div>
        {onEdit !== undefined && (
          <div className="row">
            <button type="button" className="btn small" onClick={onEdit}>
              {texts.change}
            </button>
            <AskingButton
              title={texts.removeTitle(budget.name)}
              text={texts.removeText}
              onConfirm={() => remove.mutate({ params: { id: budget.id } })}
            >
              {texts.remove}
            </AskingButton>
          </div>
        )}
      </div>
      {budget.spend.map(({ period, limit, spent, held }) =>
        limit === null ? null : (
          <Meter
            key={period}
            name={declared(CAP_FIELDS[period]).label}
            share={roughly(limit) === 0 ? 1 : (roughly(spent) + roughly(held)) / roughly(limit)}
          >
            {texts.spentOf(format.money(spent), format.money(limit))} {shared.toman}
          </Meter>
        ),
      )}
    </div>
  );
}

function BudgetForm({ budget, keys, onClose }: { budget: Budget | undefined; keys: readonly Key[]; onClose(): void }) {
  const { budgets: texts } = useTexts();
  const shared = useShared();
  const declared = useDeclared();
  const shownName = useShownKeyName();
  const [name, setName] = useState(budget?.name ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(budget?.key_ids ?? []);
  const [caps, setCaps] = useState<Partial<Record<Period, string | null>>>({});
  const options = { stale: [...STALE], quiet: true, done: onClose };
  const create = useChange<typeof createBudget>('POST /api/console/budgets', options);
  const change = useChange<typeof changeBudget>('PATCH /api/console/budgets/:id', options);
  const error = create.error ?? change.error;
  const save = () => {
    const body = { name: name.trim(), key_ids: [...chosen], caps };
    if (budget === undefined) create.mutate({ body });
    else change.mutate({ params: { id: budget.id }, body });
  };
  const choose = (id: string, isIn: boolean) =>
    setChosen((before) => (isIn ? [...before, id] : before.filter((one) => one !== id)));
  return (
    <Dialog
      title={budget === undefined ? texts.newTitle : texts.changeTitle(budget.name)}
      onClose={onClose}
      footer={
        <>
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button
            type="button"
            className="btn main"
            disabled={name.trim() === '' || create.isPending || change.isPending}
            onClick={save}
          >
            {shared.save}
          </button>
        </>
      }
    >
      <div className="stack gap-m">
        <TextField
          label={texts.name}
          value={name}
          onChange={setName}
          error={errorAt(error, 'name')}
          dir="auto"
          name="budget-name"
        />
        {PERIODS.map((period) => (
          <NumberField
            key={period}
            label={declared(CAP_FIELDS[period]).label}
            unit={shared.toman}
            placeholder={shared.unlimited}
            value={(caps[period] === undefined ? budget?.caps[period] : caps[period]) ?? null}
            onChange={(next) => setCaps((before) => ({ ...before, [period]: next }))}
            error={errorAt(error, `caps.${period}`)}
          />
        ))}
        <fieldset className="unframed stack gap-s">
          <legend className="label">{texts.keys}</legend>
          {keys.map((key) => (
            <Check key={key.id} checked={chosen.includes(key.id)} onChange={(isIn) => choose(key.id, isIn)}>
              <bdi>{shownName(key)}</bdi>
            </Check>
          ))}
          {errorAt(error, 'key_ids') !== undefined && <p className="bad xs">{errorAt(error, 'key_ids')}</p>}
        </fieldset>
      </div>
    </Dialog>
  );
}
