/** What a handler gives back has the type that its route declares: the compiler refuses everything else. */

import { STAFF_READ } from '@dargah/api/access.ts';
import { nullable, page, pageOf, responseObject } from '@dargah/api/building-blocks.ts';
import { describeRoute } from '@dargah/api/describe-route.ts';
import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { jsonAnswer } from '../../src/core/answer.ts';
import { AnswerWithHeaders, RawAnswer } from '../../src/http/routes/handler-result.ts';
import type { KeyRoutes } from '../../src/http/routes/key-routes.ts';
import type { Register } from '../../src/http/routes/register.ts';

const Thing = responseObject({
  object: Type.Literal('thing'),
  id: Type.String(),
  state: Type.Enum(['on', 'off']),
  note: nullable(Type.String()),
  size: Type.Optional(Type.Integer()),
});
const common = { method: 'GET', tag: 't', summary: { fa: 'چیز', en: 'thing' } } as const;
const getThing = describeRoute({
  ...common,
  path: '/things/:id',
  operationId: 'getThing',
  result: Thing,
  access: STAFF_READ,
});
const listThings = describeRoute({
  ...common,
  path: '/things',
  operationId: 'listThings',
  result: pageOf(Thing),
  access: STAFF_READ,
});
const followThings = describeRoute({
  ...common,
  path: '/things/live',
  operationId: 'followThings',
  result: Type.String(),
  resultType: 'text/event-stream',
  streams: true,
  access: STAFF_READ,
});
const getOwnThing = describeRoute({
  ...common,
  path: '/things/own',
  operationId: 'getOwnThing',
  result: Thing,
  access: { guard: 'key', endpoint: 'models' },
});

const thing = (id: string) => ({ object: 'thing' as const, id, state: 'on' as const, note: null });

/** Never run by a server: what counts is that `tsc` accepts these lines, and that an expected error below is one. */
function registerAll(register: Register, keys: Pick<KeyRoutes, 'free'>): void {
  register(getThing, async ({ params }) => ({ object: 'thing', id: params.id, state: 'off', note: null, size: 3 }));
  register(getThing, async ({ params }) => new AnswerWithHeaders(thing(params.id), { etag: '1' }, 203));
  register(listThings, async () => page([thing('a')]));
  register(followThings, async () => new RawAnswer(jsonAnswer({})));
  keys.free(getOwnThing, async () => thing('own'));

  // @ts-expect-error a field is missing
  register(getThing, async ({ params }) => ({ object: 'thing', id: params.id, state: 'on' }));
  // @ts-expect-error a field has another type
  register(getThing, async () => ({ object: 'thing', id: 1, state: 'on', note: null }));
  // @ts-expect-error a value is not among those declared
  register(getThing, async ({ params }) => ({ object: 'thing', id: params.id, state: 'half', note: null }));
  // @ts-expect-error undefined is not null
  register(getThing, async ({ params }) => ({ ...thing(params.id), note: undefined }));
  // @ts-expect-error nothing at all
  register(getThing, async () => undefined);
  // @ts-expect-error a wrong thing in a page
  register(listThings, async () => page([{ ...thing('a'), state: 'half' }]));
  // @ts-expect-error a wrong thing beside headers
  register(getThing, async () => new AnswerWithHeaders({ id: 'a' }, {}));
  // @ts-expect-error raw bytes where JSON is declared
  register(getThing, async () => new RawAnswer(jsonAnswer({})));
  // @ts-expect-error JSON where a stream is declared
  register(followThings, async () => 'events');
  const form = async () => ({ id: 'a' });
  // @ts-expect-error a form is answered as the body is
  register(getThing, async ({ params }) => thing(params.id), form);
  // @ts-expect-error routes of API keys likewise
  keys.free(getOwnThing, async () => ({ id: 'own' }));
}

describe('results of handlers', () => {
  it('are of the declared type, or do not compile', async () => {
    const registered: string[] = [];
    const take = ({ operationId }: { operationId: string }) => {
      registered.push(operationId);
    };
    registerAll(take, { free: take });
    expect(new Set(registered)).toEqual(new Set(['getThing', 'listThings', 'followThings', 'getOwnThing']));
  });
});
