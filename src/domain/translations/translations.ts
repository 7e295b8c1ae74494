/** Creates, changes, runs and deletes translations of an organization. */
import { atLeast } from '../../access/index.js'
import { badRequest, conflict, notFound, ServiceError } from '../../kernel/errors.js'
import { newId, type CommitId } from '../../kernel/ids.js'
import { type Page, type PageQuery, paginate } from '../../kernel/paging.js'
import {
  type CreateTranslation,
  grants,
  type Role,
  type SpaceDoc,
  spaces,
  translations,
  type TranslationDoc,
  type UpdateTranslation,
} from '../../model/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { MAIN, repositoryName } from '../context/refs.js'
import { emit } from '../events/events.js'
import { spaceRole, translationRole } from '../roles/access.js'
import { createSpace } from '../spaces/spaces.js'
import { chooseEngine } from './engines.js'
import { readInstructions } from './instructions.js'
import { dropRun, queueRun } from './queue.js'
import { defined, withoutNulls } from '../../kernel/defined.js'

const MAX_TRANSLATIONS = 100

/** A translation that the caller may see, with their role on it. */
export interface LoadedTranslation {
  doc: Document<TranslationDoc>
  role: Role
}

/** Finds a translation of an organization. Null if there is none or the caller may not see it. */
export async function findTranslation(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  id: string,
): Promise<LoadedTranslation | null> {
  const doc = await app.store.get(translations, id)
  const role = doc?.organization === organization.doc.id ? await translationRole(app.store, actor.user.id, doc) : null
  return doc && role !== null ? { doc, role } : null
}

/** Lists the translations of an organization that the caller may see, oldest first. */
export async function listTranslations(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  query: PageQuery,
): Promise<Page<LoadedTranslation>> {
  const found: LoadedTranslation[] = []
  for (const doc of await app.store.find(translations, 'organization', organization.doc.id)) {
    const role = await translationRole(app.store, actor.user.id, doc)
    if (role !== null) found.push({ doc, role })
  }
  return paginate(found, query, ({ doc }) => [doc.createdAt, doc.id])
}

/**
 * Creates a translation and its space, next to the source, and queues its first run. Throws 400 (source, languages, no
 * engine), 403 if the caller may not add a space there, and 409 if there are too many.
 */
export async function createTranslation(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: CreateTranslation,
): Promise<LoadedTranslation> {
  const source = await findSource(app.store, actor, organization, input.source.space)
  const from = input.source.language ?? source.language ?? 'en'
  await checkRequest(app, input, from)
  const { language, glossary, engine, automatic } = input
  const instructions = input.instructions && readInstructions(input.instructions)
  const now = app.clock.now().toISOString()
  const id = newId()
  const title = [...`${source.title} (${nameOf(language)})`].slice(0, 50).join('')
  const parent = source.parent === undefined ? {} : { parent: source.parent }
  await createSpace(
    app,
    actor,
    organization,
    { title, emoji: source.emoji, language, ...parent },
    async (tx, space) => {
      const still = await findSource(tx, actor, organization, source.id)
      await checkNumber(tx, organization.doc.id)
      await tx.replace(spaces, { ...space, defaultLevel: still.defaultLevel })
      await grantAccess(tx, actor, space)
      const doc = await tx.insert(translations, {
        id,
        organization: organization.doc.id,
        source: { space: source.id, language: from },
        language,
        result: { space: space.id, revision: initialOf(app, space) },
        initial: initialOf(app, space),
        status: 'pending',
        notes: [],
        ...defined({ instructions, glossary, engine }),
        ...(automatic === undefined ? {} : { automatic, automaticBy: actor.user.id }),
        ...noStats,
        createdBy: actor.user.id,
        createdAt: now,
        updatedAt: now,
      })
      await queueRun(app, tx, doc, actor.user.id, false)
      await emitTranslation(app, tx, 'translation.created', doc, actor)
    },
  )
  const made = await findTranslation(app, actor, organization, id)
  app.wakes.jobs()
  if (!made) throw notFound('The translation')
  return made
}

const noStats = {
  runs: 0,
  totalWords: 0,
  totalPages: 0,
  totalDuration: 0,
  latestRunDuration: 0,
  latestPages: 0,
  latestWords: 0,
}
const names = new Intl.DisplayNames(['en'], { type: 'language' })
const nameOf = (language: string): string => names.of(language === 'pt-br' ? 'pt-BR' : language) ?? language

const initialOf = (app: App, { id }: Pick<SpaceDoc, 'id'>): CommitId => {
  const head = app.git.head(repositoryName(id), MAIN)
  if (head === null) throw notFound('The branch main of the space')
  return head
}

