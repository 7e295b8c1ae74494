/** The requests of the editor, for the main content and for change requests alike. */
import { ApiError, api, body, failure, full, type Schemas } from '../api/client.js'
import type { Place } from '../space/space.js'

/** A source with the tag that a save sends. */
export interface Source {
  markdown: string
  oid: string
  path: string
  revision: string
}

const BELOW_REQUEST = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content'
/** The main content and change requests have the same endpoints, so both use the types of the main content. */
const at = <Path extends string>(place: Place, path: Path): Path =>
  (place.changeRequest === undefined ? path : path.replace('/v1/spaces/{spaceId}/content', BELOW_REQUEST)) as Path
const pathOf = ({ spaceId, changeRequest }: Place) => ({
  spaceId,
  ...(changeRequest === undefined ? {} : { changeRequestId: changeRequest }),
})

const SOURCE = '/v1/spaces/{spaceId}/content/page/{pageId}/source'

/** Loads the file of a page. Throws `ApiError`. */
export async function loadSource(place: Place, pageId: string): Promise<Source> {
  const { markdown, git, revision } = await body(
    api.GET(at(place, SOURCE), { params: { path: { ...pathOf(place), pageId } }, cache: 'no-store' }),
  )
  return { markdown, oid: git.oid, path: git.path, revision }
}

/** Saves the file of a page, if it is still the one with the tag. Returns the new tag. Throws `ApiError`. */
export async function saveSource(place: Place, pageId: string, markdown: string, oid: string): Promise<string> {
  const { git } = await body(
    api.PUT(at(place, SOURCE), {
      params: { path: { ...pathOf(place), pageId }, header: { 'If-Match': `"${oid}"` } },
      body: { markdown },
    }),
  )
  return git.oid
}

/** Renders a text that is not saved. Throws `ApiError`. */
export const renderText = (
  place: Place,
  pageId: string,
  markdown: string,
  signal: AbortSignal,
): Promise<Schemas['RenderedPage']> =>
  body(
    api.POST(at(place, '/v1/spaces/{spaceId}/content/page/{pageId}/rendered'), {
      params: { path: { ...pathOf(place), pageId } },
      body: { markdown },
      signal,
    }),
  )

/** Announces this editor to others and lists them. Throws `ApiError`. */
export const notePresence = (
  place: Place,
  pageId: string,
  presence: Schemas['PresenceInput'],
): Promise<Schemas['Presence']> =>
  body(
    api.POST(at(place, '/v1/spaces/{spaceId}/content/page/{pageId}/presence'), {
      params: { path: { ...pathOf(place), pageId } },
      body: presence,
      keepalive: presence.leaves === true,
    }),
  )

/** Reads a front matter, and sets keys of it. Throws `ApiError`. */
export const changeFrontMatter = (
  { spaceId }: Place,
  input: Schemas['FrontMatterInput'],
): Promise<Schemas['FrontMatter']> =>
  body(api.POST('/v1/spaces/{spaceId}/content/front-matter', { params: { path: { spaceId } }, body: input }))

/** Loads the pages of a place with the paths of their files. Throws `ApiError`. */
export async function loadPages(place: Place): Promise<Schemas['Page'][]> {
  const path = pathOf(place)
  return (await body(api.GET(at(place, '/v1/spaces/{spaceId}/content/pages'), { params: { path } }))).pages
}

/** Loads a whole revision: its variables and reusable content. Throws `ApiError`. */
export const loadRevision = (place: Place): Promise<Schemas['Revision']> =>
  body(api.GET(at(place, '/v1/spaces/{spaceId}/content'), { params: { path: pathOf(place) } }))

/** Loads the first files of a place. Throws `ApiError`. */
export const loadFiles = async (place: Place): Promise<readonly Schemas['File'][]> =>
  (
    await body(
      api.GET(at(place, '/v1/spaces/{spaceId}/content/files'), {
        params: { path: pathOf(place), query: { limit: 1000 } },
      }),
    )
  ).items

