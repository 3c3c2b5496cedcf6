/** Form rows: label above, hint below in the same place as the error, unit inside. Numbers may be typed in Persian digits. */
import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { plainNumber, useFormat } from '../format.ts';
import { useShared } from '../texts/shared.ts';

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  children(ids: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }): ReactNode;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-note`, 'aria-invalid': error !== undefined })}
      <span id={`${id}-note`} className={error === undefined ? 'hint' : 'hint bad'} hidden={note === undefined}>
        {note}
      </span>
    </div>
  );
}

interface Row {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode | undefined;
}

type InputProps = Row &
  Omit<ComponentProps<'input'>, 'onChange' | 'value'> & { value: string; onChange(next: string): void };

export function TextField({ label, hint, error, onChange, ...rest }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => <input className="input" {...rest} {...ids} onChange={(event) => onChange(event.target.value)} />}
    </Field>
  );
}

/** A secret of another service, which browsers must neither store nor fill in. */
export function SecretField(props: Omit<InputProps, 'type' | 'dir' | 'autoComplete'>) {
  return <TextField {...props} dir="ltr" type="password" autoComplete="off" />;
}

type AreaProps = Row &
  Omit<ComponentProps<'textarea'>, 'onChange' | 'value'> & { value: string; onChange(next: string): void };

export function AreaField({ label, hint, error, onChange, ...rest }: AreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <textarea
          className="input"
          dir="auto"
          rows={4}
          {...rest}
          {...ids}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

type SelectProps = Row & {
  value: string;
  options: readonly (readonly [string, string])[];
  onChange(next: string): void;
  dir?: 'ltr' | 'auto';
  name?: string;
};

export function SelectField({ label, hint, error, value, options, onChange, dir, name }: SelectProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <select
          className="input"
          dir={dir}
          name={name}
          value={value}
          {...ids}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map(([option, name]) => (
            <option key={option} value={option}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A number as exact text; empty is `null`, which is not zero. */
export function NumberInput({
  value,
  onChange,
  unit,
  placeholder,
  disabled,
  signed = false,
  bounds,
  ...named
}: {
  value: string | null;
  onChange(next: string | null): void;
  unit?: string | undefined;
  placeholder?: string | undefined;
  disabled?: boolean | undefined;
  /** May be below zero. */
  signed?: boolean | undefined;
  /** The server's bounds; other values are marked and not passed on. */
  bounds?: { min: number; max: number } | undefined;
  id?: string;
  name?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
}) {
  const format = useFormat();
  const [typed, setTyped] = useState<string>();
  const texts = useShared();
  const shown = typed ?? (value === null ? '' : format.money(value));
  const isWithin = (plain: string) =>
    bounds === undefined || (Number(plain) >= bounds.min && Number(plain) <= bounds.max);
  const isOutside = typed !== undefined && plainNumber(typed) !== '' && !isWithin(plainNumber(typed));
  return (
    <div className="with-unit">
      <input
        className="input"
        inputMode="decimal"
        placeholder={placeholder}
        disabled={disabled}
        {...named}
        aria-invalid={isOutside}
        title={bounds && isOutside ? texts.between(format.number(bounds.min), format.number(bounds.max)) : undefined}
        value={shown}
        onChange={(event) => {
          setTyped(event.target.value);
          const plain = plainNumber(event.target.value);
          if (plain === '') onChange(null);
          else if (/^-?\d+(\.\d{0,6})?$/.test(plain) && (signed || !plain.startsWith('-')) && isWithin(plain))
            onChange(plain.replace(/\.$/, ''));
        }}
        onBlur={() => setTyped(undefined)}
      />
      {unit !== undefined && <span className="unit">{unit}</span>}
    </div>
  );
}

export function NumberField({
  label,
  hint,
  error,
  ...rest
}: Row & {
  value: string | null;
  onChange(next: string | null): void;
  unit?: string;
  placeholder?: string;
  signed?: boolean;
  bounds?: { min: number; max: number };
  name?: string;
}) {
  return (
    <Field label={label} hint={hint} error={error}>
      {({ id, 'aria-describedby': note }) => <NumberInput {...rest} id={id} aria-describedby={note} />}
    </Field>
  );
}

export function Toggle({
  checked,
  onChange,
  children,
  disabled = false,
}: {
  checked: boolean;
  onChange(next: boolean): void;
  children: ReactNode;
  disabled?: boolean;
}) {
  return (
    <label className="row keep">
      <input
        type="checkbox"
        role="switch"
        aria-checked={checked}
        className="toggle"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>{children}</span>
    </label>
  );
}

export function Check({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange(next: boolean): void;
  children: ReactNode;
}) {
  return (
    <label className="row keep">
      <input type="checkbox" className="check" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>{children}</span>
    </label>
  );
}

/** A form that sends once: the button waits while it works. Enter sends. */
export function Form({
  onSubmit,
  children,
  className = 'stack gap-m',
  label,
}: {
  onSubmit(): void;
  children: ReactNode;
  className?: string;
  label?: string;
}) {
  return (
    <form
      className={className}
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}

/** The bar that appears with unsaved changes. */
export function CommitBar({
  children,
  onSave,
  onReset,
  busy,
  saveName,
}: {
  children: ReactNode;
  onSave(): void;
  onReset(): void;
  busy: boolean;
  saveName?: string;
}) {
  const texts = useShared();
  return (
    <div className="commit">
      <span className="mid grow">{children}</span>
      <button type="button" className="btn plain" onClick={onReset}>
        {texts.undo}
      </button>
      <button type="button" className="btn main" disabled={busy} onClick={onSave}>
        {saveName ?? texts.save}
      </button>
    </div>
  );
}
