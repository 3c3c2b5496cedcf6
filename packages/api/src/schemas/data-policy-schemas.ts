/** What a provider does with the data it receives, and what a caller demands of it. */
import Type from 'typebox';
import { nullable, responseObject } from '../building-blocks.ts';

export const DataPolicySchema = responseObject(
  {
    training: nullable(Type.Boolean({ description: 'Whether models are trained with it; null: not stated.' })),
    retention_days: nullable(
      Type.Integer({ description: 'How many days it is kept, 0: not at all; null: not stated.' }),
    ),
    region: nullable(
      Type.String({ description: 'Where it is processed: a country in two letters, or `eu`; null: not stated.' }),
    ),
  },
  'DataPolicy',
);

export const DataDemandSchema = responseObject(
  {
    no_training: Type.Boolean(),
    max_retention_days: nullable(Type.Integer()),
    regions: nullable(Type.Array(Type.String())),
  },
  'DataDemand',
);
