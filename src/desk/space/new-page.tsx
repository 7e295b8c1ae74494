/** Starts a page: in a draft change request, or the first page of a space directly where that is allowed. */
import { useEffect, useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { reload } from '../api/data.js'
import { open } from '../route.js'
import { Dialog } from '../shell/dialog.js'
import { Field } from '../shell/fields.js'
import { attempt } from '../shell/toast.js'
import { fill, words } from '../words/index.js'
import { keyOf, type Page, type Place, type Space } from './space.js'

/** Whether the caller may start a page. */
export const mayStart = (space: Space): boolean => space.permissions.edit && space.editMode !== 'locked'

/** Creates the page and opens it in the editor. Throws `ApiError`. */
async function start(space: Space, pages: readonly Page[], title: string, after: string | undefined): Promise<void> {
  const spaceId = space.id
  const isFirst = pages.length === 0
  const { addPage, positionOf } = await import('../editor/contents.js')
  const isLive = isFirst && (space.requiredApprovals === 0 || space.permissions.admin)
  const request = isLive
    ? null
    : await body(
        api.POST('/v1/spaces/{spaceId}/change-requests', {
          params: { path: { spaceId } },
          body: { subject: fill(words().space.newPageSubject, { title }).slice(0, 100) },
        }),
      )
  const place: Place = { spaceId, ...(request ? { changeRequest: String(request.number) } : {}) }
  const made = await addPage(place, title, after === undefined ? null : positionOf(pages, after))
  await reload(`${keyOf(place)}/pages`)
  open(request ? `/s/${spaceId}/c/${request.number}/p/${made}` : `/s/${spaceId}/p/${made}/edit`)
}

/** Calls a function at Alt+N, also while a field has the focus. */
function useNewPageKey(run: (() => void) | null): void {
  useEffect(() => {
    if (!run) return
    const onKey = (event: KeyboardEvent): void => {
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== 'KeyN') return
      event.preventDefault()
      run()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

/** The button, and the dialog that asks for the title. `after`: the page before the new one. */
export function NewPage({
  space,
  pages,
  after,
  label,
  class: look,
}: {
  space: Space
  pages: readonly Page[]
  after?: string | undefined
  label: string
  class: string
}) {
  const w = words().space
  const [title, setTitle] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const ask = (): void => setTitle((now) => now ?? '')
  useNewPageKey(ask)
  const submit = async (): Promise<void> => {
    const wanted = (title ?? '').trim()
    if (wanted === '' || isBusy) return
    setBusy(true)
    await attempt(() => start(space, pages, wanted, after))
    setBusy(false)
  }
  return (
    <>
      <button type="button" class={look} aria-keyshortcuts="Alt+N" onClick={ask}>
        {label} <kbd class="hide-m">Alt N</kbd>
      </button>
      {title !== null && (
        <Dialog
          title={label}
          onClose={() => setTitle(null)}
          footer={
            <button type="button" class="btn primary" aria-disabled={isBusy || title.trim() === ''} onClick={submit}>
              {w.startPage}
            </button>
          }
        >
          <div class="stack">
            <Field label={w.pageTitle} help={pages.length === 0 ? undefined : w.newPageHelp}>
              {(attributes) => (
                <input
                  class="in"
                  {...attributes}
                  maxLength={255}
                  value={title}
                  onInput={(event) => setTitle(event.currentTarget.value)}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter' && !event.isComposing) void submit()
                  }}
                />
              )}
            </Field>
          </div>
        </Dialog>
      )}
    </>
  )
}
