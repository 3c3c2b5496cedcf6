/** The keys of an account: every rule, and the buttons that stop one. Staff never see their texts. */
import type { actOnAccountKey } from '@dargah/api/admin/desk.ts';
import type { listKeys } from '@dargah/api/admin/keys.ts';
import type { Field, FieldTable } from '@dargah/core/fields/field.ts';
import { KEY_RULE_FIELDS } from '@dargah/core/fields/key-rules.ts';
import { useState } from 'react';
import type { Result } from '../../api/call.ts';
import { useChange, usePages } from '../../api/read.ts';
import { Id } from '../../parts/copyable.tsx';
import { useDeclared } from '../../parts/declared.ts';
import { Drawer } from '../../parts/drawer.tsx';
import { Moment } from '../../parts/figures.tsx';
import { type Gate, Gates } from '../../parts/gates.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Empty, Panel } from '../../parts/page-frame.tsx';
import { Pill } from '../../parts/pill.tsx';
import { useSentence } from '../../parts/rule-control.tsx';
import { MoreButton, Table } from '../../parts/table.tsx';
import { useToast } from '../../parts/toast.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { useShared } from '../../texts/shared.ts';
import { useStaffMay } from '../may.ts';
import { useTexts } from '../texts.ts';
import { AskReason } from './ask-reason.tsx';
import { useDeskTexts } from './desk-texts.ts';

type Key = Result<typeof listKeys>['data'][number];
type Act = 'pause' | 'resume' | 'revoke' | 'ask_rotation';

const STALE = ['GET /api/admin/keys', 'GET /api/admin/accounts/:id/history', 'GET /api/admin/accounts/:id/desk'];

export function AccountKeys({ id }: { id: string }) {
  const texts = useDeskTexts();
  const common = useTexts();
  const shared = useShared();
  const [shown, setShown] = useState<Key>();
  const [asking, setAsking] = useState<{ act: Act; of: Key }>();
  const mayAct = useStaffMay<typeof actOnAccountKey>(['owner', 'support']);
  const list = usePages<typeof listKeys>('GET /api/admin/keys', { query: { account_id: id, limit: 50 } });
  if (list.error !== null && list.rows === undefined)
    return <Trouble error={list.error} again={() => void list.refetch()} />;
  return (
    <>
      <Panel title={texts.tabs.keys}>
        <Table
          label={texts.tabs.keys}
          rows={list.rows}
          idOf={(key) => key.id}
          selected={shown?.id}
          onOpen={setShown}
          skeleton={2}
          empty={<Empty title={texts.noKeys} text={texts.noKeysText} />}
          foot={<MoreButton more={list.more} busy={list.loadingMore} onMore={list.onMore} />}
          columns={[
            { id: 'name', head: common.name, fold: 'c1', cell: ({ name }) => <bdi className="strong">{name}</bdi> },
            { id: 'tail', head: common.id, fold: 'c3', cell: ({ last4 }) => <Id value={`dg-…${last4}`} /> },
            { id: 'state', head: common.state, fold: 'c2', cell: (key) => <KeyState of={key} /> },
            {
              id: 'created',
              head: common.created,
              fold: 'c4',
              className: 'mid nowrap',
              cell: ({ created_at: at }) => <Moment at={at} />,
            },
            {
              id: 'actions',
              head: <span className="vh">{shared.actions}</span>,
              fold: 'c2',
              cell: (key) =>
                mayAct &&
                actsOn(key).length > 0 && (
                  <Menu
                    label={`${shared.actions}: ${key.name}`}
                    items={actsOn(key).map((act) => ({
                      name: texts.keyActs[act],
                      danger: act === 'revoke',
                      run: () => setAsking({ act, of: key }),
                    }))}
                  />
                ),
            },
          ]}
        />
      </Panel>
      {shown !== undefined && <KeyRulesRead of={shown} onClose={() => setShown(undefined)} />}
      {asking !== undefined && <KeyDialog account={id} {...asking} onClose={() => setAsking(undefined)} />}
    </>
  );
}

/** Keys of the configuration file are changed there, and a revoked key stays revoked. */
function actsOn({ revoked_at: revoked, managed_by: by, rules }: Key): Act[] {
  if (revoked !== null || by === 'config') return [];
  return [rules.paused === true ? 'resume' : 'pause', 'ask_rotation', 'revoke'];
}

function KeyState({ of: { revoked_at: revoked, rules } }: { of: Key }) {
  const texts = useTexts();
  if (revoked !== null) return <Pill tone="off">{texts.keyRevoked}</Pill>;
  return rules.paused === true ? <Pill tone="warn">{texts.keyPaused}</Pill> : <Pill tone="ok">{texts.on}</Pill>;
}

function KeyDialog({ account, act, of, onClose }: { account: string; act: Act; of: Key; onClose(): void }) {
  const texts = useDeskTexts();
  const toast = useToast();
  const change = useChange<typeof actOnAccountKey>('POST /api/admin/accounts/:id/keys/:key', {
    quiet: true,
    stale: STALE,
    done() {
      toast({ text: texts.done });
      onClose();
    },
  });
  return (
    <AskReason
      title={texts.keyTitles[act](of.name)}
      act={texts.keyActs[act]}
      danger={act === 'revoke'}
      busy={change.isPending}
      error={change.error?.message}
      onClose={onClose}
      onAct={(reason) => change.mutate({ params: { id: account, key: of.id }, body: { act, reason } })}
    >
      <p>{texts.keyTexts[act]}</p>
    </AskReason>
  );
}

/** Every declared rule with its sentence, in the order of checking; lists show their entries. */
function KeyRulesRead({ of, onClose }: { of: Key; onClose(): void }) {
  const texts = useDeskTexts();
  const declared = useDeclared();
  const sentenceOf = useSentence();
  const rules = of.rules as Record<string, unknown>;
  const gateOf = (name: string, field: Field, value: unknown): Gate => ({
    id: name,
    name: declared(field).label,
    sentence: field.gate === undefined ? String(value ?? '—') : sentenceOf(field, value),
    control: Array.isArray(value) && (
      <span className="list-input">
        {value.map((entry) => (
          <Id key={String(entry)} value={String(entry)} boxed />
        ))}
      </span>
    ),
    judged: [],
  });
  const gates = Object.entries(KEY_RULE_FIELDS as FieldTable).flatMap(([name, field]) => {
    if (field.kind !== 'group') return [gateOf(name, field, rules[name])];
    const values = (rules[name] ?? {}) as Record<string, unknown>;
    return Object.entries(field.fields).map(([part, of]) => gateOf(`${name}.${part}`, of, values[part]));
  });
  return (
    <Drawer title={<bdi>{texts.rulesOfKey(of.name)}</bdi>} onClose={onClose}>
      <Gates gates={gates} />
    </Drawer>
  );
}