async function findSource(
  reader: Reader,
  actor: Actor,
  organization: LoadedOrganization,
  id: string,
): Promise<Document<SpaceDoc>> {
  const doc = await reader.get(spaces, id)
  const role =
    doc && doc.deletedAt === undefined && doc.organization === organization.doc.id
      ? await spaceRole(reader, actor.user.id, doc)
      : null
  if (!doc || role === null)
    throw badRequest('The space does not exist in this organization.', [
      { path: '/source/space', message: 'must be the ID of a space that you may read' },
    ])
  return doc
}

async function checkRequest(app: App, { language, engine }: CreateTranslation, from: string): Promise<void> {
  if (from === language)
    throw badRequest('The language of a translation must differ from the language of its source.', [
      { path: '/language', message: `must not be ${from}` },
    ])
  const choice = await chooseEngine(app, { from, to: language }, engine)
  if (choice.engine === null && !choice.unsure)
    throw badRequest(
      `No engine of this server translates from ${from} into ${language}. ${choice.reasons.join(' ')}`,
      choice.reasons.map((message) => ({ path: '/language', message })),
    )
}

async function checkNumber(tx: Transaction, organization: string): Promise<void> {
  if ((await tx.count(translations, 'organization', organization)) >= MAX_TRANSLATIONS)
    throw conflict(`An organization can have at most ${MAX_TRANSLATIONS} translations. Delete one first.`)
}

/** Grants the creator of a translation the role create on its space, unless the default level already does. */
async function grantAccess(tx: Transaction, { user }: Actor, { id }: Document<SpaceDoc>): Promise<void> {
  const space = await tx.get(spaces, id)
  if (!space || atLeast(await spaceRole(tx, user.id, space), 'create')) return
  await tx.insert(grants, {
    id: `space:${id}:user:${user.id}`,
    target: `space:${id}`,
    principal: `user:${user.id}`,
    role: 'create',
  })
}

/**
 * Changes the settings for engines and automatic runs. Starts no run. Throws 400, and 404 if it was deleted in the
 * meantime.
 */
export async function updateTranslation(
  app: App,
  actor: Actor,
  { doc: { id }, role }: LoadedTranslation,
  input: UpdateTranslation,
): Promise<LoadedTranslation> {
  const { instructions, ...settings } = input
  const written = instructions === undefined ? {} : { instructions: instructions && readInstructions(instructions) }
  if (input.engine && !app.translation.engines.some(({ name }) => name === input.engine))
    throw badRequest(`The server has no engine ${input.engine}.`, [
      {
        path: '/engine',
        message: `must be one of: ${app.translation.engines.map(({ name }) => name).join(', ') || 'none'}`,
      },
    ])
  const doc = await app.store.transact(async (tx) => {
    const stored = await tx.get(translations, id)
    if (!stored) throw notFound('The translation')
    const next = withoutNulls({
      ...stored,
      ...defined(settings),
      ...written,
      ...(input.automatic ? { automaticBy: actor.user.id } : {}),
      updatedAt: app.clock.now().toISOString(),
    })
    await emitTranslation(app, tx, 'translation.updated', next, actor)
    return tx.replace(translations, next)
  })
  return { doc, role }
}

/** Queues a run for the caller, unless one is queued. Throws 404, and 409 if the source or the result is gone. */
export async function requestRun(app: App, actor: Actor, { doc: { id } }: LoadedTranslation): Promise<void> {
  await app.store.transact(async (tx) => {
    const stored = await tx.get(translations, id)
    if (!stored) throw notFound('The translation')
    const [source, result] = [await tx.get(spaces, stored.source.space), await tx.get(spaces, stored.result.space)]
    if (!result || result.deletedAt !== undefined)
      throw conflict('The translated space was deleted. Restore it, or delete the translation.')
    if (!source || source.deletedAt !== undefined)
      throw conflict('The source was deleted. Restore it, or delete the translation.')
    if ((await spaceRole(tx, actor.user.id, source)) === null)
      throw new ServiceError('forbidden', 'You are not allowed to read the source of this translation.')
    await queueRun(app, tx, stored, actor.user.id, false)
  })
  app.wakes.jobs()
}

/** Removes a translation. Its space stays. */
export async function deleteTranslation(app: App, actor: Actor, { doc }: LoadedTranslation): Promise<void> {
  await app.store.transact(async (tx) => {
    if (!(await tx.remove(translations, doc.id))) return
    await dropRun(tx, doc.id)
    await emitTranslation(app, tx, 'translation.deleted', doc, actor)
  })
}

const emitTranslation = (
  app: App,
  tx: Transaction,
  type: 'translation.created' | 'translation.updated' | 'translation.deleted',
  { id, organization, result, language }: TranslationDoc,
  actor: Actor,
) =>
  emit(app, tx, {
    type,
    organization,
    actor: actor.user.id,
    subject: { translation: id, space: result.space },
    data: { language },
  })
