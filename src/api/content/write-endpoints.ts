import { Type } from '@sinclair/typebox'
import type { App } from '../../domain/context/app.js'
import { type LoadedSpace, loadHead } from '../../domain/context/loaded.js'
import { writeToChangeRequest, writeToMain } from '../../domain/commits/write-content.js'
import { AppliedChange, ChangeRequest, changeRequests, ContentChanges, InsertedFile, Revision } from '../../model/index.js'
import type { Endpoint } from '../declaration.js'
import { presentChangeRequest } from '../change-requests/present.js'
import { endpoint } from '../service.js'

const section = 'Writing content'
const description =
  'The changes are applied in order, all or nothing, as one commit. Links by page ID (`/pages/<id>`), by path or by the `ref` of another change become relative file links. ' +
  'One change that cannot be made: 400 with its index and reason, and no commit.'
const formDescription =
  ' Files may be sent as they are, up to the file limit each: as `multipart/form-data` with `changes` (JSON) as a field, the files as further parts, and in ' +
  '`insert_files` the name of the part (`part`) instead of `base64`. A form of files without `changes` inserts them all under their names.'

/** A form without changes is one that inserts its files. */
const form: NonNullable<Endpoint['form']> = (members, files) => {
  if ('changes' in members || files.size === 0) return members
  return { ...members, changes: [{ operation: 'insert_files', files: [...files].map(([part, { name, contentType }]) => ({ part, name, contentType })) }] }
}

const results = { changes: Type.Array(AppliedChange), insertedFiles: Type.Optional(Type.Array(InsertedFile)) }

export const updateChangeRequestContent = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content',
  summary: 'Change the content of a change request',
  description: description + formDescription,
  section,
  needs: 'space:edit',
  query: Type.Object({ compat: Type.Boolean({ default: true, description: 'False answers what each change did.' }) }),
  body: ContentChanges,
  form,
  returns: Type.Union([ChangeRequest, Type.Object({ changeRequest: ChangeRequest, ...results })]),
  fails: [409, 413, 423],
  handle: async ({ app, actor, space, changeRequest, body, query, request }) => {
    const written = await writeToChangeRequest({ app, actor, space, input: body, uploads: request.files }, changeRequest)
    const presented = await presentNow(app, space, changeRequest.doc.id)
    if (query.compat) return presented
    return { changeRequest: presented, changes: written.applied, ...(written.insertedFiles.length > 0 ? { insertedFiles: written.insertedFiles } : {}) }
  },
})

async function presentNow(app: App, space: LoadedSpace, id: string) {
  const doc = await app.store.get(changeRequests, id)
  return presentChangeRequest(app, space, loadHead(space, doc as NonNullable<typeof doc>))
}

export const updateSpaceContent = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/content',
  summary: 'Change the main content of a space whose editMode is live',
  description: `${description} With \`If-Match: "<revision>"\` the changes are made on that revision, and merged where main has moved on; 409 where that is not clean.${formDescription}`,
  section,
  needs: 'space:edit',
  body: ContentChanges,
  form,
  returns: Type.Object({ revision: Type.Index(Revision, ['id']), ...results }, { $id: 'ContentWritten' }),
  fails: [409, 413, 423],
  handle: async ({ app, actor, space, body, request }) => {
    const written = await writeToMain({ app, actor, space, input: body, uploads: request.files }, request.ifMatch)
    return { revision: written.revision, changes: written.applied, ...(written.insertedFiles.length > 0 ? { insertedFiles: written.insertedFiles } : {}) }
  },
})
