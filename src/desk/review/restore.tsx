/** Restores a page, or a whole space, as it was in a revision. */
import { ApiError, api, body } from '../api/client.js'
import { reload } from '../api/data.js'
import { open } from '../route.js'
import { Dialog } from '../shell/dialog.js'
import { inWords } from '../shell/time.js'
import { attempt, toast } from '../shell/toast.js'
import type { Space } from '../space/space.js'
import { fill } from '../words/index.js'
import { authorOf, type RevisionItem } from './revisions.js'
import { reviewWords } from './words.js'

const MAX_SUBJECT = 100

/** Asks for the way to restore, then restores. */
export function RestoreDialog({
  space,
  pageId,
  title,
  revision,
  onClose,
}: {
  space: Space
  pageId: string | null
  title: string
  revision: RevisionItem
  onClose: () => void
}) {
  const w = reviewWords().history
  const values = { time: inWords(revision.createdAt), author: authorOf(revision) }
  const run = (action: () => Promise<string>) => async (): Promise<void> => {
    const done = await attempt(async () => {
      const to = await action()
      toast(w.restored)
      open(to)
    })
    if (!done) return
    onClose()
    await reload(`space/${space.id}`)
  }
  const rollBack = async (): Promise<string> => {
    await body(
      api.POST('/v1/spaces/{spaceId}/rollback', {
        params: { path: { spaceId: space.id } },
        body: { revision: revision.id },
      }),
    )
    return `/s/${space.id}/history`
  }
  return (
    <Dialog
      title={pageId === null ? w.restoreSpaceTitle : w.restoreTitle}
      onClose={onClose}
      footer={
        pageId === null ? (
          <button type="button" class="btn primary" onClick={run(rollBack)}>
            {w.restore}
          </button>
        ) : (
          <>
            <button type="button" class="btn" onClick={run(() => restoreLive(space, pageId, revision))}>
              {w.now}
            </button>
            <button type="button" class="btn primary" onClick={run(() => restoreIn(space, pageId, title, revision))}>
              {w.inRequest}
            </button>
          </>
        )
      }
    >
      <p>{fill(w.restoreLead, values)}</p>
    </Dialog>
  )
}

/** Returns the change that gives a page the text of a revision. */
async function changesTo(space: Space, pageId: string, revision: RevisionItem) {
  const page = await body(
    api.GET('/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}', {
      params: {
        path: { spaceId: space.id, revisionId: revision.id, pageId },
        query: { computed: false, metadata: false },
      },
    }),
  )
  const markdown = 'markdown' in page ? String(page.markdown) : undefined
  if (markdown === undefined) throw new ApiError(404, reviewWords().history.missing)
  return { changes: [{ operation: 'update_page' as const, page: pageId, document: { markdown } }] }
}

async function restoreLive(space: Space, pageId: string, revision: RevisionItem): Promise<string> {
  const changes = await changesTo(space, pageId, revision)
  await body(api.POST('/v1/spaces/{spaceId}/content', { params: { path: { spaceId: space.id } }, body: changes }))
  return `/s/${space.id}/p/${pageId}`
}

async function restoreIn(space: Space, pageId: string, title: string, revision: RevisionItem): Promise<string> {
  const changes = await changesTo(space, pageId, revision)
  const subject = fill(reviewWords().history.restoredSubject, { page: title, time: inWords(revision.createdAt) })
  const params = { path: { spaceId: space.id } }
  const made = await body(
    api.POST('/v1/spaces/{spaceId}/change-requests', { params, body: { subject: subject.slice(0, MAX_SUBJECT) } }),
  )
  await body(
    api.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content', {
      params: { path: { spaceId: space.id, changeRequestId: made.id } },
      body: changes,
    }),
  )
  return `/s/${space.id}/c/${made.number}`
}
