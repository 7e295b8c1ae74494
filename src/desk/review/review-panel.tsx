/** The reader's review: approve, request changes, or only comment. It names the revision on the screen. */
import { useRef, useState } from 'preact/hooks'
import { ApiError, api, body } from '../api/client.js'
import { reload } from '../api/data.js'
import { session } from '../api/session.js'
import { Field } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { explain, toast } from '../shell/toast.js'
import { keyOf, pathOf, type RequestView } from './request.js'
import { reviewWords } from './words.js'

const at = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}' as const

type Decision = 'approved' | 'changes-requested' | 'comment'

/** Renders the button and its panel. */
export function ReviewPanel({
  view: { place, space, request },
  seen,
  onSeen,
}: {
  view: RequestView
  seen: string
  onSeen: () => void
}) {
  const w = reviewWords().reviewing
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)
  const panel = useRef<HTMLDivElement>(null)
  const isOwn = session.value?.user.id === request.createdBy.id
  const mayReview = space.permissions.review && !isOwn
  const isNew = seen !== request.revision
  const send = async (decision: Decision): Promise<void> => {
    if (decision === 'comment' && text.trim() === '') return setError(w.needComment)
    const comment = text.trim() === '' ? {} : { comment: { markdown: text } }
    const params = { path: pathOf(place) }
    try {
      if (decision === 'comment') await body(api.POST(`${at}/comments`, { params, body: { body: { markdown: text } } }))
      else await body(api.POST(`${at}/reviews`, { params, body: { status: decision, revision: seen, ...comment } }))
    } catch (failed) {
      setError(explain(failed))
      if (failed instanceof ApiError && failed.status === 409) await reload(keyOf(place))
      return
    }
    setText('')
    setError(null)
    panel.current?.hidePopover()
    toast({ approved: w.approved, 'changes-requested': w.requested, comment: w.commented }[decision])
    await reload(keyOf(place))
  }
  return (
    <>
      <button type="button" class="btn a-review" popovertarget="m-review">
        {reviewWords().actions.review}
        <Icon name="down" />
      </button>
      <div class="pop" popover id="m-review" role="dialog" aria-label={w.title} ref={panel}>
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault()
            void send(mayReview ? 'approved' : 'comment')
          }}
        >
          <Field label={w.comment} error={error}>
            {(attributes) => (
              <textarea
                class="in"
                rows={3}
                placeholder={w.commentHelp}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
                onKeyDown={(event) =>
                  event.key === 'Enter' &&
                  (event.ctrlKey || event.metaKey) &&
                  !isNew &&
                  event.currentTarget.form?.requestSubmit()
                }
                {...attributes}
              />
            )}
          </Field>
          {isNew ? (
            <>
              <p class="help">{w.moved}</p>
              <button
                type="button"
                class="btn primary full"
                onClick={() => {
                  onSeen()
                  setError(null)
                  panel.current?.hidePopover()
                }}
              >
                <Icon name="eye" />
                {w.look}
              </button>
            </>
          ) : (
            mayReview && (
              <>
                <button type="submit" class="btn primary full" aria-keyshortcuts="Control+Enter Meta+Enter">
                  <Icon name="check" />
                  {w.approve} <kbd>Ctrl Enter</kbd>
                </button>
                <button type="button" class="btn full" onClick={() => send('changes-requested')}>
                  <Icon name="edit" />
                  {w.requestChanges}
                </button>
              </>
            )
          )}
          <button type="button" class={`btn full ${mayReview ? 'quiet' : 'primary'}`} onClick={() => send('comment')}>
            <Icon name="comment" />
            {w.onlyComment}
          </button>
          {mayReview && <p class="help">{w.help}</p>}
        </form>
      </div>
    </>
  )
}
