/** The operations of a content edit (insert a page, move it, upload files …): the inputs and the results. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, MAX_TEXT_LENGTH, nullable } from './common.js'

const clearable = (max: number) => Type.Optional(nullable(Type.String({ maxLength: max })))

const DocumentInput = Type.Union(
  [
    Type.Object({ markdown: Type.String({ maxLength: MAX_TEXT_LENGTH }) }, closed),
    Type.Object({ document: Type.Object({}, { additionalProperties: true }) }, closed),
  ],
  {
    description: 'The content, as markdown or as a block tree.',
  },
)

const Ref = Type.Optional(
  Type.String({
    maxLength: 64,
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    'x-pattern-message': 'must be 1 to 64 letters, digits, - or _',
    description: 'Name that other changes in the request use to link to it: `/pages/<ref>`, `/files/<ref>`.',
  }),
)
const At = Type.Optional(Type.Integer({ minimum: 0, description: 'Index among its siblings, from 0; absent = last.' }))
const Into = Type.Optional(nullable(Id))
const Slug = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^/\\\\\\u0000-\\u001f]+$',
    'x-pattern-message': 'must not contain a slash, a backslash or control characters',
  }),
)

const pageMembers = {
  title: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  slug: Slug,
  emoji: clearable(50),
  icon: clearable(50),
  description: clearable(1024),
  hidden: Type.Optional(nullable(Type.Boolean())),
  noIndex: Type.Optional(nullable(Type.Boolean())),
  noRobotsIndex: Type.Optional(nullable(Type.Boolean())),
  condition: clearable(1024),
  into: Into,
  at: At,
}

const operation = <const O extends string>(name: O) => ({ operation: Type.Literal(name) })

const InsertPage = Type.Object(
  { ...operation('insert_page'), document: DocumentInput, ...pageMembers, ref: Ref },
  closed,
)
const UpdatePage = Type.Object(
  { ...operation('update_page'), page: Id, document: Type.Optional(DocumentInput), ...pageMembers },
  closed,
)
const DeletePage = Type.Object({ ...operation('delete_page'), page: Id }, closed)
const RevertPage = Type.Object(
  {
    ...operation('revert_page'),
    page: Id,
    revision: Type.Optional(
      Type.String({
        maxLength: 40,
        pattern: '^[0-9a-f]{40}$',
        'x-pattern-message': 'must be the ID of a revision: 40 hexadecimal digits',
      }),
    ),
  },
  closed,
)
const InsertGroup = Type.Object(
  {
    ...operation('insert_group'),
    title: Type.String({ minLength: 1, maxLength: 255 }),
    slug: Slug,
    into: Into,
    at: At,
    ref: Ref,
  },
  closed,
)
const UpdateGroup = Type.Object(
  {
    ...operation('update_group'),
    page: Id,
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    slug: Slug,
    into: Into,
    at: At,
  },
  closed,
)
const DeleteGroup = Type.Object({ ...operation('delete_group'), page: Id }, closed)
/**
 * The possible targets of a link page: the same references that responses contain for links in the table of contents.
 */
const LinkTarget = Type.Union(
  [
    Type.Object({ kind: Type.Literal('page'), page: Id }, closed),
    Type.Object(
      { kind: Type.Literal('anchor'), page: Id, anchor: Type.String({ minLength: 1, maxLength: 255 }) },
      closed,
    ),
    Type.Object({ kind: Type.Literal('url'), url: Type.String({ minLength: 1, maxLength: 2048 }) }, closed),
  ],
  { description: 'A page of this space, an anchor in one, or a URL.' },
)

