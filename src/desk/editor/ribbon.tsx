/** The ribbon of the editor: the location, the save state, the other writers, and the next step. */
import { Ribbon } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Chip } from '../shell/notes.js'
import { Avatar } from '../shell/people.js'
import { attempt } from '../shell/toast.js'
import { fill, words } from '../words/index.js'
import { SaveState } from './save-notes.js'
import type { Writing } from './writing.js'
import { editorWords } from './words.js'

/** The parts that are shown. */
export type ViewName = 'source' | 'both' | 'preview'

export function EditorRibbon({
  writing,
  isMounted,
  view,
  show,
  changed,
  ask,
}: {
  writing: Writing
  isMounted: boolean
  view: ViewName
  show: (view: ViewName) => void
  /** The number of changed pages. */
  changed: number
  ask: () => void
}) {
  const w = editorWords()
  const { spaceId, changeRequest: number } = writing.place.value
  const request = writing.changeRequest.value
  const back = request ? `/s/${spaceId}/c/${number}` : `/s/${spaceId}/p/${writing.input.page.id}`
  return (
    <Ribbon
      in={request ? 'change' : 'main'}
      head={
        <>
          <a
            class="icb s"
            href={back}
            aria-label={request ? fill(w.backToRequest, { number: request.number }) : w.back}
          >
            <Icon name="back" />
          </a>
          <span class="r-title">
            {request ? `#${request.number} ${request.subject}` : fill(w.title, { page: writing.input.page.title })}
          </span>
          {request ? (
            <Chip tone="on" icon="edit">
              {request.status === 'draft' ? w.draft : w.open}
            </Chip>
          ) : (
            <Chip icon="check">{words().space.mainContent}</Chip>
          )}
          {isMounted && <SaveState writing={writing} />}
        </>
      }
      end={
        <>
          <People writing={writing} />
          <fieldset class="seg hide-s" aria-label={w.view}>
            {(['source', 'both', 'preview'] as const).map((name) => (
              <button type="button" key={name} aria-pressed={view === name} onClick={() => show(name)}>
                {w[name]}
              </button>
            ))}
          </fieldset>
          {request ? (
            <>
              <a class="btn" href={back}>
                {w.whatChanged} {changed > 0 && <span class="count">{changed}</span>}
              </a>
              {!writing.input.suggests && (
                <button type="button" class="btn primary" onClick={ask}>
                  {w.askForReview}
                </button>
              )}
            </>
          ) : (
            <button type="button" class="btn" onClick={() => void attempt(() => writing.startChange())}>
              <Icon name="request" />
              {w.toChange}
            </button>
          )}
        </>
      }
    />
  )
}

/** The other people on the page, with a warning if one of them is in the same paragraph. */
function People({ writing }: { writing: Writing }) {
  const w = editorWords()
  const people = writing.people.value
  const [first] = people
  if (!first) return null
  const name = first.user.displayName
  const isNear = first.line !== null && Math.abs(first.line - writing.line.value) <= 1
  return (
    <span class="who hide-s" role="status" title={people.map((one) => one.user.displayName).join(', ')}>
      {people.slice(0, 3).map(({ editor, user }) => (
        <Avatar key={editor} name={user.displayName} size="s" />
      ))}
      <span class="sm hide-m">
        {isNear
          ? fill(w.sameBlock, { name })
          : first.line === null
            ? fill(w.isHere, { name })
            : fill(w.isOnLine, { name, line: first.line })}
      </span>
    </span>
  )
}
