/** Knowledge bases on the wire: the same for customers and for the operator. */
import Type from 'typebox';
import { inputObject, nullable, responseObject, Time } from '../building-blocks.ts';

const Name = Type.String({ minLength: 1, maxLength: 200 });
const ModelId = Type.String({ minLength: 1, maxLength: 256 });

export const NewBase = inputObject(
  {
    name: Name,
    embedding_model: Type.Optional(
      nullable({
        ...ModelId,
        description: 'Makes vectors beside the words; charged to the owner. Null searches by words alone.',
      }),
    ),
  },
  'NewKnowledgeBase',
);
export const NewBaseOfAccount = inputObject(
  { account_id: Type.String({ maxLength: 64 }), ...NewBase.properties },
  'NewKnowledgeBaseOfAccount',
);
export const BaseChange = inputObject({ name: Name }, 'KnowledgeBaseChange');

export const BaseSchema = responseObject(
  {
    object: Type.Literal('knowledge_base'),
    id: Type.String(),
    account_id: Type.String(),
    name: Type.String(),
    embedding_model: nullable(Type.String()),
    documents: Type.Integer(),
    passages: Type.Integer({ description: 'What can be found now.' }),
    bytes: Type.Integer(),
    created_at: Time,
    updated_at: Time,
  },
  'KnowledgeBase',
);

/** Exactly one of `text` and `url` must be given; a file is uploaded as a form instead. */
export const NewDocument = inputObject(
  {
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    text: Type.Optional(Type.String({ minLength: 1 })),
    format: Type.Optional(Type.Union(['text', 'markdown', 'html', 'csv', 'json'].map((each) => Type.Literal(each)))),
    url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'An https address; it is read in the background.' }),
    ),
  },
  'NewKnowledgeDocument',
);

export const UPLOAD_TOO =
  'Or multipart/form-data with the file in `file` and, if wanted, its `name`: txt, md, html, pdf, docx, xlsx, pptx, csv or json.';

export const DocumentSchema = responseObject(
  {
    object: Type.Literal('knowledge_document'),
    id: Type.String(),
    knowledge_base_id: Type.String(),
    name: Type.String(),
    source: Type.String({ description: '`upload`, `text` or `url`.' }),
    url: nullable(Type.String()),
    bytes: Type.Integer(),
    state: Type.String({ description: '`queued`, `reading`, `embedding`, `ready` or `failed`.' }),
    progress: Type.Integer({ minimum: 0, maximum: 100 }),
    reason: nullable(Type.String({ description: 'Why it failed.' })),
    passages: Type.Integer(),
    revision: Type.Integer({ description: 'Grows with every replacement of the content.' }),
    created_at: Time,
    updated_at: Time,
  },
  'KnowledgeDocument',
);

export const PassageSchema = responseObject(
  {
    object: Type.Literal('knowledge_passage'),
    place: Type.Integer({ description: 'Its place in the document, from 1.' }),
    page: nullable(Type.Integer()),
    heading: nullable(Type.String()),
    text: Type.String(),
    tokens: Type.Integer(),
  },
  'KnowledgePassage',
);

export const SearchOrderSchema = inputObject(
  {
    query: Type.String({ minLength: 1, maxLength: 8000 }),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
  },
  'KnowledgeSearch',
);

export const SearchResult = responseObject(
  {
    object: Type.Literal('list'),
    data: Type.Array(
      responseObject(
        {
          knowledge_base_id: Type.String(),
          document_id: Type.String(),
          title: Type.String(),
          page: Type.Optional(Type.Integer()),
          heading: Type.Optional(Type.String()),
          url: Type.Optional(Type.String()),
          text: Type.String(),
          excerpt: Type.String(),
          tokens: Type.Integer(),
          score: Type.Number({ description: 'Between 0 and 1: 1 stands first in every ranking.' }),
        },
        'FoundPassage',
      ),
    ),
  },
  'KnowledgeSearchResult',
);
