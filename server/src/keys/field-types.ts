/** Declared fields (packages/core/src/fields) as types: what a field is once it is read, and all fields of a table as one object. */
import type { Field, FieldTable } from '@dargah/core/fields/index.ts';
import type { JsonObject } from '../core/json.ts';
import type { Money } from '../core/money.ts';

/** A field as it is read; `null` where the declaration allows it. */
type ValueOf<F extends Field> = F extends { kind: 'whole' }
  ? number
  : F extends { kind: 'toman' }
    ? Money
    : F extends { kind: 'flag' }
      ? boolean
      : F extends { kind: 'time' }
        ? number
        : F extends { kind: 'list'; values: readonly (infer V)[] }
          ? V[]
          : F extends { kind: 'list' }
            ? string[]
            : F extends { kind: 'choice'; values: readonly (infer V)[] }
              ? V
              : F extends { kind: 'group' }
                ? JsonObject
                : string;
export type ReadOf<F extends Field> = F extends { nullable: true } ? ValueOf<F> | null : ValueOf<F>;

type Camel<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;
type HeldOf<F extends Field> = F extends { kind: 'group'; fields: infer T extends FieldTable }
  ? ValuesOf<T>
  : ReadOf<F>;

type PlainRenderedOf<F extends Field> = F extends { kind: 'group'; fields: infer T extends FieldTable }
  ? RenderedOf<T>
  : F extends { kind: 'toman' | 'time' }
    ? string
    : ValueOf<F>;

/** All fields of a table as people and programs write them: money and times are text. */
export type RenderedOf<T extends FieldTable> = {
  -readonly [Name in keyof T & string]: T[Name] extends { nullable: true }
    ? PlainRenderedOf<T[Name]> | null
    : PlainRenderedOf<T[Name]>;
};

/** `null` = no limit; `0` = none allowed. */
export type ValuesOf<T extends FieldTable> = {
  -readonly [Name in keyof T & string as Camel<Name>]: HeldOf<T[Name]>;
};
