/** Templates: content for new spaces and for adding to existing ones. */
import { type Static, Type } from '@sinclair/typebox'
import { closed, Id, listOf } from './common.js'

export const Template = Type.Object(
  {
    object: Type.Literal('template'),
    id: Id,
    title: Type.String(),
    description: Type.String(),
    emoji: Type.Optional(Type.String()),
    pages: Type.Integer({ minimum: 1, description: 'Number of pages.' }),
    contentRefs: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        default: Type.String({ description: 'The file of the template that is used by default.' }),
      }),
      { description: 'Placeholders for files of the space, such as a logo. `params.contentRefs` uses their names.' },
    ),
  },
  { $id: 'Template' },
)
export type Template = Static<typeof Template>

export const TemplateList = listOf(Template, { $id: 'TemplateList' })

const FileReference = Type.Object({ kind: Type.Literal('file'), file: Id }, closed)

export const UseTemplate = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 64, description: 'ID of a template.' }),
    params: Type.Optional(
      Type.Object(
        {
          contentRefs: Type.Optional(
            Type.Record(Type.String({ maxLength: 64 }), FileReference, {
              maxProperties: 20,
              description: 'Files of the space by placeholder name. Omitted placeholders keep their default.',
            }),
          ),
        },
        closed,
      ),
    ),
  },
  { ...closed, $id: 'UseTemplate' },
)
export type UseTemplate = Static<typeof UseTemplate>
