/** A day chosen in the account's calendar: a button that says it, and a month beneath. */
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { addDays, civilParts, type Day, dayAt, dayOfWeek, monthOf, noonOf } from '../calendar.ts';
import { useFormat } from '../format.ts';
import { usePreferences } from '../preferences.tsx';
import { useShared } from '../texts/shared.ts';
import { Field } from './form.tsx';
import { Icon } from './icon.tsx';
import { placeBeside } from './menu.tsx';

interface DayProps {
  value: Day | null;
  onChange(next: Day | null): void;
  /** Days before it cannot be chosen. */
  earliest?: Day;
  /** Shown while no day is chosen. */
  empty: string;
}

export function DateField({
  label,
  hint,
  error,
  ...rest
}: DayProps & { label: ReactNode; hint?: ReactNode; error?: ReactNode }) {
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id }) => <DateInput {...rest} id={id} />}
    </Field>
  );
}

export function DateInput({
  value,
  onChange,
  earliest,
  empty,
  id: own,
  label,
  chip = false,
}: DayProps & { id?: string; label?: string; chip?: boolean }) {
  const shared = useShared();
  const format = useFormat();
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();
  const place = () => {
    if (opener.current !== null && list.current !== null) placeBeside(opener.current, list.current);
  };
  const choose = (day: Day | null) => {
    list.current?.hidePopover();
    onChange(day);
  };
  const shown = value === null ? empty : format.date(`${value}T12:00:00Z`);
  const look = chip ? (value === null ? 'chip' : 'chip on') : 'input';
  return (
    <span className={chip ? 'filter' : 'date-field'}>
      <button
        id={own}
        ref={opener}
        type="button"
        className={look}
        aria-label={label === undefined || value === null ? undefined : `${label}: ${shown}`}
        popoverTarget={id}
        aria-haspopup="dialog"
      >
        {chip && value !== null && label !== undefined ? (
          <>
            {label}: <b>{shown}</b>
          </>
        ) : (
          <span className={value === null && !chip ? 'dim' : undefined}>{shown}</span>
        )}
        <Icon name="calendar" />
      </button>
      {value !== null && (
        <button
          type="button"
          className="btn icon small"
          aria-label={shared.clear}
          title={shared.clear}
          onClick={() => choose(null)}
        >
          <Icon name="x" />
        </button>
      )}
      <div
        ref={list}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label ?? empty}
        className="menu-list month"
        onBeforeToggle={place}
        onToggle={place}
      >
        <Month value={value} earliest={earliest} onChoose={choose} />
      </div>
    </span>
  );
}

function Month({
  value,
  earliest,
  onChoose,
}: {
  value: Day | null;
  earliest: Day | undefined;
  onChoose(day: Day): void;
}) {
  const shared = useShared();
  const format = useFormat();
  const { calendar, timeZone } = usePreferences();
  const today = dayAt(Date.now(), timeZone);
  const [shown, setShown] = useState<Day>();
  const grid = useRef<HTMLDivElement>(null);
  const within = shown ?? value ?? today;
  const days = monthOf(within, calendar);
  const [first = within] = days;
  const walk = (event: KeyboardEvent) => {
    const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const steps: Record<string, number> = { ArrowDown: 7, ArrowUp: -7, ArrowLeft: -1, ArrowRight: -1, [forward]: 1 };
    const step = steps[event.key];
    const from = (document.activeElement as HTMLElement | null)?.dataset['day'];
    if (step === undefined || from === undefined) return;
    event.preventDefault();
    const to = addDays(from, step);
    if (civilParts(to, calendar).month !== civilParts(from, calendar).month) setShown(to);
    requestAnimationFrame(() => grid.current?.querySelector<HTMLElement>(`[data-day="${to}"]`)?.focus());
  };
  return (
    <>
      <div className="row between keep month-head">
        <button
          type="button"
          className="btn icon small"
          aria-label={shared.monthBefore}
          onClick={() => setShown(addDays(first, -1))}
        >
          <Icon name="before" flip />
        </button>
        <b aria-live="polite">
          {format.month(noonOf(within).getTime())} {format.plain(civilParts(within, calendar).year)}
        </b>
        <button
          type="button"
          className="btn icon small"
          aria-label={shared.monthAfter}
          onClick={() => setShown(addDays(days.at(-1) ?? within, 1))}
        >
          <Icon name="after" flip />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows walk between the days, which are buttons. */}
      <div className="month-days" ref={grid} onKeyDown={walk}>
        {weekDays(first, calendar).map((day) => (
          <span key={day} className="dim" aria-hidden="true">
            {format.weekdayLetter(noonOf(day).getTime())}
          </span>
        ))}
        {Array.from({ length: dayOfWeek(first, calendar) }, (_, blank) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blanks have no other name and do not move.
          <span key={blank} />
        ))}
        {days.map((day) => (
          <button
            key={day}
            type="button"
            data-day={day}
            disabled={earliest !== undefined && day < earliest}
            aria-pressed={day === value}
            aria-current={day === today ? 'date' : undefined}
            aria-label={`${format.weekday(noonOf(day).getTime())} ${format.date(noonOf(day).getTime())}`}
            onClick={() => onChoose(day)}
          >
            {format.plain(civilParts(day, calendar).day)}
          </button>
        ))}
      </div>
    </>
  );
}

/** Seven days from the first day of a week on, for the names above the columns. */
function weekDays(day: Day, calendar: 'jalali' | 'gregorian'): Day[] {
  const start = addDays(day, -dayOfWeek(day, calendar));
  return Array.from({ length: 7 }, (_, index) => addDays(start, index));
}
