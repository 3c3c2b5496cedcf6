/** Groups: one name for several models. */

import type { deleteGroup, listGroups, putGroup } from '@dargah/api/admin/groups.ts';
import { useId, useMemo, useState } from 'react';
import { useAddress } from '../../address.ts';
import type { Result } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { useFormat } from '../../format.ts';
import { Id } from '../../parts/copyable.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ModelPicker, ModelsPicker } from '../../parts/model-picker.tsx';
import { Empty, PageHead } from '../../parts/page-frame.tsx';
import { Table } from '../../parts/table.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { dictionary } from '../../texts/dictionary.tsx';
import { useShared } from '../../texts/shared.ts';
import { ChangedBy } from '../changed-by.tsx';
import { useStaffMay } from '../may.ts';
import { usePickableModels } from '../pickable-models.ts';
import { useTexts } from '../texts.ts';

const fa = {
  nameFa: 'نام فارسی',
  nameEn: 'نام انگلیسی',
  andMore: (count: string) => `و ${count} مدل دیگر`,
  remove: 'حذف گروه',
  removeAsk: (id: string) => `گروه «${id}» حذف شود؟`,
  removeText: 'درخواست‌ها و قانون‌هایی که نام این گروه را می‌برند از همین لحظه رد می‌شوند. مدل‌هایش می‌مانند.',
};

const en: typeof fa = {
  nameFa: 'Name in Persian',
  nameEn: 'Name in English',
  andMore: (count) => `and ${count} more`,
  remove: 'Delete the group',
  removeAsk: (id) => `Delete the group “${id}”?`,
  removeText: 'Requests and rules that name this group are refused from now on. Its models stay.',
};

const useGroupTexts = dictionary(fa, en);

type Group = Result<typeof listGroups>['data'][number];
const STALE = ['GET /api/admin/groups'];
/** No id: the address of a group that is being made. */
const NEW = ':new';
/** More would make the row taller than the others. */
const AT_ONCE = 3;

export default function GroupsPage() {
  const texts = useTexts();
  const address = useAddress();
  const format = useFormat();
  const { language } = format;
  const own = useGroupTexts();
  const mayPut = useStaffMay<typeof putGroup>(['owner']);
  const chosen = address.get('group');
  const read = useRead<typeof listGroups>('GET /api/admin/groups', {});
  if (read.error !== null && read.data === undefined)
    return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead title={texts.nav.groups}>
        {mayPut && (
          <button type="button" className="btn" onClick={() => address.set({ group: NEW })}>
            <Icon name="plus" />
            {texts.newGroup}
          </button>
        )}
      </PageHead>
      <section className="panel" aria-label={texts.nav.groups}>
        <Table
          label={texts.nav.groups}
          rows={read.data?.data}
          idOf={({ id }) => id}
          onOpen={({ id }) => address.set({ group: id })}
          empty={<Empty title={texts.noGroups} text={texts.noGroupsText} />}
          columns={[
            {
              id: 'name',
              head: texts.name,
              fold: 'c1',
              cell: ({ name, name_fa: persian }) => (
                <bdi className="strong">{(language === 'fa' ? persian : name) ?? name}</bdi>
              ),
            },
            { id: 'id', head: texts.id, fold: 'c3', cell: ({ id }) => <Id value={`group:${id}`} copy /> },
            { id: 'default', head: texts.defaultModel, cell: ({ default: model }) => <Id value={model} /> },
            {
              id: 'models',
              head: texts.models,
              cell: ({ models }) => (
                <span className="row">
                  {models.slice(0, AT_ONCE).map((model) => (
                    <Id key={model} value={model} boxed />
                  ))}
                  {models.length > AT_ONCE && (
                    <span className="xs dim">{own.andMore(format.number(models.length - AT_ONCE))}</span>
                  )}
                </span>
              ),
            },
          ]}
        />
      </section>
      {read.data !== undefined && chosen !== undefined && (
        <GroupDialog
          key={chosen}
          group={read.data.data.find(({ id }) => id === chosen)}
          onClose={() => address.set({ group: undefined })}
        />
      )}
    </>
  );
}

function GroupDialog({ group, onClose }: { group: Group | undefined; onClose(): void }) {
  const texts = useTexts();
  const own = useGroupTexts();
  const shared = useShared();
  const mayPut = useStaffMay<typeof putGroup>(['owner']);
  const models = usePickableModels();
  const labels = useId();
  const [id, setId] = useState(group?.id ?? '');
  const [name, setName] = useState(group?.name ?? '');
  const [persian, setPersian] = useState(group?.name_fa ?? '');
  const [asking, setAsking] = useState(false);
  const [list, setList] = useState<string[] | null>(group?.models ?? null);
  const [first, setFirst] = useState(group?.default ?? '');
  // Its default can only be one of its own.
  const ofGroup = useMemo(
    () => models && { ...models, data: models.data.filter((model) => list?.includes(model.id) === true) },
    [models, list],
  );
  const save = useChange<typeof putGroup>('PUT /api/admin/groups/:id', { quiet: true, stale: STALE, done: onClose });
  const remove = useChange<typeof deleteGroup>('DELETE /api/admin/groups/:id', { stale: STALE, done: onClose });
  return (
    <Dialog
      title={group === undefined ? texts.newGroup : <Id value={`group:${group.id}`} />}
      onClose={onClose}
      footer={
        <>
          {mayPut && group !== undefined && (
            <button type="button" className="btn danger apart" onClick={() => setAsking(true)}>
              {own.remove}
            </button>
          )}
          <button type="button" className="btn" onClick={onClose}>
            {mayPut ? shared.cancel : shared.close}
          </button>
          {mayPut && (
            <button
              type="button"
              className="btn main"
              disabled={id.trim() === '' || list === null || save.isPending}
              onClick={() =>
                save.mutate({
                  params: { id: id.trim() },
                  body: {
                    models: list ?? [],
                    ...(name.trim() === '' ? {} : { name: name.trim() }),
                    ...(persian.trim() === '' ? {} : { name_fa: persian.trim() }),
                    ...(first.trim() === '' ? {} : { default: first.trim() }),
                  },
                })
              }
            >
              {texts.save}
            </button>
          )}
        </>
      }
    >
      <ChangedBy<typeof putGroup> roles={['owner']}>
        <TextField label={texts.id} value={id} onChange={setId} dir="ltr" disabled={group !== undefined} />
        <div className="columns">
          <TextField label={own.nameFa} value={persian} onChange={setPersian} />
          <TextField label={own.nameEn} value={name} onChange={setName} dir="ltr" />
        </div>
        <div className="field">
          <span className="label">{texts.models}</span>
          <ModelsPicker
            label={texts.models}
            placeholder=""
            source={models}
            disabled={!mayPut}
            values={list}
            onChange={setList}
          />
        </div>
        <div className="field">
          <span className="label" id={labels}>
            {texts.defaultModel}
          </span>
          <ModelPicker
            label={texts.defaultModel}
            labelledBy={labels}
            source={ofGroup}
            disabled={!mayPut}
            value={first}
            onChange={setFirst}
          />
        </div>
      </ChangedBy>
      {save.error !== null && <p className="bad">{save.error.message}</p>}
      {asking && group !== undefined && (
        <Confirm
          title={own.removeAsk(`\u2066group:${group.id}\u2069`)}
          act={own.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ params: { id: group.id } })}
          onClose={() => setAsking(false)}
        >
          <p>{own.removeText}</p>
        </Confirm>
      )}
    </Dialog>
  );
}
