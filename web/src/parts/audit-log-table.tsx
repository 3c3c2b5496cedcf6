/** Who did what, and what was before and after; the operator's audit log and the customer's own. */
import type { listEvents } from '@dargah/api/admin/service.ts';
import { createContext, type ReactNode, useContext } from 'react';
import { Link } from 'wouter';
import type { Result } from '../api/call.ts';
import { useFormat } from '../format.ts';
import { useAccessTexts } from '../texts/access-texts.ts';
import { useActTexts } from '../texts/act-texts.ts';
import { useAuditLogTexts } from '../texts/audit-log-texts.ts';
import { labelOf, useLanguage } from '../texts/dictionary.tsx';
import { Id } from './copyable.tsx';
import { useIsNumber, useTrailedName } from './declared.ts';
import { Becomes, Moment } from './figures.tsx';
import { Empty } from './page-frame.tsx';
import { Table } from './table.tsx';

type Traced = Result<typeof listEvents>['data'][number];

/** The path of an order's page; customers have none. */
const OrderPath = createContext<string | undefined>(undefined);

export interface AuditLogTableProps {
  label: string;
  rows: readonly Traced[] | undefined;
  foot: ReactNode;
  /** The path of an order's page, for readers who have one. */
  orderPath?: string;
  empty: { title: string; text: string };
  /** The page already says what every entry is about. */
  ofOneSubject?: boolean;
  /** Customers learn that staff did something, not which person. */
  forCustomer?: boolean;
}

export function AuditLogTable(props: AuditLogTableProps) {
  const { label, rows, foot, orderPath, empty, forCustomer = false, ofOneSubject = false } = props;
  const texts = useAuditLogTexts();
  const acts = useActTexts();
  return (
    <Table
      label={label}
      dense
      rows={rows}
      idOf={({ id }) => id}
      empty={<Empty {...empty} />}
      foot={foot}
      columns={[
        { id: 'at', head: texts.when, fold: 'c3', className: 'mid nowrap', cell: ({ at }) => <Moment at={at} /> },
        {
          id: 'action',
          head: texts.what,
          fold: 'c1',
          className: 'nowrap',
          cell: ({ action }) => <span title={action}>{acts[action]}</span>,
        },
        ...(ofOneSubject
          ? []
          : [
              {
                id: 'subject',
                head: texts.where,
                className: 'narrow-id',
                cell: ({ subject }: Traced) => <Id value={subject} />,
              },
            ]),
        {
          id: 'actor',
          head: texts.who,
          fold: 'c2',
          cell: ({ actor, actor_name: name }) => <Actor actor={actor} name={name} forCustomer={forCustomer} />,
        },
        {
          id: 'change',
          head: texts.change,
          fold: 'c4',
          className: 'changes own-line',
          cell: ({ detail }) => (
            <OrderPath value={orderPath}>
              <Changes detail={detail} />
            </OrderPath>
          ),
        },
      ]}
    />
  );
}

/** People by their names; `operator`, `cli`, `config` and `startup` by what they are. */
export function Actor({ actor, name, forCustomer }: { actor: string; name: string | null; forCustomer: boolean }) {
  const texts = useAuditLogTexts();
  const [kind, id] = actor.split(':');
  if (forCustomer && kind !== 'person' && kind !== 'management-key') return texts.support;
  if (id === undefined) return labelOf(texts.by, actor) ?? <Id value={actor} />;
  const what = labelOf(texts.kinds, kind ?? '') ?? texts.managementKey;
  return (
    <span title={id}>
      {name === null ? <Id value={`…${id.slice(-6)}`} /> : <bdi>{name}</bdi>}
      {!forCustomer && <span className="xs dim"> {what}</span>}
    </span>
  );
}

