/** System text, parameters, tools, schema and knowledge bases of the conversation. */
import { useState } from 'react';
import { Dialog, DialogActs } from '../../parts/dialog.tsx';
import { AreaField, NumberField, SelectField } from '../../parts/form.tsx';
import { useShared } from '../../texts/shared.ts';
import type { Settings } from './talk.ts';
import { useTexts } from './texts.ts';

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
  const texts = useTexts();
  const shared = useShared();
  const [draft, setDraft] = useState(settings);
  const put = (part: Partial<Settings>) => setDraft({ ...draft, ...part });
  const wrong = { tools: mistake(draft.tools), schema: mistake(draft.schema) };
  return (
    <Dialog
      title={texts.settings}
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
      <AreaField label={texts.system} value={draft.system} onChange={(system) => put({ system })} rows={3} />
      <div className="columns">
        <NumberField
          label={texts.temperature}
          value={draft.temperature}
          onChange={(temperature) => put({ temperature })}
        />
        <NumberField label={texts.topP} value={draft.topP} onChange={(topP) => put({ topP })} />
        <NumberField
          label={texts.maxTokens}
          unit={texts.tokens}
          value={draft.maxTokens}
          onChange={(maxTokens) => put({ maxTokens })}
        />
        <SelectField
          label={texts.base}
          value={draft.bases[0] ?? ''}
          onChange={(id) => put({ bases: id === '' ? [] : [id] })}
          options={[['', texts.noBase], ...bases.map(({ id, name }) => [id, name] as const)]}
        />
      </div>
      <AreaField
        label={texts.tools}
        hint={texts.toolsHint}
        dir="ltr"
        value={draft.tools}
        onChange={(tools) => put({ tools })}
        rows={3}
        error={wrong.tools ? texts.notJson : undefined}
      />
      <AreaField
        label={texts.schema}
        hint={texts.schemaHint}
        dir="ltr"
        value={draft.schema}
        onChange={(schema) => put({ schema })}
        rows={3}
        error={wrong.schema ? texts.notJson : undefined}
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
