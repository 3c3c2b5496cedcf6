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

/** A rule of a key as the console shows it: a gate that requests pass. */
export interface RuleGate {
  /** The verdicts of the rule tester that this gate shows (keys/check-rules.ts). */
  readonly verdicts: readonly string[];
  /** The text while nothing is restricted. */
  readonly open: Text;
  /** The text while something is restricted: `{}` stands for the number, the time, or how many entries there are. */
  readonly set: Text;
  /** A text that stands beside the number of the rule. */
  readonly unit?: Text;
}

interface Described {
  readonly label: Text;
  /** One sentence of help. */
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

/** The kind of the entries of a list; each kind has its own check. */
export type EntryKind = 'text' | 'model' | 'endpoint' | 'address' | 'host' | 'knowledge-base' | 'slug' | 'region';

export interface ListField extends Described {
  readonly kind: 'list';
  readonly entry: EntryKind;
  readonly maxItems: number;
  readonly maxLength: number;
  /** The only values that are allowed; absent where any text is. */
  readonly values?: readonly string[];
}

export interface GroupField extends Described {
  readonly kind: 'group';
  readonly fields: FieldTable;
}

export type Field = WholeField | TomanField | FlagField | TextField | TimeField | ChoiceField | ListField | GroupField;

/** Fields by their name in JSON and YAML. */
export type FieldTable = Readonly<Record<string, Field>>;

/** Keeps the literal types, from which schemas and forms are made. */
export function fieldTable<const T extends FieldTable>(table: T): T {
  return table;
}
