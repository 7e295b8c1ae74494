/** The parts around the conflicts: the bar with the final step, the list of files, the instructions for Git. */
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { setQuery } from '../route.js'
import type { Space } from '../space/space.js'
import { Ribbon } from '../shell/frame.js'
import { Icon } from '../shell/icons.js'
import { Chip } from '../shell/notes.js'
import { fill, plural, words } from '../words/index.js'
import { fileName, isPicture, shortKind } from './names.js'
import type { PreviewProps } from './preview.js'
import type { ConflictScreen } from './use-conflicts.js'
import { conflictWords } from './words.js'

/** The bar with the state, the views and the final step. */
export function ConflictRibbon({ screen, title, href }: { screen: ConflictScreen; title: string; href: string }) {
  const { work, view, canEdit, canMerge, isPreview } = screen
  const left = work.left.value
  const w = conflictWords()
  const state = work.state.value
  const hasConflicts = (state?.count ?? 0) > 0
  return (
    <>
      <Ribbon
        in="conflict"
        head={
          <>
            <a class="icb s" href={href} aria-label={words().common.back}>
              <Icon name="back" />
            </a>
            <h1>{title}</h1>
            {hasConflicts && (
              <Chip tone={left > 0 ? 'wait' : 'good'} icon={left > 0 ? 'warn' : 'check'}>
                {left > 0 ? plural(w.left, left) : w.allDecided}
              </Chip>
            )}
            <span class="r-sub hide-m">
              {hasConflicts && (state?.host === undefined ? w.untouchedRequest : w.untouched)}
            </span>
          </>
        }
        end={
          hasConflicts ? (
            <>
              {/* biome-ignore lint/a11y/useSemanticElements: two buttons, no form */}
              <div class="seg hide-s" role="group" aria-label={w.view}>
                <button type="button" aria-pressed={view === 'rendered'} onClick={() => setQuery({ view: null })}>
                  {w.rendered}
                </button>
                <button type="button" aria-pressed={view === 'source'} onClick={() => setQuery({ view: 'source' })}>
                  {w.source}
                </button>
              </div>
              <button type="button" class="btn" onClick={() => void (isPreview.value = true)}>
                <Icon name="eye" />
                {w.preview}
              </button>
              <button
                type="button"
                class="btn primary"
                aria-disabled={left > 0 || !canEdit}
                aria-busy={screen.isSaving.value}
                aria-describedby="conflicts-left"
                aria-keyshortcuts="Control+Enter Meta+Enter"
                onClick={() => void screen.finish()}
              >
                <Icon name="check" />
                {canMerge ? w.finishMerge : w.finish}
              </button>
              <span class="vh" id="conflicts-left">
                {left > 0 ? plural(w.leftReason, left) : ''}
              </span>
            </>
          ) : undefined
        }
      />
      {isPreview.value && <LazyPreview screen={screen} />}
    </>
  )
}

/** The preview, whose code is loaded when it is opened. */
function LazyPreview(props: PreviewProps) {
  const [Preview, setPreview] = useState<FunctionComponent<PreviewProps> | null>(null)
  useEffect(() => void import('./preview.js').then((one) => setPreview(() => one.Preview)), [])
  return Preview && <Preview {...props} />
}

/** The list of files with their state, the help, and the instructions for Git. */
export function ConflictSide({ screen, space, number }: { screen: ConflictScreen; space: Space; number: string }) {
  const { work } = screen
  const current = screen.current.value
  const w = conflictWords()
  const stops = work.stops.value
  const branch = `change-requests/${number}`
  return (
    <>
      <nav class="tree" aria-label={w.list}>
        <div class="nav-h" id="conflict-list">
          {fill(w.decided, { done: stops.length - work.left.value, all: stops.length })}
        </div>
        <ul class="t" aria-labelledby="conflict-list">
          {(work.state.value?.conflicts ?? []).map((conflict, index) => {
            const own = [...stops.entries()].filter(([, stop]) => stop.conflict === conflict)
            const isDone = own.every(([, stop]) => work.isDone(stop))
            const open = own.find(([, stop]) => !work.isDone(stop)) ?? own[0]
            const at = own.findIndex(([one]) => one === current)
            const note =
              own.length > 1 ? fill(w.ofParts, { at: Math.max(0, at) + 1, all: own.length }) : shortKind(conflict)
            return (
              <li key={conflict.key}>
                <a
                  href={`/s/${space.id}/c/${number}/conflicts/${index + 1}`}
                  aria-current={at >= 0 ? 'page' : undefined}
                  onClick={(event) => {
                    event.preventDefault()
                    if (open) screen.show(open[0])
                  }}
                >
                  <span
                    class={`mk ${isDone ? 'n' : 'c'}`}
                    role="img"
                    aria-label={isDone ? w.done : w.toDecide}
                    title={isDone ? w.done : w.toDecide}
                  >
                    {isDone ? '✓' : '!'}
                  </span>
                  <span>{isPicture(conflict) ? (conflict.path.split('/').at(-1) ?? '') : fileName(conflict)}</span>
                  <span class="muted sm">{note}</span>
                </a>
              </li>
            )
          })}
        </ul>
      </nav>
      <div class="nav-h">{w.how}</div>
      <p class="sm ink2">{w.howText}</p>
      <details class="sm">
        <summary>{w.withGit}</summary>
        <p class="ink2">{w.withGitText}</p>
        <pre class="code">
          {`git clone ${location.origin}/git/${space.id}.git\ngit switch ${branch}\ngit merge origin/main\ngit push origin ${branch}`}
        </pre>
      </details>
    </>
  )
}
