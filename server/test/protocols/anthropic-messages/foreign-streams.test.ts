/** Recorded streams of other protocols, shown to a client of this one: the official SDK must read what was said. */
import { expect, it } from 'vitest';
import type { ChatResponse, Part } from '../../../src/core/chat.ts';
import {
  anthropicMessagesClient,
  EventFold,
  geminiUpstream,
  openaiChatUpstream,
  type UpstreamCodec,
} from '../../../src/protocols/index.ts';
import { describeCorpus } from '../corpus.ts';
import { bytesOf, decodeFrames, framesOf } from '../streams.ts';
import { readBody, readStream } from './official-sdk.ts';
import { closing, target, view } from './surroundings.ts';

const PROTOCOLS: [string, string[], UpstreamCodec][] = [
  ['chat completions', ['openai-chat'], openaiChatUpstream],
  ['Gemini', ['gemini-streamGenerateContent'], geminiUpstream],
];

function spoken(parts: Part[]): string {
  return parts.map((part) => (part.kind === 'text' || part.kind === 'refusal' ? part.text : '')).join('');
}

for (const [name, apis, upstream] of PROTOCOLS) {
  describeCorpus(`recorded streams of ${name}`, apis, (exchanges) => {
    const streams = exchanges.filter(({ stream, status }) => stream && status === 200);

    it('are there', () => {
      expect(streams.length).toBeGreaterThan(5);
    });

    it('read the same streamed and whole', async () => {
      let understood = 0;
      for (const { id, resp } of streams) {
        const events = decodeFrames(upstream.openDecoder(target({ stream: true })), framesOf([bytesOf(resp)]));
        const fold = new EventFold();
        for (const event of events) fold.push(event);
        // Some recordings are of failures; what those become is not this suite's matter.
        if (fold.failure) continue;
        understood++;
        const answer: ChatResponse = fold.response();
        const encoder = anthropicMessagesClient.openEncoder(view());
        const text = events.map((event) => encoder.encode(event)).join('') + encoder.finish(closing());
        const body = anthropicMessagesClient.encodeResponse(answer, view(), closing());
        const [streamed, whole] = await Promise.all([readStream(text), readBody(body)]);
        expect(streamed.content, id).toEqual(whole.content);
        expect(streamed.stop_reason, id).toBe(whole.stop_reason);
        const parts = answer.choices[0]?.parts ?? [];
        const said = streamed.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
        expect(said, id).toBe(spoken(parts));
        expect(streamed.content.filter(({ type }) => type === 'tool_use').length, id).toBe(
          parts.filter(({ kind }) => kind === 'tool-call').length,
        );
      }
      expect(understood).toBeGreaterThan(streams.length * 0.8);
    });
  });
}
