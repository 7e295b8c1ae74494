/** The data of a change request that its screens show. */
import { ApiError, api, body, type Schemas } from '../api/client.js'
import { type Loaded, useData } from '../api/data.js'
import type { Space } from '../space/space.js'
import { ALL_LINES, type Row, rowsOf } from './line-diff.js'

export type ChangeRequest = Schemas['ChangeRequest']
export type Change = Schemas['Change']
export type Comment = Schemas['Comment']
export type PageChanges = Schemas['PageChanges']
export type ChangedBlock = PageChanges['blocks'][number]

/** A change request in the path of a screen: the ID of its space and its number. */
export interface RequestPlace {
  spaceId: string
  number: string
}

/** The data that the screens of a change request share. */
export interface RequestView {
  place: RequestPlace
  space: Space
  request: ChangeRequest
}

/** The prefix of the keys of its data. `reload(keyOf(place))` loads all of it again. */
export const keyOf = ({ spaceId, number }: RequestPlace): string => `space/${spaceId}/c/${number}/review`

/** The path parameters of its endpoints. */
export const pathOf = ({ spaceId, number }: RequestPlace) => ({ spaceId, changeRequestId: number })

/** The address of a screen of it. */
export const hrefOf = ({ spaceId, number }: RequestPlace, rest = ''): string => `/s/${spaceId}/c/${number}${rest}`

const at = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}' as const
const MAX_ITEMS = 1000

/** Loads the change request. */
export const useRequest = (place: RequestPlace): Loaded<ChangeRequest> =>
  useData(`${keyOf(place)}/request`, () => body(api.GET(at, { params: { path: pathOf(place) } })))

/** Loads the list of changes, without reading the changed pages. */
export const useChanges = (place: RequestPlace): Loaded<Schemas['Changes']> =>
  useData(`${keyOf(place)}/changes`, () =>
    body(api.GET(`${at}/changes`, { params: { path: pathOf(place), query: { limit: MAX_ITEMS, brief: true } } })),
  )

/** Loads the changed attributes of one page. */
export const useDetails = (place: RequestPlace, pageId: string | null): Loaded<Schemas['Changes']> =>
  useData(pageId === null ? null : `${keyOf(place)}/details/${pageId}`, () =>
    body(api.GET(`${at}/changes`, { params: { path: pathOf(place), query: { pageId: pageId ?? '' } } })),
  )

/** Loads the lines that changed in one page. */
export const useSourceChanges = (place: RequestPlace, pageId: string | null): Loaded<Schemas['Changes']> =>
  useData(pageId === null ? null : `${keyOf(place)}/source/${pageId}`, () =>
    body(
      api.GET(`${at}/changes`, {
        params: { path: pathOf(place), query: { pageId: pageId ?? '', diff: 'unified' } },
      }),
    ),
  )

/** Returns the rows of the first diff in a list of changes. Throws `ApiError` with the reason if it is omitted. */
export function allRowsOf({ changes }: Schemas['Changes']): Row[] {
  const diff = changes.map((change) => ('diff' in change ? change.diff : undefined)).find((one) => one)
  if (diff?.unified === undefined) throw new ApiError(400, diff?.omitted ?? '')
  return rowsOf(diff.unified).filter(({ kind }) => kind !== 'gap')
}

/** Loads all lines of a page, with those that changed. Throws `ApiError`, also if there are too many. */
export async function loadAllLines(place: RequestPlace, pageId: string): Promise<readonly Row[]> {
  const query = { pageId, diff: 'unified' as const, context: ALL_LINES }
  return allRowsOf(await body(api.GET(`${at}/changes`, { params: { path: pathOf(place), query } })))
}

/** Loads the changed blocks of one page. */
export const usePageChanges = (place: RequestPlace, pageId: string | null): Loaded<PageChanges> =>
  useData(pageId === null ? null : `${keyOf(place)}/page/${pageId}`, () =>
    body(api.GET(`${at}/changes/page/{pageId}`, { params: { path: { ...pathOf(place), pageId: pageId ?? '' } } })),
  )

/** Loads the comments, oldest first. */
export const useComments = (place: RequestPlace): Loaded<Schemas['CommentList']> =>
  useData(`${keyOf(place)}/comments`, () =>
    body(
      api.GET(`${at}/comments`, {
        params: { path: pathOf(place), query: { limit: MAX_ITEMS, order: 'asc', format: 'document' } },
      }),
    ),
  )

/** Loads the replies to a comment. */
export const useReplies = (place: RequestPlace, comment: Comment): Loaded<Schemas['CommentReplyList']> =>
  useData(comment.replies === 0 ? null : `${keyOf(place)}/replies/${comment.id}/${comment.replies}`, () =>
    body(
      api.GET(`${at}/comments/{commentId}/replies`, {
        params: {
          path: { ...pathOf(place), commentId: comment.id },
          query: { limit: MAX_ITEMS, format: 'document' },
        },
      }),
    ),
  )

/** Loads the reviews, and the users who were asked for one. */
export const useReviews = (place: RequestPlace) =>
  useData(`${keyOf(place)}/reviews`, async () => {
    const params = { path: pathOf(place), query: { limit: MAX_ITEMS } }
    const [reviews, requested] = await Promise.all([
      body(api.GET(`${at}/reviews`, { params })),
      body(api.GET(`${at}/requested-reviewers`, { params })),
    ])
    return { reviews: reviews.items, requested: requested.items }
  })

/** Loads the links that the change breaks. */
export const useBrokenLinks = (place: RequestPlace) =>
  useData(`${keyOf(place)}/links`, () =>
    body(api.GET(`${at}/links`, { params: { path: pathOf(place), query: { status: 'broken', limit: 200 } } })),
  )

/** A changed page with its kinds of changes. A page can be both moved and edited. */
export interface ChangedPage {
  id: string
  title: string
  file: string
  mark: 'new' | 'deleted' | 'edited' | 'moved'
  changes: Change[]
}

const ORDER = { page_created: 'new', page_deleted: 'deleted', page_edited: 'edited', page_moved: 'moved' } as const

/** Groups the changes of pages, in the order of the table of contents. */
export function changedPages(changes: readonly Change[]): ChangedPage[] {
  const found = new Map<string, ChangedPage>()
  for (const change of changes) {
    if (!('page' in change)) continue
    const { id, title, path, file } = change.page
    const known = found.get(id)
    const mark = ORDER[change.type]
    if (known) {
      known.changes.push(change)
      if (known.mark === 'moved') known.mark = mark
    } else found.set(id, { id, title, file: file ?? path, mark, changes: [change] })
  }
  return [...found.values()]
}
