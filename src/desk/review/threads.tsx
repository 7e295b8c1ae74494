/** Comments with their replies. Typed text is kept if the server rejects it. */
import { useState } from 'preact/hooks'
import { api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import { session } from '../api/session.js'
import { Icon } from '../shell/icons.js'
import { Chip } from '../shell/notes.js'
import { Avatar } from '../shell/people.js'
import { Time } from '../shell/time.js'
import { attempt, explain, toast } from '../shell/toast.js'
import { fill, plural, words } from '../words/index.js'
import { type Comment, keyOf, pathOf, useReplies, type RequestView } from './request.js'
import { Suggested } from './suggested.js'
import { TreeText } from './tree-text.js'
import { reviewWords } from './words.js'

const at = '/v1/spaces/{spaceId}/change-requests/{changeRequestId}' as const
type Post = Comment | Schemas['CommentReply']

/** Renders a thread. A resolved thread is collapsed to one line. */
export function Thread({ view, comment }: { view: RequestView; comment: Comment }) {
  const w = reviewWords().comment
  if (comment.status === 'open')
    return (
      <div class="thread open" id={`comment-${comment.id}`}>
        <Posts view={view} comment={comment} />
      </div>
    )
  return (
    <div class="thread" id={`comment-${comment.id}`}>
      <details>
        <summary class="row sm">
          <Icon name="right" class="tw" />
          <span class="grow">{plural(w.by, comment.replies + 1, { name: comment.postedBy.displayName })}</span>
          <Chip tone="good" icon="check">
            {w.resolved}
          </Chip>
        </summary>
        <Posts view={view} comment={comment} />
      </details>
    </div>
  )
}

function Posts({ view, comment }: { view: RequestView; comment: Comment }) {
  const replies = useReplies(view.place, comment).value?.items ?? []
  const w = reviewWords().comment
  const { page, node } = comment.target
  return (
    <>
      {page?.outdated === true && (
        <p class="sm muted">
          {w.outdated}
          {node && `: ${fill(w.about, { text: node.preview })}`}
        </p>
      )}
      {[comment, ...replies].map((post) => (
        <PostText key={post.id} post={post} />
      ))}
      <Suggested view={view} comment={comment} />
      <ThreadActions view={view} comment={comment} />
    </>
  )
}

const PostText = ({ post }: { post: Post }) => (
  <div class="cm">
    <header>
      <Avatar name={post.postedBy.displayName} size="s" />
      <b>{post.postedBy.displayName}</b>
      <Time iso={post.postedAt} />
    </header>
    <div class="stack s">
      <TreeText tree={'document' in post.body ? post.body.document : null} />
    </div>
  </div>
)

function ThreadActions({ view: { place, space }, comment }: { view: RequestView; comment: Comment }) {
  const w = reviewWords().comment
  const [isReplying, setReplying] = useState(false)
  const params = { path: { ...pathOf(place), commentId: comment.id } }
  const isOwn = comment.postedBy.id === session.value?.user.id
  const isOpen = comment.status === 'open'
  const setResolved = (resolved: boolean) => async (): Promise<void> => {
    await body(api.PUT(`${at}/comments/{commentId}`, { params, body: { resolved } }))
    await reload(keyOf(place))
  }
  const resolve = (): void =>
    void attempt(async () => {
      await setResolved(isOpen)()
      if (isOpen) toast(w.resolvedToast, { undo: setResolved(false) })
    })
  const remove = (): void =>
    void attempt(async () => {
      await api.DELETE(`${at}/comments/{commentId}`, { params })
      await reload(keyOf(place))
    })
  const reply = async (markdown: string): Promise<void> => {
    await body(api.POST(`${at}/comments/{commentId}/replies`, { params, body: { body: { markdown } } }))
    await reload(keyOf(place))
    setReplying(false)
  }
  if (isReplying)
    return <Composer label={w.reply} send={w.replySend} onSend={reply} onCancel={() => setReplying(false)} />
  return (
    <div class="acts">
      {comment.permissions.reply && (
        <button type="button" class="btn small" onClick={() => setReplying(true)}>
          {w.reply}
        </button>
      )}
      {(space.permissions.edit || isOwn) && (
        <button type="button" class="btn small quiet" onClick={resolve}>
          {isOpen ? w.resolve : w.reopen}
        </button>
      )}
      {isOwn && comment.permissions.delete && comment.replies === 0 && (
        <button type="button" class="btn small quiet" onClick={remove}>
          {w.delete}
        </button>
      )}
    </div>
  )
}

/** A field for a comment or a reply. Ctrl+Enter sends it, Esc closes it if it is empty. */
export function Composer({
  label,
  send,
  initial = '',
  help = reviewWords().comment.help,
  source,
  onSend,
  onCancel,
}: {
  label: string
  send: string
  initial?: string
  help?: string
  /** The source of the block, if another text can be suggested for it. */
  source?: string
  /** Sends the text. If it fails, the error is shown and the text is kept. */
  onSend: (markdown: string, suggestion?: string) => Promise<void>
  onCancel: () => void
}) {
  const [text, setText] = useState(initial)
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [proposed, setProposed] = useState<string | null>(null)
  const submit = async (): Promise<void> => {
    if (text.trim() === '' || isBusy) return
    setBusy(true)
    try {
      await onSend(text, proposed !== null && proposed !== source ? proposed : undefined)
    } catch (failed) {
      setError(explain(failed))
    }
    setBusy(false)
  }
  return (
    <form
      class="stack s"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <textarea
        class="in"
        rows={3}
        aria-label={label}
        placeholder={help}
        value={text}
        ref={(field) => {
          if (field && !field.dataset.focused) {
            field.dataset.focused = 'true'
            field.focus({ preventScroll: true })
          }
        }}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit()
          if (event.key === 'Escape' && text === initial) onCancel()
        }}
      />
      {proposed !== null && (
        <label class="stack s">
          <span class="sm">{reviewWords().comment.suggested}</span>
          <textarea
            class="in mono"
            rows={4}
            value={proposed}
            onInput={(event) => setProposed(event.currentTarget.value)}
          />
          <span class="help">{reviewWords().comment.suggestHelp}</span>
        </label>
      )}
      {error !== null && (
        <p class="help bad" role="alert">
          {error}
        </p>
      )}
      <div class="row">
        <button type="submit" class="btn small primary" aria-disabled={text.trim() === '' || isBusy}>
          {send}
        </button>
        {source !== undefined && proposed === null && (
          <button type="button" class="btn small quiet" onClick={() => setProposed(source)}>
            <Icon name="edit" />
            {reviewWords().comment.suggest}
          </button>
        )}
        <button type="button" class="btn small quiet" onClick={onCancel}>
          {words().common.cancel}
        </button>
      </div>
    </form>
  )
}
