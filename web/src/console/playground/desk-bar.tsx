/** The bar above the conversations: settings, the knowledge base in use, earlier conversations, another model, the code. */
import { useFormat } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Segments } from '../../parts/segments.tsx';
import type { Settings } from './talk.ts';
import { MOST_COLUMNS, type ModelColumns } from './use-model-columns.ts';
import { useWords } from './words.ts';

export type DeskDialog = 'settings' | 'code' | 'history';

export interface DeskBarProps {
  all: ModelColumns;
  settings: Settings;
  models: readonly string[];
  base: { name: string } | undefined;
  onDialog(dialog: DeskDialog): void;
  onWithoutBase(): void;
}

export function DeskBar({ all, settings, models, base, onDialog, onWithoutBase }: DeskBarProps) {
  const words = useWords();
  const format = useFormat();
  const { columns, shown } = all;
  return (
    <div className="desk-bar">
      <h1>{words.title}</h1>
      <button type="button" className="chip" onClick={() => onDialog('settings')}>
        <Icon name="gear" />
        {words.settings}
        {settings.temperature !== null && (
          <>
            {words.temperature} <b>{format.number(settings.temperature)}</b>
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
        aria-label={words.history}
        title={words.history}
      >
        <Icon name="clock" />
      </button>
      <button type="button" className="btn small" onClick={all.begin} aria-label={words.fresh} title={words.fresh}>
        <Icon name="edit" />
      </button>
      {columns.length < MOST_COLUMNS && (
        <button
          type="button"
          className="btn small"
          onClick={() =>
            all.add(models.find((model) => columns.every((column) => column.model !== model)) ?? 'sandbox/hello')
          }
        >
          <Icon name="plus" />
          {words.addModel(words.ordinals[columns.length] ?? '')}
        </button>
      )}
      <button type="button" className="btn small" onClick={() => onDialog('code')}>
        <Icon name="code" />
        {words.code}
      </button>
      {columns.length > 1 && (
        <div className="only-s wide-row">
          <Segments
            label={words.model}
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
