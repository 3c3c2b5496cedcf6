/** The one way to choose a model: a field that opens a list with prices, context and capabilities; on a phone it is a sheet. */
import { type ReactNode, useCallback, useId, useMemo, useRef, useState } from 'react';
import { useFormat } from '../format.ts';
import { Icon } from './icon.tsx';
import { GROUP_PREFIX, type ModelSource, type PickedModel } from './model-search.ts';
import { PickPanel, type PickPanelProps } from './pick-panel.tsx';
import { nameOf, usePriceLine } from './pick-row.tsx';
import { usePickerTexts } from './picker-texts.ts';
import { keepRecentModel } from './recent-models.ts';

interface Chooser {
  /** Undefined while it is read. */
  source: ModelSource | undefined;
  label: string;
  disabled?: boolean;
}

export function ModelPicker({
  source,
  label,
  disabled = false,
  value,
  onChange,
  permits,
  withGroups = false,
  labelledBy,
}: Chooser & {
  /** Empty: none is chosen. */
  value: string;
  onChange(id: string): void;
  permits?: ((id: string) => boolean) | undefined;
  withGroups?: boolean;
  labelledBy?: string;
}) {
  const texts = usePickerTexts();
  const chosen = useMemo(() => new Set([value]), [value]);
  return (
    <PickField
      label={label}
      labelledBy={labelledBy}
      disabled={disabled || source === undefined}
      className="pick-btn"
      button={<ChosenModel source={source} value={value} empty={texts.nothing} />}
      panel={(close) =>
        source && (
          <PickPanel
            source={source}
            chosen={chosen}
            many={false}
            permits={permits}
            withGroups={withGroups}
            onPick={(id) => {
              keepRecentModel(id);
              onChange(id);
              close();
            }}
            onClose={close}
          />
        )
      }
    />
  );
}

/** Ids and groups as chips. Only entries of the list can be added; saved ones that no longer exist can be removed. */
export function ModelsPicker({
  source,
  label,
  disabled = false,
  values,
  onChange,
  withGroups = false,
  placeholder,
  maxItems = 1_000,
}: Chooser & {
  /** Null when everything is allowed. */
  values: readonly string[] | null;
  onChange(next: string[] | null): void;
  withGroups?: boolean;
  placeholder: string;
  maxItems?: number;
}) {
  const texts = usePickerTexts();
  const format = useFormat();
  const list = values ?? [];
  const chosen = useMemo(() => new Set(values ?? []), [values]);
  const put = (next: string[]) => onChange(next.length === 0 ? null : next);
  const drop = (value: string) => put(list.filter((other) => other !== value));
  const toggle: PickPanelProps['onPick'] = (value) => {
    if (chosen.has(value)) return drop(value);
    if (list.length >= maxItems) return;
    if (!value.startsWith(GROUP_PREFIX)) keepRecentModel(value);
    put([...list, value]);
  };
  return (
    <div className="picked">
      {list.map((value) => (
        <Chip key={value} value={value} source={source} onDrop={disabled ? undefined : () => drop(value)} />
      ))}
      {list.length === 0 && <span className="mid">{placeholder}</span>}
      <PickField
        label={label}
        disabled={disabled || source === undefined}
        className="btn small"
        button={
          <>
            <Icon name="plus" />
            {texts.add}
          </>
        }
        panel={(close) =>
          source && (
            <PickPanel
              source={source}
              chosen={chosen}
              many
              withGroups={withGroups}
              onPick={toggle}
              onDropLast={list.length === 0 ? undefined : () => put(list.slice(0, -1))}
              onClose={close}
              foot={
                <>
                  <span className="strong mid">
                    {list.length >= maxItems
                      ? texts.full(format.number(maxItems))
                      : texts.chosen(format.number(list.length))}
                  </span>
                  <button type="button" className="btn small" onClick={close}>
                    {texts.done}
                  </button>
                </>
              }
            />
          )
        }
      />
    </div>
  );
}

