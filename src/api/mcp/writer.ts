/** Members who use the MCP server of the API, and the spaces and pages in their calls. */
import type { PageEntry } from '../../content/types.js'
import type { MemberCall } from '../../domain/agents/members.js'
import { findChangeRequest } from '../../domain/change-requests/change-requests.js'
import type { App } from '../../domain/context/app.js'
import { pageAddress } from '../../domain/context/app-addresses.js'
import type { Actor } from '../../domain/context/actor.js'
import { openMain } from '../../domain/revisions/main-content.js'
import { findPageByPath } from '../../domain/revisions/pages.js'
import type { OpenRevision } from '../../domain/revisions/revisions.js'
import { findSpace } from '../../domain/roles/access.js'
import { badRequest, notFound } from '../../kernel/errors.js'
import { changeRequests } from '../../model/index.js'

/** Returns a calling member, without the data of the request. */
export const writerOf = (
  app: App,
  actor: Actor,
): Pick<MemberCall, 'app' | 'actor' | 'findPage' | 'findChangeRequest'> => ({
  app,
  actor,
  findPage: async (name, space) => {
    if (space === undefined) throw badRequest('Name the `space` of the page. Find spaces with `list`.')
    const revision = await openSpace({ app, actor }, space)
    const entry = pageIn(app, revision, name)
    return { space: revision.space, entry, address: addressOf(app, revision, entry) }
  },
  findChangeRequest: async (id) => {
    const doc = await app.store.get(changeRequests, id)
    const space = doc && (await findSpace(app, actor, doc.space))
    const changeRequest = space && (await findChangeRequest(app, space, doc.id))
    if (!space || !changeRequest) throw notFound('The change request')
    return { space, changeRequest }
  },
})

/** Opens the main content of a space that the member may see. Throws 404. */
export async function openSpace({ app, actor }: Pick<MemberCall, 'app' | 'actor'>, id: string): Promise<OpenRevision> {
  const space = await findSpace(app, actor, id)
  if (!space) throw notFound(`Space ${id}`)
  return openMain(app, space)
}

/** Finds a page by its address in the app or in the API, its ID or its path. Throws 404. */
export function pageIn(app: App, revision: OpenRevision, name: string): PageEntry {
  const { id } = revision.space.doc
  const above = [pageAddress(app, id, ''), `${app.settings.publicUrl}/v1/spaces/${id}/content/page/`]
  const text = name.slice(above.find((one) => name.startsWith(one))?.length ?? 0)
  const page = revision.structure.byId.get(text) ?? findPageByPath(revision, decoded(text))
  if (!page) throw notFound('The page')
  return page
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

const addressOf = (app: App, { space }: OpenRevision, { id }: PageEntry): string => pageAddress(app, space.doc.id, id)

/** Describes a page for results. */
export const shownPage = (app: App, revision: OpenRevision, entry: PageEntry) => ({
  page: entry.id,
  title: entry.title,
  address: addressOf(app, revision, entry),
  commit: revision.snapshot.commit,
  space: revision.space.doc.id,
})
