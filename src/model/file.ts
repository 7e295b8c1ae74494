/** Files of a revision. */
import { type Static, Type } from '@sinclair/typebox'
import { Id, listOf, oneOf, pageQuery } from './common.js'
import { contentQuery, GitPlace } from './content.js'

/** The Git LFS data of a file. */
const FileLfs = Type.Object(
  {
    oid: Type.String({ description: 'SHA-256 of the file, from its pointer.' }),
    size: Type.Integer({ minimum: 0, description: 'Size of the file in bytes, from its pointer.' }),
    state: oneOf(['present', 'waiting', 'failed', 'local'], {
      description:
        '`present`: `downloadURL` returns the file itself. `waiting`: it has not been fetched yet. `failed`: it could not be fetched. In both cases, ' +
        '`downloadURL` returns 404 with the reason. `local`: the space was never imported from a repository with Git LFS, so `downloadURL` returns the pointer.',
    }),
    problem: Type.Optional(Type.String({ description: 'The reason why the file is missing, and the remedy.' })),
  },
  { description: 'Present for Git LFS files, of which Git contains only pointers.' },
)

export const File = Type.Object(
  {
    id: Id,
    name: Type.String(),
    contentType: Type.String(),
    downloadURL: Type.String({ description: 'Works without a token until it expires.' }),
    size: Type.Integer({ minimum: 0, description: 'Bytes.' }),
    dimensions: Type.Optional(
      Type.Object({ width: Type.Integer(), height: Type.Integer() }, { description: 'Size in pixels, for images.' }),
    ),
    lfs: Type.Optional(FileLfs),
    git: Type.Optional(GitPlace),
  },
  { $id: 'File' },
)
export type File = Static<typeof File>

export const FileList = listOf(File, { $id: 'FileList' })

export const FilesQuery = Type.Object({ ...contentQuery, ...pageQuery })
