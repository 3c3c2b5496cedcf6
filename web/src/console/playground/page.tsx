/** The playground: up to three models side by side, streamed through the session and charged to a visible key. */

import type { listBases } from '@dargah/api/console/knowledge.ts';
import type { getPlayground } from '@dargah/api/console/playground.ts';
import { useMemo, useState } from 'react';
import { useAddress } from '../../address.ts';
import { useRead } from '../../api/read.ts';
import { permittedBy } from '../../parts/model-search.ts';
import { recentModels } from '../../parts/recent-models.ts';
import { Trouble } from '../../parts/trouble.tsx';
import { useMe } from '../../session.tsx';
import { firstModel, useModels } from '../use-models.ts';
import { Compose } from './compose.tsx';
import { DeskBar, type DeskDialog } from './desk-bar.tsx';
import { CodeDialog, History } from './extras.tsx';
import { Talk } from './model-column.tsx';
import { SettingsDialog } from './settings.tsx';
import { chatBodyOf, NO_SETTINGS, type Settings } from './talk.ts';
import { keptTalk } from './talk-of-tab.ts';
import { settled, useModelColumns } from './use-model-columns.ts';

export default function PlaygroundPage() {
  const address = useAddress();
  const person = useMe().person.id;
  const [begun] = useState(() => keptTalk(person));
  const [settings, setSettings] = useState<Settings>(
    () =>
      begun?.settings ?? {
        ...NO_SETTINGS,
        bases: address.get('base') === undefined ? [] : [address.get('base') ?? ''],
      },
  );
  const [dialog, setDialog] = useState<DeskDialog>();
  const playground = useRead<typeof getPlayground>('GET /api/console/playground', { query: { models: 'none' } });
  const bases = useRead<typeof listBases>('GET /api/console/knowledge-bases', { query: {} }).data?.data ?? [];
  const models = useModels('chat');
  const rule = playground.data?.key.rules.models;
  const permits = useMemo(() => permittedBy(rule, models), [rule, models]);
  const [recent] = useState(recentModels);
  const all = useModelColumns({
    firstModel: address.get('model') ?? '',
    usual: firstModel(models, recent, permits),
    settings,
    resumeSeconds: playground.data?.resume_seconds ?? 0,
    begun,
  });
  const { columns, shown } = all;
  if (playground.error !== null && playground.data === undefined)
    return <Trouble error={playground.error} again={() => void playground.refetch()} />;
  const asked = columns.find(({ id }) => id === shown) ?? columns[0];
  const close = () => setDialog(undefined);
  return (
    <div className="desk">
      <DeskBar
        all={all}
        settings={settings}
        models={models}
        base={bases.find(({ id }) => settings.bases.includes(id))}
        onDialog={setDialog}
        onWithoutBase={() => setSettings({ ...settings, bases: [] })}
      />
      <div className={`talks of-${columns.length}`}>
        {columns.map((column) => (
          <Talk
            key={column.id}
            column={column}
            models={models}
            permits={permits}
            shown={column.id === shown}
            onModel={(model) => all.change(column.id, (old) => ({ ...old, model }))}
            onRemove={columns.length > 1 ? () => all.remove(column.id) : undefined}
            onStop={() => all.stopOne(column.id)}
            onRun={(messages) => all.run(column, messages)}
            onExample={(text) => all.send(text, [])}
          />
        ))}
      </div>
      <Compose
        count={columns.length}
        busy={all.busy}
        ready={columns.every(({ model }) => model !== '')}
        onSend={all.send}
        onStop={all.stop}
        keyId={playground.data?.key.id}
      />
      {dialog === 'settings' && (
        <SettingsDialog settings={settings} bases={bases} onChange={setSettings} onClose={close} />
      )}
      {dialog === 'code' && (
        <CodeDialog body={chatBodyOf(asked?.model ?? '', settled(asked?.messages ?? []), settings)} onClose={close} />
      )}
      {dialog === 'history' && (
        <History
          onClose={close}
          onOpen={(kept) => {
            all.open(kept);
            close();
          }}
        />
      )}
    </div>
  );
}
