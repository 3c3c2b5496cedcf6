/** The first-run guide, described: the state of the installation, and the reports of backups. */
import { SETUP_LACKS, SETUP_STEPS } from '@dargah/core/setup-steps.ts';
import Type from 'typebox';
import { STAFF_READ, scoped, staff } from '../access.ts';
import { inputObject, nullable, responseObject, Time } from '../building-blocks.ts';
import { describeRoute } from '../describe-route.ts';

const tag = 'Service';
const path = '/api/admin/setup';

const SetupSchema = responseObject(
  {
    object: Type.Literal('setup'),
    done: Type.Boolean({ description: 'Every step is.' }),
    dismissed: nullable(responseObject({ by: Type.String(), at: Time }, 'SetupDismissed')),
    steps: Type.Array(
      responseObject(
        {
          id: Type.Enum([...SETUP_STEPS]),
          state: Type.Enum(['done', 'open', 'failed']),
          lacks: Type.Array(Type.Enum([...SETUP_LACKS]), { description: 'What is still missing; empty when done.' }),
          seen: nullable(
            Type.String({
              description: 'What its test saw: a provider, an order, a request, a place. Null: nothing to name.',
            }),
          ),
          at: nullable(Time),
        },
        'SetupStep',
      ),
      { description: 'In the order of the guide.' },
    ),
  },
  'Setup',
);

export const getSetup = describeRoute({
  method: 'GET',
  path,
  operationId: 'getSetup',
  tag,
  summary: { fa: 'راه‌اندازی: گام‌ها و وضعیت هر یک', en: 'The first-run guide: every step, tested now' },
  description: 'Each step tests itself by what is there; nothing can be ticked by hand.',
  result: SetupSchema,
  access: STAFF_READ,
});

export const dismissSetup = describeRoute({
  method: 'POST',
  path: `${path}/dismiss`,
  operationId: 'dismissSetup',
  tag,
  summary: { fa: 'بستن یا باز کردن راهنمای راه‌اندازی', en: 'Send the guide away, or bring it back' },
  description: 'It changes no step; the guide only leaves the overview and the navigation.',
  body: inputObject({ dismissed: Type.Boolean() }, 'SetupDismissal'),
  result: SetupSchema,
  example: { dismissed: true },
  access: staff('owner'),
});

export const reportBackup = describeRoute({
  method: 'POST',
  path: '/api/admin/backups',
  operationId: 'reportBackup',
  tag,
  summary: { fa: 'گزارش پشتیبان جدید', en: 'A backup tells that it was made, and where it lies' },
  description:
    'For the last line of your backup script. After two days without a report the guide and its step say that backups have stopped.',
  body: inputObject(
    {
      location: Type.String({
        minLength: 3,
        maxLength: 300,
        description: 'A path or an address, for people to find it; without a password.',
      }),
    },
    'BackupReport',
  ),
  result: responseObject({ object: Type.Literal('backup'), location: Type.String(), at: Time }, 'Backup'),
  example: { location: 's3://backups/dargah-2026-11-17.dump' },
  access: scoped('service', staff('owner')),
});
