/** System text, parameters, tools, schema and knowledge bases of the conversation. */
import { useState } from 'react';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { AreaField, NumberField, SelectField } from '../../parts/form.tsx';
import { useShared } from '../../words/shared.ts';
import type { Settings } from './talk.ts';
import { useWords } from './words.ts';

export function SettingsDialog({
  settings,
  bases,
  onChange,
  onClose,
}: {
  settings: Settings;
  bases: readonly { id: string; name: string }[];
  onChange(next: Settings): void;
  onClose(): void;
}) {
  const words = useWords();
  const shared = useShared();
  const [draft, setDraft] = useState(settings);
  const put = (part: Partial<Settings>) => setDraft({ ...draft, ...part });
  const wrong = { tools: mistake(draft.tools), schema: mistake(draft.schema) };
  return (
    <Dialog
      title={words.settings}
      wide
      onClose={onClose}
      footer={
        <DialogActs
          onClose={onClose}
          disabled={wrong.tools || wrong.schema}
          onAct={() => {
            onChange(draft);
            onClose();
          }}
        >
          {shared.save}
        </DialogActs>
      }
    >
      <AreaField label={words.system} value={draft.system} onChange={(system) => put({ system })} rows={3} />
      <div className="columns">
        <NumberField
          label={words.temperature}
          value={draft.temperature}
          onChange={(temperature) => put({ temperature })}
        />
        <NumberField label={words.topP} value={draft.topP} onChange={(topP) => put({ topP })} />
        <NumberField
          label={words.maxTokens}
          unit={words.tokens}
          value={draft.maxTokens}
          onChange={(maxTokens) => put({ maxTokens })}
        />
        <SelectField
          label={words.base}
          value={draft.bases[0] ?? ''}
          onChange={(id) => put({ bases: id === '' ? [] : [id] })}
          options={[['', words.noBase], ...bases.map(({ id, name }) => [id, name] as const)]}
        />
      </div>
      <AreaField
        label={words.tools}
        hint={words.toolsHint}
        dir="ltr"
        value={draft.tools}
        onChange={(tools) => put({ tools })}
        rows={3}
        error={wrong.tools ? words.notJson : undefined}
      />
      <AreaField
        label={words.schema}
        hint={words.schemaHint}
        dir="ltr"
        value={draft.schema}
        onChange={(schema) => put({ schema })}
        rows={3}
        error={wrong.schema ? words.notJson : undefined}
      />
    </Dialog>
  );
}

function mistake(text: string): boolean {
  if (text.trim() === '') return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}
