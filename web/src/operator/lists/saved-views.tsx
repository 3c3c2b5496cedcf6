/** Views of a list that I saved: the address under a name. */

import type { listViews, removeView, saveView } from '@dargah/api/admin/exports.ts';
import type { StaffList } from '@dargah/core/staff-lists.ts';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useChange, useRead } from '../../api/read.ts';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useShared } from '../../texts/shared.ts';
import { useListTexts } from './texts.ts';

const STALE = ['GET /api/admin/views'];

export function SavedViews({ list }: { list: StaffList }) {
  const texts = useListTexts();
  const search = useSearch();
  const [path, navigate] = useLocation();
  const [naming, setNaming] = useState(false);
  const views = useRead<typeof listViews>('GET /api/admin/views', {}).data?.data.filter((view) => view.list === list);
  const remove = useChange<typeof removeView>('DELETE /api/admin/views/:id', { stale: STALE });
  const shown = views?.find((view) => view.query === search);
  return (
    <>
      <Menu
        label={texts.views}
        className="btn small"
        button={
          <>
            {shown === undefined ? texts.views : <bdi>{shown.name}</bdi>}
            <Icon name="down" />
          </>
        }
        {...(views?.length === 0 && { header: <p className="pad xs mid">{texts.noViews}</p> })}
        items={[
          ...(views ?? []).map((view) => ({
            name: <bdi>{view.name}</bdi>,
            current: view.id === shown?.id,
            run: () => navigate(view.query === '' ? path : `${path}?${view.query}`),
          })),
          ...(shown === undefined ? [{ name: texts.saveView, run: () => setNaming(true) }] : []),
          ...(shown === undefined
            ? []
            : [
                {
                  name: texts.removeView(shown.name),
                  danger: true,
                  run: () => remove.mutate({ params: { id: shown.id } }),
                },
              ]),
        ]}
      />
      {naming && <NameView list={list} query={search} onClose={() => setNaming(false)} />}
    </>
  );
}

function NameView({ list, query, onClose }: { list: StaffList; query: string; onClose(): void }) {
  const texts = useListTexts();
  const shared = useShared();
  const toast = useToast();
  const [name, setName] = useState('');
  const save = useChange<typeof saveView>('POST /api/admin/views', {
    stale: STALE,
    quiet: true,
    done() {
      toast({ text: texts.viewSaved });
      onClose();
    },
  });
  return (
    <Dialog
      title={texts.saveView}
      onClose={onClose}
      footer={
        <DialogActs
          disabled={name.trim() === '' || save.isPending}
          onAct={() => save.mutate({ body: { list, name: name.trim(), query } })}
          onClose={onClose}
        >
          {shared.save}
        </DialogActs>
      }
    >
      <TextField label={texts.viewName} value={name} onChange={setName} maxLength={60} error={save.error?.message} />
    </Dialog>
  );
}