/** Changes the structure or files of a place. Returns the results. Throws `ApiError`. */
export async function changeContent(
  place: Place,
  changes: Schemas['ContentChanges']['changes'],
): Promise<readonly Schemas['AppliedChange'][]> {
  const { spaceId, changeRequest } = place
  if (changeRequest === undefined)
    return (await body(api.POST('/v1/spaces/{spaceId}/content', { params: { path: { spaceId } }, body: { changes } })))
      .changes
  const written = await body(
    api.POST(BELOW_REQUEST, {
      params: { path: { spaceId, changeRequestId: changeRequest }, query: { compat: false } },
      body: { changes },
    }),
  )
  return 'changes' in written ? written.changes : []
}

/** Uploads a file and returns its path in the repository. Throws `ApiError`. */
export async function uploadFile({ spaceId, changeRequest }: Place, file: File, name: string): Promise<string> {
  const form = new FormData()
  form.append('file', file, name)
  const where = changeRequest === undefined ? '' : `/change-requests/${changeRequest}`
  const response = await fetch(`/v1/spaces/${spaceId}${where}/content?compat=false`, {
    method: 'POST',
    headers: { 'X-Requested-By': 'desk' },
    body: form,
  }).catch(() => {
    throw new ApiError(0, '')
  })
  const answer = (await response.json().catch(() => null)) as Partial<Schemas['ContentWritten']> | null
  if (!response.ok) throw failure(response, answer)
  return answer?.insertedFiles?.[0]?.path ?? ''
}

/** Finds the caller's newest draft that touches a page, or creates one. Throws `ApiError`. */
export async function startChange(
  spaceId: string,
  pageId: string,
  user: string,
  subject: string,
): Promise<Schemas['ChangeRequest']> {
  const drafts = await body(
    api.GET('/v1/spaces/{spaceId}/change-requests', {
      params: { path: { spaceId }, query: { status: 'draft', contributor: user, limit: MAX_DRAFTS } },
    }),
  )
  for (const draft of drafts.items) if (await touches(spaceId, draft.id, pageId)) return draft
  return body(api.POST('/v1/spaces/{spaceId}/change-requests', { params: { path: { spaceId } }, body: { subject } }))
}

/** Maximum number of the user's drafts that are searched for one that changes the page. */
const MAX_DRAFTS = 10

async function touches(spaceId: string, changeRequestId: string, pageId: string): Promise<boolean> {
  const changes = await full(
    api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes', {
      params: { path: { spaceId, changeRequestId } },
    }),
  ).catch(() => null)
  return changes !== null && JSON.stringify(changes.data).includes(`"${pageId}"`)
}

/**
 * The way on: `again` = the writer may save here after all, `change-request` = in another change request, `suggest` =
 * as suggestions on the blocks. `suggest-in` = as suggestions in a change request of others, because only people who may
 * edit can create one. `none` = the text can be copied.
 */
export type WayOn = 'again' | 'change-request' | 'suggest' | 'suggest-in' | 'none'

/** Maximum number of change requests that are offered for suggestions. */
const MAX_OFFERED = 20

/** Loads the newest open change requests of a space. Throws `ApiError`. */
export const openRequests = async (spaceId: string): Promise<readonly Schemas['ChangeRequest'][]> =>
  (
    await body(
      api.GET('/v1/spaces/{spaceId}/change-requests', {
        params: { path: { spaceId }, query: { status: 'open', limit: MAX_OFFERED } },
      }),
    )
  ).items

/** Asks the server what the writer may still do in a place. Without an answer: nothing. */
export async function findWayOn({ spaceId, changeRequest: changeRequestId }: Place): Promise<WayOn> {
  try {
    const { permissions, editMode } = await body(api.GET('/v1/spaces/{spaceId}', { params: { path: { spaceId } } }))
    if (editMode === 'locked' || !permissions.comment) return 'none'
    if (changeRequestId === undefined) return permissions.edit ? 'change-request' : 'suggest-in'
    const { status } = await body(
      api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
        params: { path: { spaceId, changeRequestId } },
      }),
    )
    const isActive = status === 'open' || status === 'draft'
    if (permissions.edit) return isActive ? 'again' : 'change-request'
    return isActive ? 'suggest' : 'none'
  } catch (error) {
    if (error instanceof ApiError) return 'none'
    throw error
  }
}
