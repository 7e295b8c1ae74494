/** Asks for a review: the subject, the reason, the reviewers. It opens the draft. */
import { useEffect, useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload, useData } from '../api/data.js'
import { session } from '../api/session.js'
import { open } from '../route.js'
import { Dialog } from '../shell/dialog.js'
import { Field } from '../shell/fields.js'
import { attempt, toast } from '../shell/toast.js'
import { plural, words } from '../words/index.js'
import type { Writing } from './writing.js'
import { editorWords } from './words.js'

type User = Schemas['User']

/** Roles that may review. */
const REVIEWERS: ReadonlySet<string | null> = new Set(['review', 'create', 'admin'])

/** Lists the people who may be asked, at most 100. */
async function loadReviewers(organizationId: string): Promise<User[]> {
  const { items } = await body(
    api.GET('/v1/orgs/{organizationId}/members', { params: { path: { organizationId }, query: { limit: 100 } } }),
  )
  return items
    .filter(({ role, user }) => REVIEWERS.has(role) && user.id !== session.peek()?.user.id)
    .map(({ user }) => user)
}

export function Ask({
  writing,
  organizationId,
  pages,
  onClose,
}: {
  writing: Writing
  organizationId: string
  pages: number
  onClose: () => void
}) {
  const w = editorWords().ask
  const request = writing.changeRequest.value
  const [subject, setSubject] = useState(request?.subject ?? '')
  const [reason, setReason] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [isBusy, setBusy] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const reviewers = useData(`reviewers/${organizationId}`, () => loadReviewers(organizationId))
  useEffect(() => setSubject(request?.subject ?? ''), [request?.id])
  useSendKey(() => void send())
  const send = async (): Promise<void> => {
    if (subject.trim() === '') return setMissing(true)
    setBusy(true)
    const sent = await attempt(() => openRequest(writing, subject.trim(), reason.trim(), chosen))
    setBusy(false)
    if (!sent) return
    toast(w.done)
    onClose()
    const { spaceId, changeRequest } = writing.place.value
    open(`/s/${spaceId}/c/${changeRequest}`)
  }
  return (
    <Dialog
      title={w.title}
      onClose={onClose}
      footer={
        <>
          <span class="grow" />
          <button type="button" class="btn quiet" onClick={onClose}>
            {words().common.cancel}
          </button>
          <button
            type="button"
            class="btn primary"
            aria-keyshortcuts="Control+Enter Meta+Enter"
            aria-busy={isBusy}
            disabled={isBusy}
            onClick={() => void send()}
          >
            {chosen.length === 0 ? w.open : plural(w.send, chosen.length)} <kbd class="hide-m">Ctrl Enter</kbd>
          </button>
        </>
      }
    >
      <div class="stack">
        <Field label={w.subject} help={w.subjectHelp} error={isMissing ? w.subjectMissing : null}>
          {(attributes) => (
            <input
              class="in"
              {...attributes}
              maxLength={100}
              value={subject}
              onInput={(event) => {
                setSubject(event.currentTarget.value)
                setMissing(false)
              }}
            />
          )}
        </Field>
        <Field label={`${w.reason} (${words().common.optional})`}>
          {(attributes) => (
            <textarea
              class="in"
              {...attributes}
              rows={3}
              maxLength={10_000}
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          )}
        </Field>
        <fieldset class="stack s">
          <legend class="lab">{w.reviewers}</legend>
          {reviewers.value?.map(({ id, displayName, email }) => (
            <label class="check" key={id}>
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={(event) =>
                  setChosen(event.currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
                }
              />
              <span>
                {displayName} <span class="muted">{email}</span>
              </span>
            </label>
          ))}
          {(reviewers.error !== undefined || reviewers.value?.length === 0) && <p class="help">{w.noReviewers}</p>}
        </fieldset>
        {pages > 0 && <p class="sm ink2">{plural(w.pages, pages)}</p>}
      </div>
    </Dialog>
  )
}

/** Ctrl+Enter or Cmd+Enter sends. */
function useSendKey(send: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') send()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

async function openRequest(writing: Writing, subject: string, reason: string, users: readonly string[]): Promise<void> {
  await writing.settled()
  const { spaceId, changeRequest: changeRequestId = '' } = writing.place.value
  const path = { spaceId, changeRequestId }
  writing.changeRequest.value = await body(
    api.PATCH('/v1/spaces/{spaceId}/change-requests/{changeRequestId}', {
      params: { path },
      body: { subject, status: 'open', ...(reason === '' ? {} : { description: { markdown: reason } }) },
    }),
  )
  if (users.length > 0)
    await body(
      api.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/requested-reviewers', {
        params: { path },
        body: { users: [...users] },
      }),
    )
  await reload(`space/${spaceId}/`)
}
