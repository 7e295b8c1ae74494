/** The command box: search across spaces, change requests of the open space, and commands. */
import { Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { open } from '../route.js'
import { Icon } from '../shell/icons.js'
import { closePanel } from '../shell/panels.js'
import { plural, words } from '../words/index.js'
import { moreWords } from '../words/more.js'
import { type Found, type Group, groupsFor } from './palette-results.js'

/** Time without a key press in milliseconds, after which the search starts. */
const PAUSE_MS = 80

interface Results {
  groups: readonly Group[]
  /** Whether not all pages could be searched. */
  isPartial: boolean
}

/** Returns the results for a text, and whether they belong to an earlier text. */
function useResults(text: string): Results & { isLoading: boolean } {
  const [shown, setShown] = useState<Results & { text: string }>({ text: '', groups: [], isPartial: false })
  useEffect(() => {
    let isCurrent = true
    const timer = setTimeout(
      () => void groupsFor(text, (groups, isPartial) => isCurrent && setShown({ text, groups, isPartial })),
      text === '' ? 0 : PAUSE_MS,
    )
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [text])
  return { ...shown, isLoading: shown.text !== text }
}

export function Palette() {
  const w = words()
  const element = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { groups, isPartial, isLoading } = useResults(text)
  const all = groups.flatMap(({ items }) => items)
  const at = Math.min(chosen, Math.max(0, all.length - 1))
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  useEffect(() => void document.getElementById(`pal-${at}`)?.scrollIntoView({ block: 'nearest' }), [at])
  // If Enter is pressed before the results arrive, it waits for them.
  const awaited = useRef<{ inNewTab: boolean } | null>(null)
  const run = (one: Found | undefined, inNewTab: boolean): void => {
    if (!one) return
    if (one.href !== undefined && inNewTab) return void window.open(one.href, '_blank', 'noopener')
    element.current?.close()
    if (one.href !== undefined) open(one.href)
    else one.run?.()
  }
  useEffect(() => {
    if (isLoading || awaited.current === null) return
    const { inNewTab } = awaited.current
    awaited.current = null
    run(all[0], inNewTab)
  }, [isLoading])
  const onKey = (event: KeyboardEvent): void => {
    // An Enter that ends a composition selects a word, not a result.
    if (event.isComposing || event.keyCode === 229) return
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key]
    if (to !== undefined && all.length > 0) setChosen((to + all.length) % all.length)
    else if (event.key === 'Enter') {
      const inNewTab = event.ctrlKey || event.metaKey
      if (isLoading) awaited.current = { inNewTab }
      else run(all[at], inNewTab)
    } else return
    event.preventDefault()
  }
  return (
    <dialog ref={element} id="palette" aria-label={w.common.find} onClose={closePanel}>
      <div class="pal-in">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded={all.length > 0}
          aria-controls="pal-list"
          aria-activedescendant={all.length > 0 ? `pal-${at}` : undefined}
          aria-label={w.common.find}
          autocomplete="off"
          spellcheck={false}
          maxLength={200}
          placeholder={w.common.find}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            awaited.current = null
            setChosen(0)
          }}
          onKeyDown={onKey}
        />
        <button type="button" class="kbd-button" aria-label={w.common.close} onClick={() => element.current?.close()}>
          <kbd>Esc</kbd>
        </button>
      </div>
      <div class="pal-list" id="pal-list" role="listbox" aria-label={moreWords().find.results}>
        <ResultList groups={groups} chosen={at} run={run} />
      </div>
      {all.length === 0 && !isLoading && text.trim() !== '' && <p class="pal-none muted">{moreWords().find.none}</p>}
      {isPartial && !isLoading && (
        <p class="pal-none muted" role="status">
          {moreWords().find.partial}
        </p>
      )}
      <div class="pal-foot">
        <span role="status">{isLoading ? w.common.loading : plural(moreWords().find.count, all.length)}</span>
        <span class="grow" />
        <span class="hide-s">
          <kbd>↑</kbd> <kbd>↓</kbd> {moreWords().find.choose}
        </span>
        <span class="hide-s">
          <kbd>Enter</kbd> {moreWords().find.open}
        </span>
        <span class="hide-s">
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> {moreWords().find.newTab}
        </span>
        <span class="hide-s">
          <kbd>&gt;</kbd> {moreWords().find.commandsOnly}
        </span>
      </div>
    </dialog>
  )
}

interface ListProps {
  groups: readonly Group[]
  chosen: number
  run: (one: Found, inNewTab: boolean) => void
}

function ResultList({ groups, chosen, run }: ListProps) {
  let number = -1
  return (
    <>
      {groups.map(({ title, items }) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options in a list box.
        <div role="group" aria-label={title} key={title}>
          <div class="pal-h" aria-hidden="true">
            {title}
          </div>
          {items.map((one) => {
            number++
            return (
              // The field has the focus and the keys; options are for the pointer.
              // biome-ignore lint/a11y/useFocusableInteractive: see above.
              // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
              <div
                class="opt-i"
                role="option"
                id={`pal-${number}`}
                aria-selected={number === chosen}
                key={one.key}
                onClick={(event) => run(one, event.ctrlKey || event.metaKey)}
              >
                <Icon name={one.icon} />
                <span class="grow">
                  <Marked text={one.title} />{' '}
                  {one.place !== undefined && (
                    <small>
                      <Marked text={one.place} />
                    </small>
                  )}
                </span>
                {one.keys !== undefined && (
                  <span>
                    {one.keys.split(' ').map((key) => (
                      <Fragment key={key}>
                        {' '}
                        <kbd>{key}</kbd>
                      </Fragment>
                    ))}
                  </span>
                )}
              </div>
            )
          })}
        </div>
      ))}
    </>
  )
}

/** A text whose matches are between `**`. */
const Marked = ({ text }: { text: string }) => (
  <>{text.split('**').map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>
)
