/** Declared fields (packages/core/src/fields) as options of a command, under their own names: `default_model` is `--default-model`. */
import type { Field, FieldTable, ListField } from '@dargah/core/fields/index.ts';
import type { Options } from './arguments.ts';
import { withoutUndefined } from './command.ts';

/** Returns the typed options in the form of the operator API; undefined when none was typed. */
export function typedFields(table: FieldTable, options: Options): Record<string, unknown> | undefined {
  const entries = Object.entries(table).map(([name, field]) => [name, typedField(name, field, options)] as const);
  const input = withoutUndefined(Object.fromEntries(entries));
  return Object.keys(input).length > 0 ? input : undefined;
}

function typedField(name: string, field: Field, options: Options): unknown {
  const option = optionName(name);
  switch (field.kind) {
    case 'group':
      return typedFields(field.fields, options);
    case 'whole':
      return options.limit(option);
    case 'toman':
      return options.amount(option);
    case 'list':
      return options.list(option);
    case 'flag':
      return options.flag(option);
    default: {
      const text = options.text(option);
      return field.nullable && text === 'none' ? null : text;
    }
  }
}

const ENTRIES: Record<ListField['entry'], string> = {
  text: 'TEXT,…',
  'knowledge-base': 'kb_…,…',
  slug: 'NAME,…',
  region: 'eu,…',
  model: 'a/b,group:x',
  endpoint: 'chat.completions,…',
  address: '1.2.3.0/24,…',
  host: '*.example.com,…',
};

/** `--rpm N  --models a/b,group:x  …`, for the help. */
export function optionsHelp(table: FieldTable): string {
  return Object.entries(table)
    .map(([name, field]) =>
      field.kind === 'group' ? optionsHelp(field.fields) : `--${optionName(name)} ${exampleOf(field)}`,
    )
    .join('  ');
}

function exampleOf(field: Exclude<Field, { kind: 'group' }>): string {
  switch (field.kind) {
    case 'whole':
      return 'N';
    case 'toman':
      return 'TOMAN';
    case 'flag':
      return 'true|false';
    case 'list':
      return ENTRIES[field.entry];
    case 'choice':
      return field.values.join('|');
    case 'time':
      return '2027-03-21T00:00:00+03:30';
    case 'text':
      return 'TEXT';
  }
}

function optionName(name: string): string {
  return name.replace(/_at$/, '').replaceAll('_', '-');
}
