/** One entry of the audit log, as operators and customers see it. */
import Type from 'typebox';
import { AUDIT_LOG_ACTS } from '../../platform/admin-acts.ts';
import { AnyJson, nullable, Time } from '../openapi/building-blocks.ts';

export const AUDIT_LOG_ENTRY = {
  id: Type.String(),
  at: Time,
  actor: Type.String(),
  actor_name: nullable(Type.String()),
  action: Type.Enum([...AUDIT_LOG_ACTS], { title: 'AdminAct' }),
  subject: Type.String(),
  detail: AnyJson,
};
