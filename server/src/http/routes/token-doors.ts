/** Doors of a service without people: the operator's token opens the operator's, and nothing opens the others. */
import { GatewayError } from '../../core/errors.ts';
import { type Gateway, refuseGuess } from '../../gateway/index.ts';
import type { Doors } from './doors.ts';

const nobody = async (): Promise<never> => {
  throw new GatewayError('unauthorized');
};

export function tokenDoors(isOperator: (token: string | undefined) => boolean, gw: Gateway): Doors {
  return {
    open: async () => ({ actor: 'visitor' }),
    person: nobody,
    console: nobody,
    operator: async ({ call }) => {
      if (!isOperator(call.keyText)) await refuseGuess(call, 'unauthorized', gw);
      return { actor: 'operator', role: 'owner', personId: null, sessionId: null };
    },
  };
}
