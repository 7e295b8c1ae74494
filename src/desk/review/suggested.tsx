/** A suggestion: the text that a reviewer proposes for a block, and the button that accepts it. */
import { useState } from 'preact/hooks'
import { api, body } from '../api/client.js'
import { reload } from '../api/data.js'
import { Icon } from '../shell/icons.js'
import { attempt, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'
import { rowsBetween } from './line-diff.js'
import { type Comment, keyOf, pathOf, type RequestView } from './request.js'
import { reviewWords } from './words.js'

/** Renders the suggestion of a comment, if it has one. */
export function Suggested({ view: { place, space, request }, comment }: { view: RequestView; comment: Comment }) {
  const w = reviewWords().comment
  const [isBusy, setBusy] = useState(false)
  const { suggestion } = comment
  if (!suggestion) return null
  const isActive = request.status === 'open' || request.status === 'draft'
  const accept = async (): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    const done = await attempt(() =>
      body(
        api.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/comments/{commentId}/accept', {
          params: { path: { ...pathOf(place), commentId: comment.id } },
        }),
      ),
    )
    if (done) toast(w.accepted)
    setBusy(false)
    await reload(keyOf(place))
  }
  return (
    <>
      <SuggestedText label={w.suggested} before={suggestion.original} after={suggestion.markdown} />
      {suggestion.acceptedAt === undefined ? (
        isActive &&
        space.permissions.edit && (
          <div class="acts">
            <button type="button" class="btn small primary" aria-disabled={isBusy} onClick={accept}>
              <Icon name="check" />
              {w.accept}
            </button>
          </div>
        )
      ) : (
        <p class="sm muted">{fill(w.acceptedBy, { name: suggestion.acceptedBy?.displayName ?? '' })}</p>
      )}
    </>
  )
}

/** The source of a block before and after a suggestion, with the changed words marked. */
export const SuggestedText = ({ label, before, after }: { label: string; before: string; after: string }) => (
  <div class="sug">
    <span class="vh">{label}</span>
    {rowsBetween(before, after).map(({ kind, parts }, at) => {
      const Mark = kind === 'old' ? 'del' : 'ins'
      return (
        <p key={at} class={kind} dir="auto">
          {parts.map(({ text, isMarked }, part) => (isMarked ? <Mark key={part}>{text}</Mark> : text))}
        </p>
      )
    })}
  </div>
)
