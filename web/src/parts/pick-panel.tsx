/**
 * The open part of a picker: a field with a list beneath (combobox, `aria-activedescendant`). It renders the first rows and more
 * when somebody scrolls or walks to their end, so five hundred models cost as much as fifty.
 */
import { type KeyboardEvent, type ReactNode, useId, useMemo, useRef, useState } from 'react';
import { useFormat } from '../format.ts';
import { Toggle } from './form.tsx';
import { Icon } from './icon.tsx';
import {
  type ModelSource,
  nearestWord,
  type PickQuestion,
  type PickRow,
  pickRows,
  SHOWN_CAPABILITIES,
  type ShownCapability,
} from './model-search.ts';
import { CAPABILITY_ICONS, PickOption } from './pick-row.tsx';
import { usePickerTexts } from './picker-texts.ts';
import { recentModels } from './recent-models.ts';

const ROWS_AT_ONCE = 60;
const NEAR_END_PX = 200;

export interface PickPanelProps extends Pick<PickQuestion, 'permits' | 'withGroups'> {
  source: ModelSource;
  chosen: ReadonlySet<string>;
  many: boolean;
  onPick(value: string): void;
  onDropLast?: (() => void) | undefined;
  onClose(): void;
  foot?: ReactNode;
}

export function PickPanel(props: PickPanelProps) {
  const { source, chosen, many, permits, onPick } = props;
  const texts = usePickerTexts();
  const format = useFormat();
  const [typed, setTyped] = useState('');
  const [capabilities, setCapabilities] = useState<readonly ShownCapability[]>([]);
  const [noTraining, setNoTraining] = useState(false);
  const [onlyPermitted, setOnlyPermitted] = useState(true);
  // The current choice moves to the front when the picker is opened again, not under the pointer.
  const [recent] = useState(recentModels);
  const rows = useMemo(
    () =>
      pickRows(source, {
        typed,
        capabilities,
        noTraining,
        permits,
        withRefused: !onlyPermitted,
        recent,
        withGroups: props.withGroups,
      }),
    [source, typed, capabilities, noTraining, permits, onlyPermitted, recent, props.withGroups],
  );
  const list = useWalk(rows);
  const found = new Set(rows.flatMap((row) => (row.row === 'model' && !row.isRefused ? [row.value] : []))).size;
  return (
    <>
      <div className="find">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label={texts.find}
          aria-expanded="true"
          aria-controls={list.id}
          aria-autocomplete="list"
          aria-activedescendant={list.active}
          placeholder={texts.placeholder}
          autoComplete="off"
          spellCheck={false}
          dir="auto"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            list.begin();
          }}
          onKeyDown={(event) => keyDown(event, props, list, typed)}
        />
        <span className="xs nowrap" role="status">
          {texts.count(format.number(found), format.number(source.data.length))}
        </span>
        <button type="button" className="btn icon small only-sheet" aria-label={texts.done} onClick={props.onClose}>
          <Icon name="x" />
        </button>
      </div>
      <div className="by">
        {SHOWN_CAPABILITIES.map((one) => (
          <button
            key={one}
            type="button"
            className={capabilities.includes(one) ? 'chip on' : 'chip'}
            aria-pressed={capabilities.includes(one)}
            onClick={() => {
              list.begin();
              setCapabilities((before) =>
                before.includes(one) ? before.filter((other) => other !== one) : [...before, one],
              );
            }}
          >
            <Icon name={CAPABILITY_ICONS[one]} />
            {texts.capabilities[one]}
          </button>
        ))}
        {source.data.some((model) => model.data_policies !== undefined) && (
          <button
            type="button"
            className={noTraining ? 'chip on' : 'chip'}
            aria-pressed={noTraining}
            onClick={() => {
              list.begin();
              setNoTraining(!noTraining);
            }}
          >
            {texts.noTraining}
          </button>
        )}
        {permits !== undefined && (
          <span className="end">
            <Toggle checked={onlyPermitted} onChange={setOnlyPermitted}>
              {texts.onlyPermitted}
            </Toggle>
          </span>
        )}
      </div>
      <div className="heads" aria-hidden="true">
        <span />
        <span>{texts.heads.model}</span>
        <span>{texts.heads.can}</span>
        <span>{texts.heads.context}</span>
        <span className="number">{texts.heads.input}</span>
        <span className="number">{texts.heads.output}</span>
      </div>
      {rows.length === 0 ? (
        <NothingFound source={source} typed={typed} onTyped={setTyped} />
      ) : (
        <div
          ref={list.box}
          id={list.id}
          className="opts"
          role="listbox"
          aria-label={texts.models}
          aria-multiselectable={many ? true : undefined}
          onScroll={list.onScroll}
        >
          {rows
            .slice(0, list.shown)
            .map((row, index) =>
              row.row === 'head' ? (
                <SectionHead key={row.key} row={row} source={source} />
              ) : (
                <PickOption
                  key={row.key}
                  id={list.optionId(index)}
                  row={row}
                  isActive={index === list.at}
                  isChosen={chosen.has(row.value)}
                  many={many}
                  typed={typed}
                  onPick={onPick}
                />
              ),
            )}
        </div>
      )}
      <footer>
        <span>{texts.unit}</span>
        {many && (
          <span className="keys">
            <kbd dir="ltr">Enter</kbd> {texts.toggleKey} <kbd>⌫</kbd> {texts.dropKey}
          </span>
        )}
        <span className="end">{props.foot}</span>
      </footer>
    </>
  );
}