/** Each field on its line, the old value before the new; what is not a change is shown as it was written. */
function Changes({ detail }: { detail: unknown }) {
  const texts = useAuditLogTexts();
  const declaredName = useTrailedName();
  const { before, after, ...rest } = detail as { before?: Shown; after?: Shown } & Shown;
  const fields = Object.keys(after ?? {});
  const others = Object.entries(rest).filter(([name, value]) => !HIDDEN.has(name) && !isNothing(value));
  const nameOf = (field: string) => declaredName(field) ?? labelOf(texts.fields, field) ?? <Id value={field} />;
  if (fields.length === 0 && others.length === 0) return <span className="dim">—</span>;
  const lines = [
    ...fields.map((field) => (
      <div key={field} className="change-line">
        <span className="dim">{nameOf(field)}</span> <Value field={field} value={before?.[field]} /> <Becomes />{' '}
        <Value field={field} value={after?.[field]} strong />
      </div>
    )),
    ...others.map(([name, value]) => (
      <div key={name} className="change-line">
        <span className="dim">{nameOf(name)}</span> <Value field={name} value={value} />
      </div>
    )),
  ];
  if (lines.length <= MAX_LINES) return <div className="xs">{lines}</div>;
  return (
    <div className="xs">
      {lines.slice(0, MAX_LINES)}
      <details>
        <summary className="dim nowrap">{texts.more}</summary>
        {lines.slice(MAX_LINES)}
      </details>
    </div>
  );
}

type Shown = Record<string, unknown>;
/** Fields that the row shows itself, or that are of no use to people. */
const HIDDEN = new Set(['account_id', 'account', 'fields']);

function isNothing(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

const MAX_LINES = 3;

/** A list by its members, a text in two languages by the reader's, anything else field by field without what is empty. */
function useInner(): (field: string, value: object) => string {
  const texts = useAuditLogTexts();
  const access = useAccessTexts();
  const language = useLanguage();
  const declaredName = useTrailedName();
  const nameOf = (field: string, name: string) =>
    field === 'resources'
      ? (labelOf(access.resources, name) ?? name)
      : (declaredName(name) ?? labelOf(texts.fields, name) ?? name);
  const shownOf = (field: string, value: unknown) => {
    if (typeof value === 'object') return JSON.stringify(value);
    return labelOf(field === 'resources' ? access.access : texts.values, String(value)) ?? String(value);
  };
  return (field, value) => {
    if (Array.isArray(value)) return value.map(String).join(' · ');
    const own = (value as Shown)[language];
    if (typeof own === 'string') return own;
    return Object.entries(value)
      .filter(([, one]) => !isNothing(one))
      .map(([name, one]) => `${nameOf(field, name)}: ${shownOf(field, one)}`)
      .join(' · ');
  };
}

/** The kinds of a field's values. Digits count as a name or an id unless the field stands here. */
const KINDS: Readonly<Record<string, 'amount' | 'percent' | 'order'>> = {
  amount: 'amount',
  balance: 'amount',
  cost: 'amount',
  count: 'amount',
  exchange_rate: 'amount',
  input: 'amount',
  limit: 'amount',
  new_prices: 'amount',
  one_act: 'amount',
  one_day: 'amount',
  output: 'amount',
  rows: 'amount',
  spent: 'amount',
  order: 'order',
  vat_basis_points: 'percent',
};

function useShownText(): (field: string, value: unknown) => string {
  const texts = useAuditLogTexts();
  const format = useFormat();
  const inner = useInner();
  const isDeclaredNumber = useIsNumber();
  return (field, value) => {
    if (typeof value === 'boolean') return value ? texts.yes : texts.no;
    if (typeof value === 'object' && value !== null) return inner(field, value);
    const text = String(value);
    const kind = KINDS[field];
    if (kind === 'percent') return format.percent(Number(text) / 10_000, 2);
    const isNumber = typeof value === 'number' || kind === 'amount' || isDeclaredNumber(field);
    if (isNumber && /^-?\d+(\.\d+)?$/.test(text)) return format.money(text);
    if (/^\d{4}-\d\d-\d\dT/.test(text)) return format.dateTime(text);
    return labelOf(texts.values, text) ?? text;
  };
}

function Value({ field, value, strong = false }: { field: string; value: unknown; strong?: boolean }) {
  const shownText = useShownText();
  const orderPath = useContext(OrderPath);
  if (value === null || value === undefined || value === '') return <span className="dim">—</span>;
  const text = shownText(field, value);
  if (KINDS[field] === 'order' && orderPath !== undefined)
    return (
      <Link href={`${orderPath}${text}`}>
        <Id value={text} />
      </Link>
    );
  return strong ? (
    <b>
      <bdi>{text}</bdi>
    </b>
  ) : (
    <bdi>{text}</bdi>
  );
}
