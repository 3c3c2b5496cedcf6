/** Rewrites refusals of a turn in the terms of its client. */
import { GatewayError } from '../../core/errors.ts';
import type { Turn } from './turn.ts';

/** Refusals name fields of the canonical form, or items of the whole conversation; the client knows only its own. */
export function inClientTerms(error: unknown, turn: Turn | undefined): unknown {
  if (!(error instanceof GatewayError) || error.options.param === undefined) return error;
  const param = clientParam(error.options.param, turn);
  return param === error.options.param ? error : new GatewayError(error.code, { ...error.options, param });
}

function clientParam(param: string, turn: Turn | undefined): string {
  if (param === 'stream' && turn?.inBackground) return 'background';
  if (param === 'messages' || param.startsWith('messages.')) return 'input';
  if (param.startsWith('response_format')) return param.replace(/^response_format(?:\.json_schema)?/, 'text.format');
  const item = /^input\.(\d+)(.*)$/s.exec(param);
  if (!item || !turn || turn.earlier.length === 0) return param;
  const own = Number(item[1]) - turn.earlier.length;
  if (own >= 0) return `input.${own}${item[2]}`;
  return turn.previousId === null ? 'conversation' : 'previous_response_id';
}
