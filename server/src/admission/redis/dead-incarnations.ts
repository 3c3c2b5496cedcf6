/**
 * What an incarnation without a heartbeat left in the count, and how that ends. Nothing ends by itself: a request of a dead replica may be
 * charged in its journal although Redis knows it as running, and nobody else can read that journal. It ends when the replica is
 * back and has posted its journal, or when an operator writes it off.
 */
import { money, ZERO } from '../../core/money.ts';
import { HOUR_MS } from '../../core/time-spans.ts';
import type { LoadPosted, MissingReplica, ReplicaState } from '../admission.ts';
import type { Change } from './packing.ts';
import type { DeadIncarnation, ScriptCalls } from './script-calls.ts';

const BUDGETS_PER_CALL = 500;
/** What has nothing outstanding is forgotten after this long: until then staff see that a replica is missing. */
const EMPTY_KEPT_MS = HOUR_MS;
const WALLET = 'wallet:';

export interface DeadIncarnationsParts {
  calls: Pick<ScriptCalls, 'shares' | 'leave' | 'decide' | 'keyOf'>;
  loadPosted: LoadPosted;
}

/** A replica that is dead, with the names it had. */
export interface DeadReplica extends MissingReplica {
  incarnations: DeadIncarnation[];
}

export class DeadIncarnations {
  readonly #parts: DeadIncarnationsParts;

  constructor(parts: DeadIncarnationsParts) {
    this.#parts = parts;
  }

  /**
   * Ends the count of incarnations whose charges are in the ledger, or written off. Redis hears first what the ledger has of their
   * budgets: a replica that died between posting and telling Redis left a balance there that is too high, and what it had
   * outstanding is all that made up for it. `incarnation` is the name of the replica that asks.
   */
  async drop(names: string[], incarnation: string): Promise<void> {
    const { calls, loadPosted } = this.#parts;
    const shares = await calls.shares(names);
    const budgets = [...new Set([...shares.values()].flatMap((share) => [...share.keys()]))];
    for (let at = 0; at < budgets.length; at += BUDGETS_PER_CALL) {
      const some = budgets.slice(at, at + BUDGETS_PER_CALL);
      const rows = await loadPosted(some);
      const changes = some.map((id): Change => {
        const { posted, version } = rows.get(id) ?? { posted: ZERO, version: 0n };
        return { kind: 'loaded', key: calls.keyOf('budget', id), posted, version };
      });
      await calls.decide(incarnation, changes, []);
    }
    await calls.leave(names);
  }

  /** What the dead left behind. Incarnations that have nothing outstanding and have been dead for long are removed and not told. */
  async survey(dead: readonly DeadReplica[], nowMs: number): Promise<ReplicaState[]> {
    const incarnations = dead.flatMap((replica) => replica.incarnations);
    if (incarnations.length === 0) return [];
    const { calls } = this.#parts;
    const shares = await calls.shares(incarnations.map(({ name }) => name));
    const isOver = ({ name, since }: DeadIncarnation): boolean => !shares.has(name) && since + EMPTY_KEPT_MS <= nowMs;
    await calls.leave(incarnations.filter(isOver).map(({ name }) => name));
    const kept = dead.filter((replica) => !replica.incarnations.every(isOver));
    return kept.map((replica): ReplicaState => {
      // Caps count the same money once more.
      const inWallets = replica.incarnations
        .flatMap(({ name }) => [...(shares.get(name) ?? [])])
        .filter(([budget]) => budget.startsWith(WALLET));
      const outstanding = money(inWallets.reduce((sum, [, amount]) => sum + amount, 0n));
      const wallets = new Set(inWallets.map(([budget]) => budget)).size;
      return { id: replica.id, living: false, since: replica.since, outstanding, wallets };
    });
  }
}
