/** Groups: one name for several models. */
import { useState } from 'react';
import type { deleteGroup, listGroups, putGroup } from '../../../server/src/http/admin/routes/groups.ts';
import type { listManagedModels } from '../../../server/src/http/admin/routes/models.ts';
import type { Result } from '../api/call.ts';
import { useChange, useRead } from '../api/read.ts';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/form.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListInput } from '../parts/list-input.tsx';
import { Empty, Id, PageHead } from '../parts/small.tsx';
import { Table } from '../parts/table.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useShared } from '../words/shared.ts';
import { useWords } from './words.ts';

type Group = Result<typeof listGroups>['data'][number];
const STALE = ['GET /api/admin/groups'];

export default function GroupsPage() {
  const words = useWords();
  const [editing, setEditing] = useState<Group | 'new'>();
  const read = useRead<typeof listGroups>('GET /api/admin/groups', {});
  if (read.error !== null) return <Trouble error={read.error} again={() => void read.refetch()} />;
  return (
    <>
      <PageHead title={words.nav.groups}>
        <button type="button" className="btn" onClick={() => setEditing('new')}>
          <Icon name="plus" />
          {words.newGroup}
        </button>
      </PageHead>
      <section className="panel" aria-label={words.nav.groups}>
        <Table
          label={words.nav.groups}
          rows={read.data?.data}
          idOf={({ id }) => id}
          onOpen={setEditing}
          empty={<Empty title={words.noGroups} text={words.noGroupsText} />}
          columns={[
            { id: 'id', head: words.id, fold: 'c1', cell: ({ id }) => <Id value={`group:${id}`} copy /> },
            { id: 'default', head: words.defaultModel, fold: 'c3', cell: ({ default: model }) => <Id value={model} /> },
            {
              id: 'models',
              head: words.models,
              cell: ({ models }) => models.slice(0, 4).map((model) => <Id key={model} value={model} boxed />),
            },
          ]}
        />
      </section>
      {editing !== undefined && (
        <GroupDialog group={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
    </>
  );
}

function GroupDialog({ group, onClose }: { group: Group | undefined; onClose(): void }) {
  const words = useWords();
  const shared = useShared();
  const models = useRead<typeof listManagedModels>('GET /api/admin/models', {}).data?.data.map(({ id }) => id) ?? [];
  const [id, setId] = useState(group?.id ?? '');
  const [list, setList] = useState<string[] | null>(group?.models ?? null);
  const [first, setFirst] = useState(group?.default ?? '');
  const save = useChange<typeof putGroup>('PUT /api/admin/groups/:id', { quiet: true, stale: STALE, done: onClose });
  const remove = useChange<typeof deleteGroup>('DELETE /api/admin/groups/:id', { stale: STALE, done: onClose });
  return (
    <Dialog
      title={group === undefined ? words.newGroup : <Id value={`group:${group.id}`} />}
      onClose={onClose}
      footer={
        <>
          {group !== undefined && (
            <button
              type="button"
              className="btn danger"
              disabled={remove.isPending}
              onClick={() => remove.mutate({ params: { id: group.id } })}
            >
              {words.remove}
            </button>
          )}
          <button type="button" className="btn" onClick={onClose}>
            {shared.cancel}
          </button>
          <button
            type="button"
            className="btn main"
            disabled={id.trim() === '' || list === null || save.isPending}
            onClick={() =>
              save.mutate({
                params: { id: id.trim() },
                body: { models: list ?? [], ...(first.trim() === '' ? {} : { default: first.trim() }) },
              })
            }
          >
            {words.save}
          </button>
        </>
      }
    >
      <TextField label={words.id} value={id} onChange={setId} dir="ltr" disabled={group !== undefined} />
      <div className="field">
        <span className="label">{words.models}</span>
        <ListInput label={words.models} placeholder="" values={list} onChange={setList} suggestions={models} />
      </div>
      <TextField label={words.defaultModel} value={first} onChange={setFirst} dir="ltr" />
      {save.error !== null && <p className="bad">{save.error.message}</p>}
    </Dialog>
  );
}
