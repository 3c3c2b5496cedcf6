/** `/api/admin/exports` and `/api/admin/views`, described: lists as files, and views that people saved. Each person sees their own. */
import { STAFF_ROLES } from '@dargah/core/roles.ts';
import { STAFF_LISTS } from '@dargah/core/staff-lists.ts';
import Type from 'typebox';
import { staff } from '../access.ts';
import { AnyJson, Deleted, inputObject, nullable, pageOf, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'Lists';
/** No scope: a program reads the lists themselves. Each list checks whether the caller may export it. */
const EVERYBODY = staff(...STAFF_ROLES);
const path = '/api/admin/exports';
const List = Type.Enum([...STAFF_LISTS], { title: 'StaffList' });

const ExportSchema = responseObject(
  {
    object: Type.Literal('export'),
    id: Type.String(),
    list: List,
    query: AnyJson,
    state: Type.Enum(['waiting', 'running', 'done', 'stopped', 'failed']),
    rows: Type.Integer(),
    bytes: Type.Integer({ description: 'Of the file.' }),
    reached_at: nullable(Type.String({ format: 'date-time', description: 'So far back it came.' })),
    problem: nullable(Type.String({ description: '`too_large`, `interrupted`, or the code of an error.' })),
    created_at: Time,
    ended_at: nullable(Time),
    expires_at: Time,
  },
  'Export',
);

export const beginExport = describeRoute({
  method: 'POST',
  path,
  operationId: 'beginExport',
  tag,
  access: EVERYBODY,
  summary: { fa: 'خروجی CSV از یک فهرست', en: 'Make a CSV file of a list, in the background' },
  description:
    'At most five million rows or 500 MB; kept for a day. What you may not list you cannot export. Cells that a spreadsheet would take for a formula begin with an apostrophe.',
  body: inputObject(
    {
      list: List,
      query: Type.Optional(
        Type.Record(
          Type.String({ maxLength: 40 }),
          Type.Union([Type.String({ maxLength: 512 }), Type.Number(), Type.Boolean()]),
          {
            description: 'As the list itself takes it.',
          },
        ),
      ),
    },
    'NewExport',
  ),
  status: 202,
  result: ExportSchema,
  errors: ['forbidden', 'conflict'],
  example: { list: 'accounts', query: { state: 'paused' } },
});

export const listExports = describeRoute({
  method: 'GET',
  path,
  operationId: 'listExports',
  tag,
  access: EVERYBODY,
  summary: { fa: 'خروجی‌های من', en: 'My exports of the last day, newest first' },
  result: pageOf(ExportSchema),
});

export const stopExport = describeRoute({
  method: 'POST',
  path: `${path}/:id/stop`,
  operationId: 'stopExport',
  tag,
  access: EVERYBODY,
  summary: { fa: 'توقف یک خروجی', en: 'Stop an export' },
  result: ExportSchema,
  errors: ['not_found'],
});

export const downloadExport = describeRoute({
  method: 'GET',
  path: `${path}/:id/file`,
  operationId: 'downloadExport',
  tag,
  access: EVERYBODY,
  summary: { fa: 'دریافت فایل خروجی', en: 'Download the file of an export' },
  description: 'Your role is asked again: what you may no longer list you can no longer download.',
  result: Type.String({ title: 'ExportFile' }),
  resultType: 'text/csv',
  errors: ['not_found', 'forbidden', 'conflict'],
});

const ViewSchema = responseObject(
  {
    object: Type.Literal('saved_view'),
    id: Type.String(),
    list: List,
    name: Type.String(),
    query: Type.String({ description: 'The part of the address after the question mark.' }),
    created_at: Time,
  },
  'SavedView',
);

export const listViews = describeRoute({
  method: 'GET',
  path: '/api/admin/views',
  operationId: 'listViews',
  tag,
  access: EVERYBODY,
  summary: { fa: 'نماهای ذخیره‌شدهٔ من', en: 'My saved views' },
  result: pageOf(ViewSchema),
});

export const saveView = describeRoute({
  method: 'POST',
  path: '/api/admin/views',
  operationId: 'saveView',
  tag,
  access: EVERYBODY,
  summary: { fa: 'ذخیرهٔ یک نما', en: 'Save the filters of a list under a name' },
  body: inputObject(
    { list: List, name: Type.String({ minLength: 1, maxLength: 60 }), query: Type.String({ maxLength: 2000 }) },
    'NewSavedView',
  ),
  status: 201,
  result: ViewSchema,
  errors: ['conflict'],
  example: { list: 'requests', name: 'errors of today', query: 'state=failed' },
});

export const removeView = describeRoute({
  method: 'DELETE',
  path: '/api/admin/views/:id',
  operationId: 'removeView',
  tag,
  access: EVERYBODY,
  summary: { fa: 'حذف یک نمای ذخیره‌شده', en: 'Delete a saved view' },
  result: Deleted,
  errors: ['not_found'],
});
