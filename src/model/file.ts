/** Files of a revision. */
import { type Static, Type } from '@sinclair/typebox'
import { Id, listOf, pageQuery } from './common.js'
import { contentQuery, GitPlace } from './content.js'

export const File = Type.Object(
  {
    id: Id,
    name: Type.String(),
    contentType: Type.String(),
    downloadURL: Type.String({ description: 'Works without a token until it expires.' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes.' }),
    dimensions: Type.Optional(Type.Object({ width: Type.Integer(), height: Type.Integer() }, { description: 'Pixels, of images.' })),
    git: Type.Optional(GitPlace),
  },
  { $id: 'File' },
)
export type File = Static<typeof File>

export const FileList = listOf(File, { $id: 'FileList' })

export const FilesQuery = Type.Object({ ...contentQuery, ...pageQuery })