function SectionHead({ row, source }: { row: Extract<PickRow, { row: 'head' }>; source: ModelSource }) {
  const texts = usePickerTexts();
  const format = useFormat();
  const { section } = row;
  const name =
    section.kind === 'vendor'
      ? (source.vendors[section.vendor]?.[format.language] ?? section.vendor)
      : texts[section.kind];
  return (
    <div className="grp" role="presentation">
      <b>
        <bdi>{name}</bdi>
      </b>
      {format.number(row.count)}
    </div>
  );
}

function NothingFound({ source, typed, onTyped }: { source: ModelSource; typed: string; onTyped(next: string): void }) {
  const texts = usePickerTexts();
  const format = useFormat();
  const near = nearestWord(source, typed);
  return (
    <div className="empty opts">
      <h2>{typed.trim() === '' ? texts.noneFiltered : texts.noneFound(`\u2068${typed.trim()}\u2069`)}</h2>
      <p>
        {near !== undefined && (
          <>
            {texts.meant}{' '}
            <button type="button" className="link" onClick={() => onTyped(near)}>
              <bdi dir="ltr">{near}</bdi>
            </button>{' '}
          </>
        )}
        {texts.searched(format.number(source.data.length))}
      </p>
    </div>
  );
}

type Walk = ReturnType<typeof useWalk>;

/** Which row the keyboard is at, and how many rows are there. */
function useWalk(rows: readonly PickRow[]) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(ROWS_AT_ONCE);
  const [walked, setWalked] = useState<number>();
  const canPick = (row: PickRow | undefined) => row !== undefined && row.row !== 'head' && !isRefusedRow(row);
  const first = rows.findIndex(canPick);
  const at = walked !== undefined && canPick(rows[walked]) ? walked : first;
  const optionId = (index: number) => `${id}-${index}`;
  const walk = (step: 1 | -1) => {
    let next = at + step;
    while (next >= 0 && next < rows.length && !canPick(rows[next])) next += step;
    if (next < 0 || next >= rows.length) return;
    setWalked(next);
    if (next >= shown - 5) setShown(shown + ROWS_AT_ONCE);
    // Scrolls once the row is rendered.
    requestAnimationFrame(() => document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' }));
  };
  return {
    id,
    box,
    at,
    shown,
    optionId,
    walk,
    hasWalked: walked !== undefined,
    active: at < 0 ? undefined : optionId(at),
    value: at < 0 ? undefined : valueAt(rows[at]),
    begin() {
      setWalked(undefined);
      setShown(ROWS_AT_ONCE);
      box.current?.scrollTo(0, 0);
    },
    onScroll() {
      const element = box.current;
      if (element === null || shown >= rows.length) return;
      if (element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX) setShown(shown + ROWS_AT_ONCE);
    },
  };
}

function isRefusedRow(row: PickRow): boolean {
  return row.row === 'model' && row.isRefused;
}

function valueAt(row: PickRow | undefined): string | undefined {
  return row === undefined || row.row === 'head' ? undefined : row.value;
}

/** Space is part of a name until the arrow keys have moved to a row. */
function keyDown(event: KeyboardEvent, { many, onPick, onDropLast }: PickPanelProps, list: Walk, typed: string): void {
  if (event.nativeEvent.isComposing) return;
  const { key } = event;
  if (key === 'ArrowDown' || key === 'ArrowUp') list.walk(key === 'ArrowDown' ? 1 : -1);
  else if (key === 'Enter' || (key === ' ' && many && list.hasWalked)) {
    if (list.value !== undefined) onPick(list.value);
  } else if (key === 'Backspace' && typed === '' && onDropLast !== undefined) onDropLast();
  else return;
  event.preventDefault();
  // Enter would submit the dialog or form around it.
  event.stopPropagation();
}
