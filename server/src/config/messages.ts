/**
 * Which carriers deliver messages to people. With none set, the sandbox messenger keeps messages for the operator to
 * read; in production nobody can then receive a code.
 */
import type { Variables } from './variables.ts';

export interface MessageSettings {
  kavenegar: { apiKey: string; template: string; sender: string | undefined; origin: string | undefined } | undefined;
  smsIr:
    | {
        apiKey: string;
        templateId: number;
        parameter: string | undefined;
        line: string | undefined;
        origin: string | undefined;
      }
    | undefined;
  smtp: { url: string; from: string } | undefined;
}

type Refuse = (name: string, message: string) => undefined;

export function readMessageSettings(variables: Variables, refuse: Refuse): MessageSettings {
  const get = (name: string) => variables[name]?.trim() || undefined;
  const needed = (name: string, because: string) => get(name) ?? refuse(name, `is needed with ${because}`);
  const kavenegarKey = get('KAVENEGAR_API_KEY');
  const smsIrKey = get('SMSIR_API_KEY');
  const url = get('SMTP_URL');
  if (url !== undefined && !/^smtps?:\/\//.test(url)) refuse('SMTP_URL', 'must begin with smtp:// or smtps://');
  const templateId = smsIrKey === undefined ? undefined : needed('SMSIR_TEMPLATE_ID', 'SMSIR_API_KEY');
  if (templateId !== undefined && !/^\d{1,12}$/.test(templateId)) refuse('SMSIR_TEMPLATE_ID', 'must be a number');
  return {
    kavenegar:
      kavenegarKey === undefined
        ? undefined
        : {
            apiKey: kavenegarKey,
            template: needed('KAVENEGAR_TEMPLATE', 'KAVENEGAR_API_KEY') ?? '',
            sender: get('KAVENEGAR_SENDER'),
            origin: get('KAVENEGAR_ORIGIN'),
          },
    smsIr:
      smsIrKey === undefined
        ? undefined
        : {
            apiKey: smsIrKey,
            templateId: Number(templateId),
            parameter: get('SMSIR_PARAMETER'),
            line: get('SMSIR_LINE'),
            origin: get('SMSIR_ORIGIN'),
          },
    smtp: url === undefined ? undefined : { url, from: needed('SMTP_FROM', 'SMTP_URL') ?? '' },
  };
}
