/**
 * Creates, replaces, publishes and deletes OpenAPI specifications of an organization. Each new source queues its
 * processing.
 */
import { badRequest, conflict, notFound } from '../../kernel/errors.js'
import { newId } from '../../kernel/ids.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import {
  type CreateOpenAPISpec,
  openApiSpecs,
  type OpenApiSpecDoc,
  openApiVersions,
  organizations,
  SPEC_SLUG,
  type PutOpenAPISpec,
} from '../../model/index.js'
import { OutboundError } from '../../outbound/index.js'
import type { Document, Reader, Transaction } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { emit } from '../events/events.js'
import { dropProcessing, queueProcessing, queueSpreading } from './queue.js'

const MAX_SPECS = 500

/** A slug in a path, with its specification if there is one. */
interface SpecSlot {
  slug: string
  spec: Document<OpenApiSpecDoc> | null
}

/** Finds the specification with a slug. Null if the organization has none. */
export async function findSpec(
  reader: Reader,
  organization: string,
  slug: string,
): Promise<Document<OpenApiSpecDoc> | null> {
  return (await reader.find(openApiSpecs, 'slug', `${organization}/${slug}`))[0] ?? null
}

/** Lists the specifications of an organization, oldest first. */
export const listSpecs = (
  app: App,
  organization: LoadedOrganization,
  query: PageQuery,
): Promise<Page<Document<OpenApiSpecDoc>>> => pageOf(app.store, openApiSpecs, 'createdAt', organization.doc.id, query)

/**
 * Stores a source. Throws 400 for a URL that the service never sends requests to. Hosts that do not resolve (yet) are
 * accepted.
 */
async function storedSource(app: App, source: CreateOpenAPISpec['source']): Promise<OpenApiSpecDoc['source']> {
  if ('text' in source) {
    const bytes = Buffer.from(source.text)
    const most = app.settings.maxSpecBytes
    if (bytes.length > most)
      throw badRequest(`The specification has more than ${most} bytes.`, [
        { path: '/source/text', message: `must have at most ${most} bytes` },
      ])
    return { text: await app.specFiles.write(bytes) }
  }
  try {
    await app.http.check(source.url)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    if (error.failure === 'refused')
      throw badRequest(`The URL is not allowed for a specification: ${error.message}`, [
        { path: '/source/url', message: error.message },
      ])
  }
  return { url: source.url }
}

/**
 * Creates a specification and queues its processing. Throws 400 (source), and 409 if the slug is in use or there are
 * too many.
 */
export async function createSpec(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  input: CreateOpenAPISpec,
): Promise<Document<OpenApiSpecDoc>> {
  const source = await storedSource(app, input.source)
  const made = await app.store.transact(async (tx) => {
    if (await findSpec(tx, organization.doc.id, input.slug))
      throw conflict(
        `A specification with the slug ${input.slug} already exists. Replace it with PUT, or choose another slug.`,
      )
    return insert(app, tx, actor, { ...input, organization: organization.doc.id, source })
  })
  app.wakes.jobs()
  return made
}

async function insert(
  app: App,
  tx: Transaction,
  actor: Actor,
  {
    organization,
    slug,
    source,
    visibility = 'private',
  }: Pick<OpenApiSpecDoc, 'organization' | 'slug' | 'source'> & { visibility?: OpenApiSpecDoc['visibility'] },
): Promise<Document<OpenApiSpecDoc>> {
  if (!(await tx.get(organizations, organization))) throw notFound('The organization')
  if ((await tx.count(openApiSpecs, 'organization', organization)) >= MAX_SPECS)
    throw conflict(`An organization can have at most ${MAX_SPECS} specifications. Delete one first.`)
  const now = app.clock.now().toISOString()
  const state = { visibility, processingState: 'pending' as const, generation: 1 }
  const spec = await tx.insert(openApiSpecs, {
    id: newId(),
    organization,
    slug,
    source,
    ...state,
    createdAt: now,
    updatedAt: now,
  })
  await queueProcessing(app, tx, spec)
  await emitSpec(app, tx, 'openapi_spec.created', spec, actor)
  return spec
}

/**
 * Sets the source of a specification and queues its processing, even if the source is unchanged. Creates the
 * specification if there is none. Throws 400 (slug, source), 409.
 */
export async function putSpec(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  { slug }: SpecSlot,
  input: PutOpenAPISpec,
): Promise<{ spec: Document<OpenApiSpecDoc>; isNew: boolean }> {
  const source = await storedSource(app, input.source)
  const result = await app.store.transact(async (tx) => {
    const stored = await findSpec(tx, organization.doc.id, slug)
    if (!stored) {
      checkSlug(slug)
      return {
        spec: await insert(app, tx, actor, { ...input, slug, organization: organization.doc.id, source }),
        isNew: true,
      }
    }
    const { validators: _ofTheOldSource, ...rest } = stored
    const visibility = input.visibility ?? stored.visibility
    const next = {
      ...rest,
      source,
      visibility,
      processingState: 'pending' as const,
      generation: stored.generation + 1,
      updatedAt: app.clock.now().toISOString(),
    }
    const spec = await tx.replace(openApiSpecs, next)
    await queueProcessing(app, tx, spec)
    await emitSpec(app, tx, 'openapi_spec.updated', spec, actor)
    return { spec, isNew: false }
  })
  app.wakes.jobs()
  return result
}

function checkSlug(slug: string): void {
  if (new RegExp(SPEC_SLUG).test(slug) && slug.length <= 100) return
  throw badRequest('A slug consists of at most 100 lowercase letters, digits and single hyphens between them.', [
    {
      path: 'path/specSlug',
      message: 'must consist of at most 100 lowercase letters, digits and single hyphens between them',
    },
  ])
}

/** Makes a specification public or private. Throws 404 if it was deleted in the meantime. */
export async function updateSpec(
  app: App,
  actor: Actor,
  spec: Document<OpenApiSpecDoc>,
  { visibility }: Pick<OpenApiSpecDoc, 'visibility'>,
): Promise<Document<OpenApiSpecDoc>> {
  return app.store.transact(async (tx) => {
    const stored = await tx.get(openApiSpecs, spec.id)
    if (!stored) throw notFound('The specification')
    const next = await tx.replace(openApiSpecs, { ...stored, visibility, updatedAt: app.clock.now().toISOString() })
    await emitSpec(app, tx, 'openapi_spec.updated', next, actor)
    return next
  })
}

/** Deletes a specification with its versions and its queued job. The next maintenance deletes its files. */
export async function deleteSpec(app: App, actor: Actor, spec: Document<OpenApiSpecDoc>): Promise<void> {
  await app.store.transact(async (tx) => {
    if (!(await tx.remove(openApiSpecs, spec.id))) return
    for (const version of await tx.find(openApiVersions, 'spec', spec.id)) await tx.remove(openApiVersions, version.id)
    await dropProcessing(tx, spec)
    if (spec.lastVersion !== undefined) await queueSpreading(app, tx, spec)
    await emitSpec(app, tx, 'openapi_spec.deleted', spec, actor)
  })
  app.wakes.jobs()
}

const emitSpec = (
  app: App,
  tx: Transaction,
  type: 'openapi_spec.created' | 'openapi_spec.updated' | 'openapi_spec.deleted',
  spec: Document<OpenApiSpecDoc>,
  actor: Actor,
) =>
  emit(app, tx, {
    type,
    organization: spec.organization,
    actor: actor.user.id,
    subject: { openapiSpec: spec.id },
    data: { slug: spec.slug },
  })
