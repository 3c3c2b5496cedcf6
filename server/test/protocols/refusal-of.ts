import { GatewayError } from '../../src/core/errors.ts';

/** The refusal of a call, which must be a GatewayError; anything else is a fault of ours and fails the test. */
export function refusalOf(call: () => unknown): { code: string; param: string | undefined } {
  try {
    call();
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.options.param };
    throw error;
  }
  throw new Error('nothing was refused');
}
