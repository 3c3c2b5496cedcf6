/**
 * A field that people fill in, declared once: what it may be and what it is called. Readers of JSON and YAML check by it, the
 * OpenAPI document describes by it, and the console renders its form from it. Plain data: the web imports these modules as they
 * are, so nothing here may import anything but plain data and types.
 */
import type { Text } from '../text.ts';

/** What a number counts. */
export type Unit =
  | 'toman'
  | 'toman-per-million'
  | 'requests'
  | 'tokens'
  | 'tokens-per-second'
  | 'characters'
  | 'bytes'
  | 'ms'
  | 'seconds'
  | 'days'
  | 'percent'
  | 'items';

/** A rule of a key as a gate that its requests pass, for the console. */
export interface RuleGate {
  /** The verdicts of the rule tester that it stands for (keys/check-rules.ts). */
  readonly verdicts: readonly string[];
  /** What it says while nothing is restricted. */
  readonly open: Text;
  /** And while something is: `{}` stands for the number, the time, or how many entries there are. */
  readonly set: Text;
  /** Stands beside its number. */
  readonly unit?: Text;
}

interface Described {
  readonly label: Text;
  /** One sentence. */
  readonly help: Text;
  /** null is allowed: no limit, or no restriction. */
  readonly nullable?: boolean;
  readonly gate?: RuleGate;
}

export interface WholeField extends Described {
  readonly kind: 'whole';
  readonly min: number;
  readonly max: number;
  readonly unit: Unit;
  readonly initial?: number;
}

/** Toman as a number or as exact decimal text, at least 0. */
export interface TomanField extends Described {
  readonly kind: 'toman';
  readonly unit: 'toman' | 'toman-per-million';
}

export interface FlagField extends Described {
  readonly kind: 'flag';
  readonly initial?: boolean;
}

export interface TextField extends Described {
  readonly kind: 'text';
  readonly minLength: number;
  readonly maxLength: number;
}

/** A point in time as RFC 3339 text with its zone. */
export interface TimeField extends Described {
  readonly kind: 'time';
}

export interface ChoiceField extends Described {
  readonly kind: 'choice';
  readonly values: readonly string[];
  readonly initial?: string;
}

/** What the entries of a list are; each has its own check. */
export type EntryKind = 'text' | 'model' | 'endpoint' | 'address' | 'host' | 'knowledge-base' | 'slug' | 'region';

export interface ListField extends Described {
  readonly kind: 'list';
  readonly entry: EntryKind;
  readonly maxItems: number;
  readonly maxLength: number;
  /** Where only these are known. */
  readonly values?: readonly string[];
}

export interface GroupField extends Described {
  readonly kind: 'group';
  readonly fields: FieldTable;
}

export type Field = WholeField | TomanField | FlagField | TextField | TimeField | ChoiceField | ListField | GroupField;

/** By the name in JSON and YAML. */
export type FieldTable = Readonly<Record<string, Field>>;

/** Keeps the literal types, which schemas and forms are made from. */
export function fieldTable<const T extends FieldTable>(table: T): T {
  return table;
}
