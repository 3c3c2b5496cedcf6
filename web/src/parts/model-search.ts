/**
 * What a picker of models shows for what is typed. Pure, so that five hundred models can be tested without a browser.
 */
import { latinDigits, searchForm } from '@dargah/core/persian-text.ts';

export interface PickedModel {
  id: string;
  name: string;
  name_fa: string | null;
  vendor: string;
  kind: string;
  context: number | null;
  capabilities: readonly string[];
  /** Toman for what `per` says; null where it is not charged. */
  input: string | null;
  output: string | null;
  per: 'million_tokens' | 'thousand_characters' | 'minute' | 'search' | 'image';
  withdrawn_from: string | null;
  simulated: boolean;
  popular: boolean;
  /** What its routes state about data; absent in lists that do not tell. */
  data_policies?: readonly { training: boolean | null }[];
}

export interface PickedGroup {
  id: string;
  name: string;
  name_fa: string | null;
  models: readonly string[];
}

export interface ModelSource {
  data: readonly PickedModel[];
  groups: readonly PickedGroup[];
  vendors: Readonly<Record<string, { fa: string; en: string }>>;
}

/** Capabilities that filter a list and have a column in every row. */
export const SHOWN_CAPABILITIES = ['vision', 'tools', 'reasoning', 'audio_input'] as const;
export type ShownCapability = (typeof SHOWN_CAPABILITIES)[number];
/** Rules name a group by its id after this. */
export const GROUP_PREFIX = 'group:';

export interface PickQuestion {
  typed: string;
  capabilities: readonly ShownCapability[];
  /** Only models with a route that does not train with the data. */
  noTraining?: boolean;
  /** Undefined when every model may be chosen. */
  permits?: ((id: string) => boolean) | undefined;
  /** Models that are not permitted are shown too, below the others. */
  withRefused: boolean;
  /** Ids, the last used first. */
  recent: readonly string[];
  withGroups: boolean;
}

export type PickSection = { kind: 'recent' | 'groups' | 'refused' } | { kind: 'vendor'; vendor: string };
/** What is chosen by a row: a model, or a group by its pattern. */
export type PickRow =
  | { row: 'head'; key: string; section: PickSection; count: number }
  | { row: 'model'; key: string; value: string; model: PickedModel; isRefused: boolean }
  | { row: 'group'; key: string; value: string; group: PickedGroup };

export function pickRows(source: ModelSource, question: PickQuestion): PickRow[] {
  const { permits, recent, withGroups, withRefused } = question;
  const words = wordsOf(question.typed);
  const found = inOrder(source).filter(
    (model) =>
      question.capabilities.every((one) => model.capabilities.includes(one)) &&
      (question.noTraining !== true || isUntrained(model)) &&
      matches(textOf(model, source), words),
  );
  const may = (model: PickedModel) => permits === undefined || permits(model.id);
  const rows: PickRow[] = [];
  const add = (section: PickSection, models: readonly PickedModel[], isRefused = false) => {
    if (models.length === 0) return;
    // A recent model is listed under its maker too.
    const place = section.kind === 'vendor' ? `vendor ${section.vendor}` : section.kind;
    rows.push({ row: 'head', key: place, section, count: models.length });
    for (const model of models)
      rows.push({ row: 'model', key: `${place} ${model.id}`, value: model.id, model, isRefused });
  };
  const open = found.filter(may);
  // In search results each model appears once.
  if (words.length === 0)
    add(
      { kind: 'recent' },
      recent.flatMap((id) => open.filter((model) => model.id === id)),
    );
  for (const [vendor, models] of byVendor(open)) add({ kind: 'vendor', vendor }, models);
  if (withGroups && question.capabilities.length === 0) {
    const groups = source.groups.filter((group) =>
      matches(searchForm(`${GROUP_PREFIX}${group.id} ${group.name} ${group.name_fa ?? ''}`), words),
    );
    if (groups.length > 0) rows.push({ row: 'head', key: 'groups', section: { kind: 'groups' }, count: groups.length });
    for (const group of groups)
      rows.push({ row: 'group', key: `groups ${group.id}`, value: GROUP_PREFIX + group.id, group });
  }
  if (withRefused || words.length > 0)
    add(
      { kind: 'refused' },
      found.filter((model) => !may(model)),
      true,
    );
  return rows;
}

function isUntrained({ data_policies: policies }: PickedModel): boolean {
  return policies?.some(({ training }) => training === false) ?? false;
}

function byVendor(models: readonly PickedModel[]): Map<string, PickedModel[]> {
  const found = new Map<string, PickedModel[]>();
  for (const model of models) {
    const list = found.get(model.vendor);
    if (list) list.push(model);
    else found.set(model.vendor, [model]);
  }
  return found;
}

const ordered = new WeakMap<ModelSource, readonly PickedModel[]>();
const BY_NAME = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Makers in the order in which they come, their models by name; simulators last. Ordered once, not at every letter. */
function inOrder(source: ModelSource): readonly PickedModel[] {
  let models = ordered.get(source);
  if (models === undefined) {
    models = [...source.data].sort(
      (a, b) =>
        Number(a.simulated) - Number(b.simulated) ||
        BY_NAME.compare(a.vendor, b.vendor) ||
        BY_NAME.compare(a.name, b.name),
    );
    ordered.set(source, models);
  }
  return models;
}

const texts = new WeakMap<PickedModel, string>();

function textOf(model: PickedModel, { vendors }: ModelSource): string {
  let text = texts.get(model);
  if (text === undefined) {
    const maker = vendors[model.vendor];
    text = searchForm(`${model.id} ${model.name} ${model.name_fa ?? ''} ${maker?.fa ?? ''} ${maker?.en ?? ''}`);
    texts.set(model, text);
  }
  return text;
}

function wordsOf(typed: string): string[] {
  return latinDigits(searchForm(typed)).split(/\s+/).filter(Boolean);
}

function matches(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** The word that was probably meant, where nothing was found. */
export function nearestWord(source: ModelSource, typed: string): string | undefined {
  const word = wordsOf(typed).at(-1);
  if (word === undefined || word.length < 3) return undefined;
  const known = new Set(
    source.data.flatMap(({ id, name }) => `${id} ${name}`.toLowerCase().split(/[\s/:._-]+/)).filter(Boolean),
  );
  let best: string | undefined;
  let least = Math.min(4, word.length);
  for (const one of known) {
    const distance = editsBetween(word, one, least);
    if (distance < least) [best, least] = [one, distance];
  }
  return best;
}

/** Letters to change, add or take away; counting stops at `most`. */
function editsBetween(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) >= most) return most;
  let before = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let at = 1; at <= to.length; at++) {
      const same = from[row - 1] === to[at - 1] ? 0 : 1;
      next.push(Math.min((before[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (before[at - 1] ?? 0) + same));
    }
    before = next;
  }
  return before[to.length] ?? most;
}

/** By a list of rules: ids and groups. Null permits everything. */
export function permittedBy(rule: readonly string[] | null | undefined, source: ModelSource | undefined) {
  if (rule == null || source === undefined) return undefined;
  const ids = new Set(rule);
  for (const group of source.groups)
    if (ids.has(GROUP_PREFIX + group.id)) for (const model of group.models) ids.add(model);
  return (id: string) => ids.has(id);
}