const InsertLink = Type.Object(
  {
    ...operation('insert_link'),
    title: Type.String({ minLength: 1, maxLength: 255 }),
    href: Type.Optional(Type.String({ maxLength: 2048 })),
    target: Type.Optional(LinkTarget),
    into: Into,
    at: At,
  },
  closed,
)
const RenameFile = Type.Object(
  {
    ...operation('rename_file'),
    file: Type.String({ minLength: 1, maxLength: 4096 }),
    name: Type.String({ minLength: 1, maxLength: 255 }),
  },
  closed,
)
const RenameFolder = Type.Object(
  {
    ...operation('rename_folder'),
    folder: Type.String({
      minLength: 1,
      maxLength: 4096,
      description:
        'Path of a folder in the repository. Its pages and files keep their IDs, and links, redirects and the table of contents follow.',
    }),
    name: Type.String({ minLength: 1, maxLength: 255 }),
  },
  closed,
)
const DeleteFile = Type.Object(
  { ...operation('delete_file'), file: Type.String({ minLength: 1, maxLength: 4096 }) },
  closed,
)
const InsertFiles = Type.Object(
  {
    ...operation('insert_files'),
    files: Type.Array(
      Type.Object(
        {
          name: Type.String({ minLength: 1, maxLength: 255 }),
          ref: Ref,
          contentType: Type.Optional(Type.String({ maxLength: 255 })),
          base64: Type.Optional(Type.String()),
          url: Type.Optional(Type.String({ format: 'uri', maxLength: 2048 })),
          part: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 100,
              description: 'Name of the part that contains the file, if the request is a form.',
            }),
          ),
        },
        closed,
      ),
      { minItems: 1, maxItems: 20 },
    ),
  },
  closed,
)
const UpdateVariables = Type.Object(
  {
    ...operation('update_variables'),
    variables: Type.Record(
      Type.String({ minLength: 1, maxLength: 255 }),
      nullable(Type.String({ maxLength: 10_000 })),
      { maxProperties: 1000 },
    ),
  },
  closed,
)
const UpsertReusableContent = Type.Object(
  {
    ...operation('upsert_reusable_content'),
    reusableContent: Type.Optional(Id),
    title: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    document: DocumentInput,
    ref: Ref,
  },
  closed,
)
const DeleteReusableContent = Type.Object({ ...operation('delete_reusable_content'), reusableContent: Id }, closed)

const operations = [
  InsertPage,
  UpdatePage,
  DeletePage,
  RevertPage,
  InsertGroup,
  UpdateGroup,
  DeleteGroup,
  InsertLink,
  RenameFile,
  RenameFolder,
  DeleteFile,
  InsertFiles,
  UpdateVariables,
  UpsertReusableContent,
  DeleteReusableContent,
] as const

export const ContentChange = Type.Unsafe<ContentChange>({
  $id: 'ContentChange',
  type: 'object',
  required: ['operation'],
  // Only provides the names for the message. The selected branch checks and closes itself.
  properties: { operation: { enum: operations.map((one) => one.properties.operation.const) } },
  additionalProperties: true,
  discriminator: { propertyName: 'operation' },
  oneOf: operations.map((one) => ({ ...one })),
})
export type ContentChange = Static<(typeof operations)[number]>
export type ChangeOf<O extends ContentChange['operation']> = Extract<ContentChange, { operation: O }>
export type PageMembers = Pick<
  ChangeOf<'update_page'>,
  | 'title'
  | 'slug'
  | 'emoji'
  | 'icon'
  | 'description'
  | 'hidden'
  | 'noIndex'
  | 'noRobotsIndex'
  | 'condition'
  | 'into'
  | 'at'
>

export const ContentChanges = Type.Object(
  {
    changes: Type.Array(ContentChange, { minItems: 1, maxItems: 50 }),
    message: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10_000, description: 'Subject (and body) of the commit.' }),
    ),
  },
  { ...closed, $id: 'ContentChanges' },
)
export type ContentChanges = Static<typeof ContentChanges>

export const AppliedChange = Type.Object(
  { object: Type.String(), page: Type.Optional(Id), ref: Type.Optional(Type.String()) },
  { $id: 'AppliedChange' },
)
export const InsertedFile = Type.Object(
  { file: Id, name: Type.String(), path: Type.String(), ref: Type.Optional(Type.String()) },
  { $id: 'InsertedFile' },
)
