/**
 * Events of a stream that goes on where its connection broke. Ask with `stream: true` and `svc: { resume_seconds: 300 }`.
 * @typedef {{ id: number, event: string, data: string }} StreamEvent
 * @typedef {{ tries?: number, pauseMs?: number, onRequest?: (id: string) => void, addressOf?: (id: string) => string }} Options
 */

/** @param {string} url @param {RequestInit} init @param {Options} [options] @returns {AsyncGenerator<StreamEvent>} */
export async function* streamEvents(url, init, options = {}) {
  const response = await opened(await fetch(url, init));
  const { headers } = response;
  const id = headers.get('x-svc-original-request-id') ?? headers.get('x-svc-request-id') ?? '';
  options.onRequest?.(id);
  // What is not kept cannot be continued.
  const tries = headers.has('x-svc-resume-seconds') ? options.tries : 0;
  yield* follow(response, addressOf(url, id, options), 0, init, { ...options, tries });
}

/**
 * After a reload: `id` is what `onRequest` told, `last` the id of the last event that was used.
 * @param {string} url Of the service. @param {string} id @param {number} last @param {RequestInit} init @param {Options} [options]
 * @returns {AsyncGenerator<StreamEvent>}
 */
export async function* continueEvents(url, id, last, init, options = {}) {
  yield* follow(undefined, addressOf(url, id, options), last, init, options);
}

async function* follow(response, address, last, init, { tries = 5, pauseMs = 500 }) {
  for (let failed = 0; ; ) {
    try {
      const from = { ...Object.fromEntries(new Headers(init.headers)), 'last-event-id': String(last) };
      response ??= await opened(
        await fetch(address, { headers: from, signal: init.signal, credentials: init.credentials }),
      );
      for await (const event of eventsOf(response.body)) {
        failed = 0;
        last = event.id;
        yield event;
      }
      return;
    } catch (error) {
      const isFinal = error.status < 500 && error.status !== 429;
      if (init.signal?.aborted || isFinal || ++failed > tries) throw error;
      response = undefined;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** failed));
    }
  }
}

async function opened(response) {
  if (response.ok) return response;
  const text = await response.text();
  throw Object.assign(new Error(text), { status: response.status, id: response.headers.get('x-svc-request-id') });
}

function addressOf(url, id, options) {
  return options.addressOf?.(id) ?? new URL(`/api/v1/requests/${encodeURIComponent(id)}/stream`, url).href;
}

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const frames = (text + read.value).split('\n\n');
      text = frames.pop();
      for (const frame of frames) {
        const field = (name) =>
          frame
            .split('\n')
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2);
        const data = field('data');
        if (data !== undefined) yield { id: Number(field('id') ?? 0), event: field('event') ?? 'message', data };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
