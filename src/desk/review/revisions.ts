/** The revisions of the main content, and two of them compared. */
import { api, body, type Schemas } from '../api/client.js'
import { type Loaded, useData } from '../api/data.js'
import { ALL_LINES, type Row } from './line-diff.js'
import { allRowsOf } from './request.js'

export type RevisionItem = Schemas['RevisionSummary']

/** Loads the newest revisions of a page or of the whole space. */
export const useRevisions = (spaceId: string, pageId: string | null, limit: number) =>
  useData(`space/${spaceId}/history/${pageId ?? ''}/${limit}`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/revisions', {
        params: { path: { spaceId }, query: { limit, ...(pageId === null ? {} : { pageId }) } },
      }),
    ),
  )

/** Two revisions: the later one, and the earlier one, which is its first parent by default. */
export interface Span {
  spaceId: string
  to: string
  from: string | null
}

const keyOf = ({ spaceId, to, from }: Span): string => `space/${spaceId}/compared/${from ?? ''}..${to}`
const queryOf = ({ from }: Span) => (from === null ? {} : { base: from })

/** Loads the list of changes between two revisions. A null span loads nothing. */
export const useSpanChanges = (span: Span | null): Loaded<Schemas['Changes']> =>
  useData(span && `${keyOf(span)}/changes`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/changes', {
        params: {
          path: { spaceId: span?.spaceId ?? '', revisionId: span?.to ?? '' },
          query: { limit: 1000, brief: true, ...(span ? queryOf(span) : {}) },
        },
      }),
    ),
  )

/** Loads the lines of a page that changed. */
export const useSpanSource = (span: Span, pageId: string): Loaded<Schemas['Changes']> =>
  useData(`${keyOf(span)}/source/${pageId}`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/changes', {
        params: {
          path: { spaceId: span.spaceId, revisionId: span.to },
          query: { pageId, diff: 'unified', ...queryOf(span) },
        },
      }),
    ),
  )

/** Loads all lines of a page, with those that changed. Throws `ApiError`, also if there are too many. */
export async function loadAllSpanLines(span: Span, pageId: string): Promise<readonly Row[]> {
  const query = { pageId, diff: 'unified' as const, context: ALL_LINES, ...queryOf(span) }
  const path = { spaceId: span.spaceId, revisionId: span.to }
  return allRowsOf(
    await body(api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/changes', { params: { path, query } })),
  )
}

/** Loads the blocks of a page that changed. */
export const useSpanPage = (span: Span, pageId: string): Loaded<Schemas['PageChanges']> =>
  useData(`${keyOf(span)}/page/${pageId}`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/changes/page/{pageId}', {
        params: { path: { spaceId: span.spaceId, revisionId: span.to, pageId }, query: queryOf(span) },
      }),
    ),
  )

/** Returns the first line of a commit message, or what the service did. */
export const titleOf = ({ git, mergedFrom }: RevisionItem): string =>
  mergedFrom?.subject || (git.message.split('\n', 1)[0] ?? '')

/** The name that the author of a revision has now, or the one that Git recorded. */
export const authorOf = ({ author }: RevisionItem): string => author?.displayName ?? ''
