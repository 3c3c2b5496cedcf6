/** Whether payment gateways answer, as the calls of this process found them. */
import type { Clock } from '../core/clock.ts';
import type { UpstreamTransport } from '../platform/upstream/index.ts';

export class GatewayReach {
  readonly #clock: Clock;
  /** By gateway: since when it has not answered, and when it was last tried. */
  readonly #silent = new Map<string, { since: number; last: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The same transport, which records whether each gateway answers. */
  watched(transport: UpstreamTransport): UpstreamTransport {
    return {
      close: () => transport.close(),
      send: async (call) => {
        const gateway = call.pool.replace('payment:', '');
        try {
          const reply = await transport.send(call);
          if (reply.status >= 500) this.#failed(gateway);
          else this.#silent.delete(gateway);
          return reply;
        } catch (error) {
          this.#failed(gateway);
          throw error;
        }
      },
    };
  }

  #failed(gateway: string): void {
    const nowMs = this.#clock.now();
    this.#silent.set(gateway, { since: this.#silent.get(gateway)?.since ?? nowMs, last: nowMs });
  }

  silent(): { gateway: string; since: number; last: number }[] {
    return [...this.#silent].map(([gateway, times]) => ({ gateway, ...times }));
  }
}
