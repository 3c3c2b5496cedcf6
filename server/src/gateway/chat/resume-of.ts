/** Whether a chat's stream outlives its connection, and for how long: by the request, else by the key's rule. */
import type { ChatRequest } from '../../core/chat.ts';
import { invalidRequest } from '../../core/errors.ts';
import type { ClientProtocol } from '../gateway.ts';
import { gatewayReasons } from '../reasons.ts';
import type { Resume } from './resumable.ts';

const PARAM = 'svc.resume_seconds';
/** For a stream of an answer in the background that says nothing else. */
const BACKGROUND_SECONDS = 300;

/** Asked once the rules of the key have been. */
export function checkResume({ svc, stream }: ChatRequest): void {
  if (svc.resumeSeconds && !stream) throw invalidRequest(PARAM, gatewayReasons.resumeNeedsStream);
}

/** `keyRule`: null leaves it to the request, 0 forbids it (check-rules.ts refuses a request that asks for it). */
export function resumeOf(
  { svc, stream }: ChatRequest,
  keyRule: number | null,
  protocol: ClientProtocol,
  most: number,
): Resume | undefined {
  const { resumeSeconds: asked } = svc;
  const rule = protocol.resumes === undefined ? keyRule : null;
  if (asked && protocol.resumes === 'never') throw invalidRequest(PARAM, gatewayReasons.resumeNeedsEvents);
  if (asked === undefined && rule === null && !protocol.continued) return undefined;
  if (asked !== undefined && asked > most) throw invalidRequest(PARAM, gatewayReasons.resumeTooLong(most));
  if (protocol.continued && (rule === 0 || most === 0)) throw invalidRequest('stream', gatewayReasons.framesNotKept);
  const seconds = Math.min(asked ?? rule ?? 0, most) || (protocol.continued ? Math.min(BACKGROUND_SECONDS, most) : 0);
  if (seconds === 0 || !stream) return undefined;
  return { keepMs: seconds * 1_000, inBackground: protocol.whenAdmitted !== undefined };
}
