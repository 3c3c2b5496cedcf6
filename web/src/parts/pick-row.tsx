/** One row of a picker: what a model is, can, holds and costs, each in its column. Nothing in it takes the focus. */
import { memo } from 'react';
import { type Format, useFormat } from '../format.ts';
import { Icon, type IconName } from './icon.tsx';
import { type PickedModel, type PickRow, SHOWN_CAPABILITIES, type ShownCapability } from './model-search.ts';
import { usePickerTexts } from './picker-texts.ts';

export const CAPABILITY_ICONS: Record<ShownCapability, IconName> = {
  vision: 'image',
  tools: 'tool',
  reasoning: 'think',
  audio_input: 'sound',
};

interface RowProps {
  id: string;
  row: Exclude<PickRow, { row: 'head' }>;
  isActive: boolean;
  isChosen: boolean;
  many: boolean;
  typed: string;
  onPick(value: string): void;
}

/** Hundreds of them may stand in the list while one letter is typed, so a row that stays the same is not rendered again. */
export const PickOption = memo(function PickOption({ id, row, isActive, isChosen, many, typed, onPick }: RowProps) {
  const isRefused = row.row === 'model' && row.isRefused;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field keeps the focus and moves along the rows by aria-activedescendant.
    <div
      id={id}
      className={`opt${isActive ? ' at' : ''}${row.row === 'group' ? ' whole' : ''}`}
      role="option"
      aria-selected={isChosen}
      aria-disabled={isRefused ? true : undefined}
      // The field keeps the focus, so that a phone's keyboard stays open.
      onPointerDown={(event) => event.preventDefault()}
      onClick={isRefused ? undefined : () => onPick(row.value)}
    >
      <Choice isRefused={isRefused} isChosen={isChosen} many={many} />
      {row.row === 'group' ? <GroupName row={row} /> : <ModelCells model={row.model} typed={typed} why={isRefused} />}
    </div>
  );
});

function Choice({ isRefused, isChosen, many }: { isRefused: boolean; isChosen: boolean; many: boolean }) {
  if (isRefused) return <Icon name="lock" />;
  if (many) return <span className={isChosen ? 'check on' : 'check'} aria-hidden="true" />;
  return isChosen ? <Icon name="check" /> : <span />;
}

function GroupName({ row }: { row: Extract<PickRow, { row: 'group' }> }) {
  const texts = usePickerTexts();
  const format = useFormat();
  const { group, value } = row;
  return (
    <span className="nm">
      <b>
        <bdi>{format.language === 'fa' ? (group.name_fa ?? group.name) : group.name}</bdi>
      </b>
      <bdi className="id" dir="ltr">
        <span>{value}</span>
      </bdi>
      <span className="why">{texts.group(format.number(group.models.length))}</span>
    </span>
  );
}

function ModelCells({ model, typed, why }: { model: PickedModel; typed: string; why: boolean }) {
  const texts = usePickerTexts();
  const format = useFormat();
  const context = model.context === null ? '—' : format.short(model.context);
  const unit = model.per === 'million_tokens' ? undefined : texts.per[model.per];
  return (
    <>
      <span className="nm">
        <b>
          <bdi>
            <Marked text={nameOf(model, format)} typed={typed} />
          </bdi>
        </b>
        <bdi className="id" dir="ltr">
          <span>{model.id}</span>
        </bdi>
        {why && <span className="why">{texts.notPermitted}</span>}
        {model.withdrawn_from !== null && (
          <span className="why warn">{texts.goneFrom(format.date(model.withdrawn_from))}</span>
        )}
        <span className="two-line">{usePriceLine(true)(model)}</span>
      </span>
      <span className="more">
        <span className="caps">
          {SHOWN_CAPABILITIES.map((one) =>
            model.capabilities.includes(one) ? (
              <span key={one} title={texts.capabilities[one]}>
                <Icon name={CAPABILITY_ICONS[one]} />
                <span className="vh">{texts.capabilities[one]}</span>
              </span>
            ) : (
              <span key={one} />
            ),
          )}
        </span>
        <span className="ctx2">{model.context === null ? '' : texts.tokens(context)}</span>
      </span>
      <span className="ctx xs mid">{context}</span>
      <span className="number">
        <Price value={model.input} />
      </span>
      <span className="number">
        <Price value={model.output} />
        {unit !== undefined && <span className="xs dim under-line">{unit}</span>}
      </span>
    </>
  );
}

export function nameOf(model: PickedModel, { language }: Pick<Format, 'language'>): string {
  return language === 'fa' ? (model.name_fa ?? model.name) : model.name;
}

/** Whole toman; a sign says that something was cut off, and the title has it. */
function Price({ value }: { value: string | null }) {
  const format = useFormat();
  if (value === null) return <span className="dim">—</span>;
  const { text, isRound } = roundPrice(value, format);
  return (
    <bdi className="amt" dir="ltr" title={isRound ? undefined : format.money(value)}>
      {text}
    </bdi>
  );
}

function roundPrice(value: string, format: Format): { text: string; isRound: boolean } {
  const number = Number(value);
  // Below ten toman the fraction is most of the price.
  const isRound = number < 10 || Number.isInteger(number);
  return { text: isRound ? format.money(value) : `≈${format.number(Math.round(number), 0)}`, isRound };
}

/** Both prices in one sentence, for the closed field and for narrow rows, whose unit is said once beneath. */
export function usePriceLine(inRow = false): (model: PickedModel) => string {
  const texts = usePickerTexts();
  const format = useFormat();
  return ({ input, output, per }) => {
    const said = (value: string) => roundPrice(value, format).text;
    if ([input, output].every((value) => value === null || Number(value) === 0)) return texts.free;
    if (input !== null && output !== null) return (inRow ? texts.pair : texts.prices)(said(input), said(output));
    return texts.onePrice(said(output ?? input ?? '0'), texts.per[per]);
  };
}

function Marked({ text, typed }: { text: string; typed: string }) {
  const word = typed.trim().toLowerCase();
  const at = word === '' ? -1 : text.toLowerCase().indexOf(word);
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </>
  );
}
