/**
 * Endpoints that edit content: clients send a list of changes, or a form with files, to a change request or to main.
 */
import { required } from '../../kernel/defined.js'
import { Type } from '@sinclair/typebox'
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import { type LoadedSpace, loadHead } from '../../domain/context/loaded.js'
import { writeToChangeRequest, writeToMain } from '../../domain/commits/write-content.js'
import {
  AppliedChange,
  ChangeRequest,
  changeRequests,
  ContentChanges,
  InsertedFile,
  Revision,
} from '../../model/index.js'
import type { Endpoint } from '../declaration.js'
import { presentChangeRequest } from '../change-requests/present.js'
import { endpoint } from '../service.js'

const section = 'Writing content'
const description =
  'Applies the changes in order, all or nothing, as one commit. Links by page ID (`/pages/<id>`), by path or by the `ref` of another change become ' +
  'relative file links. If one of the changes cannot be made, nothing is committed, and 400 returns its index and the reason.'
const ifMatch =
  'The revision that your changes are based on, in double quotes. If the content has changed since, the changes are merged. Returns 409 if they conflict, ' +
  'or if the space does not have that revision. Without this header, the changes are based on the latest revision.'
const formDescription =
  'To send files as binary data, each up to the file limit, use `multipart/form-data`: put `changes` (JSON) into a field and the files into further ' +
  'parts, and in `insert_files` give the name of the part (`part`) instead of `base64`. A form with files but without `changes` inserts all files under ' +
  'their names.'

/** A form without `changes` inserts its files. */
const form: NonNullable<Endpoint['form']> = (members, files) => {
  if ('changes' in members || files.size === 0) return members
  return {
    ...members,
    changes: [
      {
        operation: 'insert_files',
        files: [...files].map(([part, { name, contentType }]) => ({ part, name, contentType })),
      },
    ],
  }
}

const results = { changes: Type.Array(AppliedChange), insertedFiles: Type.Optional(Type.Array(InsertedFile)) }

export const updateChangeRequestContent = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content',
  summary: 'Change the content of a change request',
  description: description + formDescription,
  section,
  needs: 'space:edit',
  query: Type.Object({
    compat: Type.Boolean({
      default: true,
      description:
        'True: the response is only the change request, as older clients expect. False: the response also contains the result of each change.',
    }),
  }),
  ifMatch,
  body: ContentChanges,
  form,
  returns: Type.Union([ChangeRequest, Type.Object({ changeRequest: ChangeRequest, ...results })]),
  fails: [409, 413, 423],
  handle: async ({ app, actor, space, changeRequest, body, query, request }) => {
    const written = await writeToChangeRequest(
      { app, actor, space, input: body, uploads: request.files },
      changeRequest,
      request.ifMatch,
    )
    const presented = await presentNow(app, actor, space, changeRequest.doc.id)
    if (query.compat) return presented
    return {
      changeRequest: presented,
      changes: written.applied,
      ...(written.insertedFiles.length > 0 ? { insertedFiles: written.insertedFiles } : {}),
    }
  },
})

async function presentNow(app: App, actor: Actor, space: LoadedSpace, id: string) {
  const doc = await app.store.get(changeRequests, id)
  return presentChangeRequest(app, actor, space, loadHead(space, required(doc)))
}

export const updateSpaceContent = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/content',
  summary: 'Change the main content of a space with the editMode live',
  description: description + formDescription,
  section,
  needs: 'space:edit',
  ifMatch,
  body: ContentChanges,
  form,
  returns: Type.Object({ revision: Type.Index(Revision, ['id']), ...results }, { $id: 'ContentWritten' }),
  fails: [409, 413, 423],
  handle: async ({ app, actor, space, body, request }) => {
    const written = await writeToMain({ app, actor, space, input: body, uploads: request.files }, request.ifMatch)
    return {
      revision: written.revision,
      changes: written.applied,
      ...(written.insertedFiles.length > 0 ? { insertedFiles: written.insertedFiles } : {}),
    }
  },
})
