/** Ways a provider fails. Each is one behaviour; the fault matrix runs all of them in every position. */
import { type Answer, completeAnswer } from './answer.ts';
import { answer, answerFrames, framesOf, json, openEventStream, wholeOf, writeFrames } from './behaviours.ts';
import { dataFrame, eventFrame } from './frames.ts';
import type { Gate } from './gate.ts';
import type { Behaviour, RecordedRequest } from './wire.ts';

/** An error status with the body each protocol's real vendor sends. */
export function failWith(
  status: number,
  message = 'the fake vendor refuses',
  headers: Record<string, string> = {},
): Behaviour {
  return (wire) => json(status, errorBody(wire.request, status, message), headers)(wire);
}

export function rateLimited(retryAfter: string): Behaviour {
  return failWith(429, 'slow down', { 'retry-after': retryAfter });
}

export function htmlPage(status = 502): Behaviour {
  return (wire) => {
    wire.head(status, { 'content-type': 'text/html' });
    wire.end('<!DOCTYPE html><html><head><title>Bad gateway</title></head><body><h1>502</h1></body></html>');
  };
}

/** `null` as the whole body of a 200. */
export function nullBody(): Behaviour {
  return json(200, null);
}

export function errorIn200(message = 'upstream provider failed'): Behaviour {
  return (wire) => json(200, errorBody(wire.request, 500, message))(wire);
}

export function emptyBody(status = 200): Behaviour {
  return (wire) => {
    wire.head(status, { 'content-type': wire.request.stream ? 'text/event-stream' : 'application/json' });
    wire.end();
  };
}

/** A 200 stream that opens and says nothing, not even its terminal marker. */
export function emptyStream(): Behaviour {
  return (wire) => {
    openEventStream(wire);
    wire.end();
  };
}

export function brokenJson(): Behaviour {
  return (wire) => {
    wire.head(200, { 'content-type': 'application/json' });
    wire.end('{"id": "x", "choices": [');
  };
}

/** An error event after `frames` good frames (0: before any content), then a clean close. */
export function errorEvent(frames: number, given: Answer = {}): Behaviour {
  return answerFrames(given, (all, _full, request) => [...all.slice(0, frames), errorFrame(request)]);
}

/** The stream stops cleanly after some frames: no finish, no terminal marker. */
export function endWithoutTerminal(frames: number, given: Answer = {}): Behaviour {
  return answerFrames(given, (all) => all.slice(0, frames));
}

/** The connection is closed inside the body, after some frames (streams) or bytes (whole answers). */
export function cutAfter(frames: number, how: 'reset' | 'close' = 'reset', given: Answer = {}): Behaviour {
  return async (wire) => {
    const full = completeAnswer(given, wire.request);
    if (wire.request.stream) {
      openEventStream(wire);
      await writeFrames(wire, framesOf(full, wire.request).slice(0, frames));
    } else {
      const whole = JSON.stringify(wholeOf(full, wire.request));
      wire.head(200, { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(whole)) });
      await wire.write(whole.slice(0, Math.min(whole.length - 1, 10 * frames + 1)));
    }
    // Let what was written leave before the connection dies; otherwise the caller would see a failed connect.
    await new Promise((resolve) => setImmediate(resolve));
    if (how === 'reset') wire.reset();
    else wire.cut();
  };
}

/** Accepts the connection and the request and closes it without a word. */
export function resetBeforeHeaders(): Behaviour {
  return (wire) => wire.reset();
}

/** Nothing, not even a status line, until the gate opens; then a good answer. */
export function stallBeforeHeaders(gate: Gate, given: Answer = {}): Behaviour {
  return async (wire) => {
    await gate.pass();
    if (!wire.gone) await answer(given)(wire);
  };
}

/** Nothing until the gate opens; then an error status. */
export function stallThenFail(gate: Gate, status: number): Behaviour {
  return async (wire) => {
    await gate.pass();
    if (!wire.gone) await failWith(status)(wire);
  };
}

/** 200 and headers, then silence until the gate opens. */
export function stallAfterHeaders(gate: Gate, given: Answer = {}): Behaviour {
  return stallAfter(0, gate, given);
}

export function stallAfter(frames: number, gate: Gate, given: Answer = {}): Behaviour {
  return async (wire) => {
    const full = completeAnswer(given, wire.request);
    if (!wire.request.stream) {
      const whole = JSON.stringify(wholeOf(full, wire.request));
      wire.head(200, { 'content-type': 'application/json' });
      await wire.write(whole.slice(0, frames * 10));
      await gate.pass();
      wire.end(whole.slice(frames * 10));
      return;
    }
    const all = framesOf(full, wire.request);
    openEventStream(wire);
    await writeFrames(wire, all.slice(0, frames));
    await gate.pass();
    await writeFrames(wire, all.slice(frames));
    wire.end();
  };
}

/** Comments only, for as long as the caller stays: busy but never answering. */
export function commentsUntil(gate: Gate): Behaviour {
  return async (wire) => {
    openEventStream(wire);
    await wire.write(': still thinking\n\n');
    await gate.pass();
    wire.end();
  };
}

function errorBody(request: RecordedRequest, status: number, message: string): object {
  switch (request.dialect) {
    case 'anthropic-messages':
      return { type: 'error', error: { type: anthropicType(status), message }, request_id: 'req_fake' };
    case 'gemini-generate':
      return { error: { code: status, message, status: googleStatus(status) } };
    default:
      return {
        error: { message, type: status === 429 ? 'rate_limit_error' : 'server_error', param: null, code: null },
      };
  }
}

function errorFrame(request: RecordedRequest): string {
  const message = 'the fake vendor broke';
  switch (request.dialect) {
    case 'anthropic-messages':
      return eventFrame('error', { type: 'error', error: { type: 'overloaded_error', message } });
    case 'openai-responses':
      return eventFrame('error', { type: 'error', sequence_number: 99, code: 'server_error', message, param: null });
    default:
      return dataFrame(errorBody(request, 500, message));
  }
}

function anthropicType(status: number): string {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    408: 'timeout_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    504: 'timeout_error',
    529: 'overloaded_error',
  };
  return types[status] ?? 'api_error';
}

function googleStatus(status: number): string {
  const names: Record<number, string> = {
    400: 'INVALID_ARGUMENT',
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    408: 'DEADLINE_EXCEEDED',
    409: 'ABORTED',
    413: 'INVALID_ARGUMENT',
    429: 'RESOURCE_EXHAUSTED',
    503: 'UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
  };
  return names[status] ?? 'INTERNAL';
}
