/** Changes the settings of a space. */
import { defined, withoutNulls } from '../../kernel/defined.js'
import { badRequest, notFound } from '../../kernel/errors.js'
import type { SpaceDoc, UpdateSpace } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { checkMergeRules } from '../commits/rules/check-rules.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { queueComputed } from '../openapi/queue.js'
import { findSpace } from '../roles/access.js'
import { changeSpace, openSpace } from './spaces.js'

const settings = [
  'title',
  'emoji',
  'language',
  'editMode',
  'defaultLevel',
  'visibility',
  'requiredApprovals',
  'mergeRules',
  'visitorAuth',
  'codeSpace',
] as const

/** Changes the given settings; `null` removes an optional one. Throws 400, 404. */
export async function updateSpace(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  input: UpdateSpace,
): Promise<LoadedSpace> {
  if (input.visitorAuth?.backend === 'integration')
    throw badRequest('The integration does not exist.', [
      {
        path: '/visitorAuth/integration',
        message: 'must not be set, since this service has no integrations; use the backend custom',
      },
    ])
  if (typeof input.codeSpace === 'string') await checkCodeSpace(app, actor, space, input.codeSpace)
  const changed = (before: SpaceDoc, after: SpaceDoc) =>
    settings.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
  const change = (stored: Document<SpaceDoc>): Document<SpaceDoc> => {
    if (stored.deletedAt !== undefined) throw notFound('The space')
    if (input.visibility === 'in-collection' && stored.parent === undefined) {
      throw badRequest('Only a space in a collection can have this visibility.', [
        { path: '/visibility', message: 'must not be in-collection while the space is in no collection' },
      ])
    }
    const { defaultLevel = stored.defaultLevel, ...others } = input
    const next = { ...withoutNulls({ ...stored, ...defined(others) }), defaultLevel }
    return changed(stored, next).length === 0 ? stored : { ...next, updatedAt: app.clock.now().toISOString() }
  }
  const doc = await changeSpace(app, actor, space.doc.id, {
    type: 'space.updated',
    change,
    data: (before, after) => ({ fields: changed(before, after) }),
    also: async (tx, { organization, editMode, awaitedSpecs = [] }) => {
      await checkMergeRules(tx, organization, input.mergeRules)
      if (editMode !== 'locked') for (const slug of awaitedSpecs) await queueComputed(app, tx, space.doc.id, slug)
    },
  })
  if (doc.awaitedSpecs) app.wakes.jobs()
  return openSpace(app, actor, doc)
}

/** Throws 400 unless the code is in another space of the same organization that the caller can read. */
async function checkCodeSpace(app: App, actor: Actor, { doc }: LoadedSpace, id: string): Promise<void> {
  const code = await findSpace(app, actor, id)
  if (id !== doc.id && code?.doc.organization === doc.organization) return
  const message = 'must be the ID of another space of this organization that you can read'
  throw badRequest('This space cannot have the code.', [{ path: '/codeSpace', message }])
}
