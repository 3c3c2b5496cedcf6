/** Retires a model on a day that its customers are told of, with the name of its successor. */
import type { keepModel, listManagedModels, retireModel } from '@dargah/api/admin/models.ts';
import { useState } from 'react';
import { errorAt, useChange, useRead } from '../../api/read.ts';
import { addDays, type Day, dayAt, startOf } from '../../calendar.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { DateField } from '../../parts/date-field.tsx';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { SelectField } from '../../parts/form.tsx';
import { useToast } from '../../parts/toast.tsx';
import { usePreferences } from '../../preferences.tsx';
import { useStaffMay } from '../may.ts';
import type { Model } from './managed-model.ts';
import { partsOf, STALE } from './money-fields.ts';
import { useRouteTexts } from './route-texts.ts';

export function Retirement({ model }: { model: Model }) {
  const texts = useRouteTexts();
  const format = useFormat();
  const [asking, setAsking] = useState(false);
  const may = useStaffMay<typeof retireModel>(['owner']);
  const keep = useChange<typeof keepModel>('DELETE /api/admin/models/:vendor/:model/retirement', { stale: STALE });
  const { retires_at: at, successor } = model;
  return (
    <div className="stack gap-s">
      {at !== null && (
        <p className="warn">
          {Date.parse(at) > Date.now() ? texts.retiresOn(format.dateTime(at)) : texts.retiredOn(format.dateTime(at))}
          {successor !== null && (
            <>
              {' · '}
              {texts.insteadOfIt} <Id value={successor} />
            </>
          )}
        </p>
      )}
      {at !== null && model.managed_by === 'config' && <p className="xs dim">{texts.offByFile}</p>}
      {at !== null && model.managed_by === 'environment' && <p className="xs dim">{texts.offByEnvironment}</p>}
      {may && (
        <div className="row">
          {at === null && model.state !== 'retired' && (
            <button type="button" className="btn small" onClick={() => setAsking(true)}>
              {texts.retire}
            </button>
          )}
          {at !== null && (
            <button
              type="button"
              className="btn small"
              disabled={keep.isPending}
              onClick={() => keep.mutate({ params: partsOf(model.id) })}
            >
              {texts.keep}
            </button>
          )}
        </div>
      )}
      {asking && <RetireDialog model={model} onClose={() => setAsking(false)} />}
    </div>
  );
}

function RetireDialog({ model, onClose }: { model: Model; onClose(): void }) {
  const texts = useRouteTexts();
  const toast = useToast();
  const { timeZone } = usePreferences();
  const [day, setDay] = useState<Day | null>(addDays(dayAt(Date.now(), timeZone), 30));
  const [successor, setSuccessor] = useState('');
  const models = useRead<typeof listManagedModels>('GET /api/admin/models', {}).data?.data ?? [];
  const retire = useChange<typeof retireModel>('POST /api/admin/models/:vendor/:model/retirement', {
    stale: STALE,
    quiet: true,
    done() {
      toast({ text: texts.retireDone });
      onClose();
    },
  });
  const others = models.filter(
    ({ id, kind, enabled, retires_at: at }) => id !== model.id && kind === model.kind && enabled && at === null,
  );
  const at = day === null ? new Date().toISOString() : startOf(day, timeZone).toISOString();
  return (
    <Dialog
      title={texts.retireTitle(model.id)}
      onClose={onClose}
      footer={
        <DialogActs
          disabled={retire.isPending}
          onClose={onClose}
          onAct={() =>
            retire.mutate({ params: partsOf(model.id), body: { at, successor: successor === '' ? null : successor } })
          }
        >
          {texts.retire}
        </DialogActs>
      }
    >
      <div className="stack gap-m">
        <p>{texts.retireText}</p>
        {model.managed_by === 'config' && <p className="mid">{texts.offByFile}</p>}
        {model.managed_by === 'environment' && <p className="mid">{texts.offByEnvironment}</p>}
        <DateField
          label={texts.retireDay}
          empty={texts.retireNow}
          earliest={addDays(dayAt(Date.now(), timeZone), 1)}
          value={day}
          onChange={setDay}
          error={errorAt(retire.error, 'at')}
        />
        <SelectField
          label={texts.successor}
          hint={texts.successorHint}
          dir="ltr"
          value={successor}
          options={[['', texts.noSuccessor], ...others.map(({ id }) => [id, id] as const)]}
          onChange={setSuccessor}
          error={errorAt(retire.error, 'successor')}
        />
      </div>
    </Dialog>
  );
}
