/** Files of a revision. */
import { type Static, Type } from '@sinclair/typebox'
import { Id, listOf, oneOf, pageQuery } from './common.js'
import { contentQuery, GitPlace } from './content.js'

/** What Git LFS has to do with a file. */
const FileLfs = Type.Object(
  {
    oid: Type.String({ description: 'SHA-256 of the file, from its pointer.' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes of the file, from its pointer.' }),
    state: oneOf(['present', 'waiting', 'failed', 'local'], {
      description:
        '`present`: `downloadURL` returns the file itself. `waiting`: it has not been fetched yet, `failed`: it could not be; until it is there, `downloadURL` returns 404 with the reason. ' +
        '`local`: the space was never imported from a repository with Git LFS, so `downloadURL` returns the pointer as it is written.',
    }),
    problem: Type.Optional(Type.String({ description: 'Why it is not present, and what to do.' })),
  },
  { description: 'Of files that Git LFS keeps: Git has their pointers alone.' },
)

export const File = Type.Object(
  {
    id: Id,
    name: Type.String(),
    contentType: Type.String(),
    downloadURL: Type.String({ description: 'Works without a token until it expires.' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes.' }),
    dimensions: Type.Optional(
      Type.Object({ width: Type.Integer(), height: Type.Integer() }, { description: 'Pixels, of images.' }),
    ),
    lfs: Type.Optional(FileLfs),
    git: Type.Optional(GitPlace),
  },
  { $id: 'File' },
)
export type File = Static<typeof File>

export const FileList = listOf(File, { $id: 'FileList' })

export const FilesQuery = Type.Object({ ...contentQuery, ...pageQuery })