function Chip({
  value,
  source,
  onDrop,
}: {
  value: string;
  source: ModelSource | undefined;
  onDrop: (() => void) | undefined;
}) {
  const texts = usePickerTexts();
  const isGroup = value.startsWith(GROUP_PREFIX);
  const isGone =
    source !== undefined &&
    !(isGroup
      ? source.groups.some(({ id }) => GROUP_PREFIX + id === value)
      : source.data.some(({ id }) => id === value));
  return (
    <span className={isGone ? 'chosen gone' : 'chosen'} title={isGone ? texts.gone : undefined}>
      {isGroup && (
        <>
          <Icon name="layers" />
          {texts.groupChip}
        </>
      )}
      <bdi className="id" dir="ltr">
        <span>{isGroup ? value.slice(GROUP_PREFIX.length) : value}</span>
      </bdi>
      {isGone && <span className="vh">{texts.gone}</span>}
      {onDrop !== undefined && (
        <button type="button" aria-label={texts.drop(value)} onClick={onDrop}>
          <Icon name="x" />
        </button>
      )}
    </span>
  );
}

function ChosenModel({ source, value, empty }: { source: ModelSource | undefined; value: string; empty: string }) {
  const texts = usePickerTexts();
  const format = useFormat();
  const priceLine = usePriceLine();
  const model = source?.data.find(({ id }) => id === value);
  const group = source?.groups.find(({ id }) => GROUP_PREFIX + id === value);
  const line = (found: PickedModel) =>
    found.withdrawn_from === null ? priceLine(found) : texts.goneFrom(format.date(found.withdrawn_from));
  const isUnknown = source !== undefined && value !== '' && model === undefined && group === undefined;
  return (
    <>
      <span className="grow">
        <b>
          <bdi dir={model === undefined && value !== '' ? 'ltr' : undefined}>
            {model === undefined ? value || empty : nameOf(model, format)}
          </bdi>
        </b>
        {model !== undefined && (
          <span className={model.withdrawn_from === null ? 'xs dim' : 'xs warn'}>{line(model)}</span>
        )}
        {group !== undefined && <span className="xs dim">{texts.group(format.number(group.models.length))}</span>}
        {isUnknown && <span className="xs warn">{texts.unknown}</span>}
      </span>
      <Icon name="updown" />
    </>
  );
}

/** The button, and the browser's own popover, whose content is there only while it is open. */
function PickField({
  label,
  labelledBy,
  disabled,
  className,
  button,
  panel,
}: {
  label: string;
  labelledBy?: string | undefined;
  disabled: boolean;
  className: string;
  button: ReactNode;
  panel(close: () => void): ReactNode;
}) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => box.current?.hidePopover(), []);
  return (
    <>
      <button
        ref={opener}
        id={`${id}-opener`}
        type="button"
        className={className}
        disabled={disabled}
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-labelledby={labelledBy === undefined ? undefined : `${labelledBy} ${id}-opener`}
        title={label}
      >
        {labelledBy === undefined && <span className="vh">{label}: </span>}
        {button}
      </button>
      <div
        ref={box}
        id={id}
        popover="auto"
        className="pick"
        role="dialog"
        aria-label={label}
        onBeforeToggle={(event) => {
          if (event.newState === 'open') setOpen(true);
        }}
        onToggle={(event) => {
          if (event.newState === 'closed') return setOpen(false);
          if (opener.current !== null && box.current !== null) placeUnder(opener.current, box.current);
          box.current?.querySelector('input')?.focus();
        }}
      >
        {open && panel(close)}
      </div>
    </>
  );
}

/** Below this width it is a sheet over the whole screen, as picker.css says. */
const SHEET = '(max-width: 40rem)';
const MAX_HEIGHT = 520;
const ENOUGH = 340;

/** From the opener's inline start, on the side that has room, and inside the window. */
function placeUnder(opener: HTMLElement, box: HTMLElement): void {
  for (const name of ['left', 'top', 'max-block-size']) box.style.removeProperty(name);
  if (matchMedia(SHEET).matches) return;
  const at = opener.getBoundingClientRect();
  const width = box.offsetWidth;
  const wanted = document.documentElement.dir === 'rtl' ? at.right - width : at.left;
  const below = innerHeight - at.bottom - 12;
  const above = at.top - 12;
  const isBelow = below >= ENOUGH || below >= above;
  const height = Math.max(200, Math.min(MAX_HEIGHT, isBelow ? below : above));
  box.style.setProperty('max-block-size', `${height}px`);
  box.style.setProperty('left', `${Math.max(8, Math.min(wanted, innerWidth - width - 8))}px`);
  box.style.setProperty('top', `${isBelow ? at.bottom + 4 : Math.max(8, at.top - 4 - box.offsetHeight)}px`);
}
