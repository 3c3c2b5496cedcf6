/** The bar above the conversations: settings, the knowledge base in use, earlier conversations, another model, the code. */
import { useFormat } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import type { ModelSource } from '../../parts/model-search.ts';
import { Segments } from '../../parts/segments.tsx';
import type { Settings } from './talk.ts';
import { useTexts } from './texts.ts';
import { MAX_COLUMNS, type ModelColumns } from './use-model-columns.ts';

export type DeskDialog = 'settings' | 'code' | 'history';

export interface DeskBarProps {
  all: ModelColumns;
  settings: Settings;
  models: ModelSource | undefined;
  base: { name: string } | undefined;
  onDialog(dialog: DeskDialog): void;
  onWithoutBase(): void;
}

export function DeskBar({ all, settings, models, base, onDialog, onWithoutBase }: DeskBarProps) {
  const texts = useTexts();
  const format = useFormat();
  const { columns, shown } = all;
  return (
    <div className="desk-bar">
      <h1>{texts.title}</h1>
      <button type="button" className="chip" onClick={() => onDialog('settings')}>
        <Icon name="gear" />
        {texts.settings}
        {settings.temperature !== null && (
          <>
            {texts.temperature} <b>{format.number(settings.temperature)}</b>
          </>
        )}
      </button>
      {base !== undefined && (
        <button type="button" className="chip on" onClick={onWithoutBase}>
          <Icon name="book" />
          <b>
            <bdi>{base.name}</bdi>
          </b>
          <Icon name="x" />
        </button>
      )}
      <span className="grow" />
      <button
        type="button"
        className="btn small"
        onClick={() => onDialog('history')}
        aria-label={texts.history}
        title={texts.history}
      >
        <Icon name="clock" />
      </button>
      <button type="button" className="btn small" onClick={all.begin} aria-label={texts.fresh} title={texts.fresh}>
        <Icon name="edit" />
      </button>
      {columns.length < MAX_COLUMNS && (
        <button
          type="button"
          className="btn small"
          onClick={() =>
            all.add(models?.data.find(({ id }) => columns.every((column) => column.model !== id))?.id ?? '')
          }
        >
          <Icon name="plus" />
          {texts.addModel(texts.ordinals[columns.length] ?? '')}
        </button>
      )}
      <button type="button" className="btn small" onClick={() => onDialog('code')}>
        <Icon name="code" />
        {texts.code}
      </button>
      {columns.length > 1 && (
        <div className="only-s wide-row">
          <Segments
            label={texts.model}
            value={String(shown)}
            onChange={(next) => all.show(Number(next))}
            options={columns.map(
              ({ id, model }) => [String(id), <bdi key={id}>{model.split('/').at(-1)}</bdi>] as const,
            )}
          />
        </div>
      )}
    </div>
  );
}
