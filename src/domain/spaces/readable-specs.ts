/** Decides which OpenAPI specifications of an organization a caller may read. */
import { type Page, type PageQuery, paginate } from '../../kernel/paging.js'
import { openApiSpecs, type OpenApiSpecDoc, spaces } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedOrganization } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { findSpec, listSpecs } from '../openapi/specs.js'
import { usedSpecs } from '../revisions/used-specs.js'
import { openSpaces, visibleSpaces } from './spaces.js'

type Spec = Document<OpenApiSpecDoc>

/** Maximum number of spaces that are searched for specifications in one request of a guest, newest first. */
const MAX_SPACES = 100

/**
 * Finds a specification that the caller may read. Members with a role may read all. A guest may read public ones, and
 * those in the main content of a space that they may read.
 */
export async function findReadableSpec(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  slug: string,
): Promise<Spec | null> {
  const spec = await findSpec(app.store, organization.doc.id, slug)
  if (!spec || organization.role !== null || spec.visibility === 'public') return spec
  return (await shownSpecs(app, actor, organization, slug)).has(slug) ? spec : null
}

/** Lists the specifications that the caller may read, oldest first. */
export async function listReadableSpecs(
  app: App,
  actor: Actor,
  organization: LoadedOrganization,
  query: PageQuery,
): Promise<Page<Spec>> {
  if (organization.role !== null) return listSpecs(app, organization, query)
  const all = await app.store.find(openApiSpecs, 'organization', organization.doc.id)
  const shown = all.some(({ visibility }) => visibility !== 'public')
    ? await shownSpecs(app, actor, organization)
    : new Set()
  const readable = all.filter(({ slug, visibility }) => visibility === 'public' || shown.has(slug))
  return paginate(readable, query, ({ createdAt, id }) => [createdAt, id])
}

/** Returns the specifications in the spaces of the caller. Stops when it finds `wanted`. */
async function shownSpecs(
  app: App,
  actor: Actor,
  { doc }: LoadedOrganization,
  wanted?: string,
): Promise<ReadonlySet<string>> {
  const shown = new Set<string>()
  const { documents } = await app.store.page(spaces, 'createdAt', doc.id, {
    limit: Number.POSITIVE_INFINITY,
    direction: 'desc',
  })
  const visible = await visibleSpaces(app, actor, doc.id, documents)
  for (const { repo, ...space } of await openSpaces(app, visible.slice(0, MAX_SPACES))) {
    try {
      const head = repo?.refs.head(MAIN) ?? null
      if (repo === null || head === null) continue
      for (const slug of await usedSpecs(app, { ...space, repo }, head)) shown.add(slug)
    } catch (error) {
      app.log.warn({ err: error, space: space.doc.id }, 'A space could not be searched for specifications.')
    }
    if (wanted !== undefined && shown.has(wanted)) break
  }
  return shown
}
