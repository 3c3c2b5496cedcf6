/** What a rule of a key or an account is changed with, and what its gate says: the kind of its field says it, so a rule that is declared has its control. */
import type { Field } from '@dargah/core/fields/field.ts';
import { addDays, dayAt, startOf } from '../calendar.ts';
import { useFormat } from '../format.ts';
import { usePreferences } from '../preferences.tsx';
import { useShared } from '../texts/shared.ts';
import { DateInput } from './date-field.tsx';
import { useDeclared } from './declared.ts';
import { NumberInput, Toggle } from './form.tsx';
import { ListInput } from './list-input.tsx';
import { ModelsPicker } from './model-picker.tsx';
import type { ModelSource } from './model-search.ts';

interface RuleControlProps {
  field: Field;
  value: unknown;
  onChange(next: unknown): void;
  /** A limit is shown where it may not be changed; a list is told by its sentence. */
  disabled: boolean;
  suggestions: readonly string[];
  /** What a rule about models chooses from. */
  models: ModelSource | undefined;
}

export function RuleControl({ field, value, onChange, disabled, suggestions, models }: RuleControlProps) {
  const shared = useShared();
  const { language } = usePreferences();
  const { label } = useDeclared()(field);
  if (field.kind === 'whole' || field.kind === 'toman')
    return (
      <NumberInput
        aria-label={label}
        bounds={field.kind === 'whole' ? field : undefined}
        disabled={disabled}
        value={value == null ? null : String(value)}
        onChange={(next) => onChange(next === null || field.kind === 'toman' ? next : Math.round(Number(next)))}
        unit={field.gate?.unit?.[language]}
        placeholder={field.unit === 'seconds' ? shared.asAsked : shared.unlimited}
      />
    );
  if (disabled) return null;
  if (field.kind === 'list' && field.entry === 'model')
    return <ModelRule field={field} value={value} onChange={onChange} models={models} />;
  if (field.kind === 'list')
    return (
      <ListInput
        label={label}
        bounds={field}
        placeholder={shared.everything}
        values={(value as string[] | null | undefined) ?? null}
        onChange={onChange}
        suggestions={field.values ?? suggestions}
      />
    );
  if (field.kind === 'flag')
    return (
      <Toggle checked={value === true} onChange={onChange}>
        {label}
      </Toggle>
    );
  return field.kind === 'time' ? <LastDay field={field} value={value} onChange={onChange} /> : null;
}

/** Ids of models, and groups as patterns: the only two that a rule takes. */
function ModelRule({
  field,
  value,
  onChange,
  models,
}: Pick<RuleControlProps, 'field' | 'value' | 'onChange' | 'models'>) {
  const shared = useShared();
  const { label } = useDeclared()(field);
  return (
    <ModelsPicker
      label={label}
      source={models}
      withGroups
      placeholder={shared.everything}
      values={(value as string[] | null | undefined) ?? null}
      onChange={onChange}
      {...(field.kind === 'list' ? { maxItems: field.maxItems } : {})}
    />
  );
}

/** Includes the whole of that day. */
function LastDay({ field, value, onChange }: Pick<RuleControlProps, 'field' | 'value' | 'onChange'>) {
  const { timeZone, language } = usePreferences();
  const { label } = useDeclared()(field);
  return (
    <DateInput
      label={label}
      empty={field.gate?.open[language] ?? label}
      earliest={dayAt(Date.now(), timeZone)}
      value={typeof value === 'string' ? dayAt(value, timeZone) : null}
      onChange={(day) =>
        onChange(day === null ? null : new Date(startOf(addDays(day, 1), timeZone).getTime() - 1_000).toISOString())
      }
    />
  );
}

/** What the gate of a rule says of its value. */
export function useSentence(): (field: Field, value: unknown) => string {
  const { language } = usePreferences();
  const format = useFormat();
  const said = (field: Field, value: unknown): string => {
    if (Array.isArray(value)) return format.number(value.length);
    if (field.kind === 'toman') return format.money(String(value));
    return field.kind === 'time' ? format.dateTime(String(value)) : format.number(Number(value));
  };
  return (field, value) => {
    if (field.gate === undefined) return '';
    const isOpen = value == null || value === false;
    return isOpen ? field.gate.open[language] : field.gate.set[language].replace('{}', said(field, value));
  };
}
