/** The pages that the reader has viewed. The server keeps them; a page that changes again has not been viewed. */
import { ApiError, api, body, type Schemas } from '../api/client.js'
import { type Loaded, put, reload, useData } from '../api/data.js'
import { explain, toast } from '../shell/toast.js'
import { keyOf, pathOf, type RequestPlace } from './request.js'

type Viewed = Schemas['ViewedPages']

const at = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/viewed' as const
const keyOfViewed = (place: RequestPlace): string => `${keyOf(place)}/viewed`

/** Loads the pages that the reader has viewed. */
export const useViewed = (place: RequestPlace): Loaded<Viewed> =>
  useData(keyOfViewed(place), () => body(api.GET(at, { params: { path: pathOf(place) } })))

/** Returns the state of a page for the reader: viewed, changed since they viewed it, or new. */
export function viewOf(viewed: Viewed | undefined, page: string): 'viewed' | 'changed' | 'new' {
  const found = viewed?.pages.find((one) => one.page === page)
  return found ? (found.current ? 'viewed' : 'changed') : 'new'
}

/** Marks a version of a page as viewed, or not. The mark appears at once, and goes again if the server refuses it. */
export async function setViewed(
  place: RequestPlace,
  before: Viewed,
  page: Pick<Schemas['PageChanges'], 'page' | 'version'>,
  viewed: boolean,
): Promise<void> {
  const { id } = page.page
  const others = before.pages.filter((one) => one.page !== id)
  const mark = { page: id, version: page.version, viewedAt: new Date().toISOString(), current: true }
  put<Viewed>(keyOfViewed(place), { pages: viewed ? [...others, mark] : others })
  const params = { path: { ...pathOf(place), pageId: id } }
  try {
    if (viewed) await body(api.PUT(`${at}/{pageId}`, { params, body: { version: page.version } }))
    else await body(api.DELETE(`${at}/{pageId}`, { params }))
  } catch (error) {
    put<Viewed>(keyOfViewed(place), before)
    toast(explain(error), { isBad: true })
    // The page has another version by now.
    if (error instanceof ApiError && error.status === 409) await reload(keyOf(place))
  }
}
