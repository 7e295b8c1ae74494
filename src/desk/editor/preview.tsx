/** The page as the site shows it, from the service's renderer. It follows the text, and scrolls with it. */
import { type Signal, useSignal } from '@preact/signals'
import { diffArrays } from 'diff'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Schemas } from '../api/client.js'
import { BlockHtml, BlockIcons } from '../space/blocks.js'
import { Icon } from '../shell/icons.js'
import { renderText } from './page-api.js'
import { useScrollTogether } from './scroll.js'
import type { Writing } from './writing.js'
import { editorWords } from './words.js'

type Rendered = Schemas['RenderedPage']
type Block = Rendered['blocks'][number]

const PAUSE_MS = 250
/** On a page with more blocks, only those near the window are laid out. */
const LONG = 300

/**
 * Renders the text after a pause in typing. One request runs at a time; the next one renders the text of that moment.
 */
function useRendering(writing: Writing): { rendered: Signal<Rendered | null>; hasFailed: Signal<boolean> } {
  const rendered = useSignal<Rendered | null>(null)
  const hasFailed = useSignal(false)
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isRunning = false
    let isOutdated = false
    const run = async (): Promise<void> => {
      if (isRunning) {
        isOutdated = true
        return
      }
      isRunning = true
      isOutdated = false
      try {
        const { place, input, text } = writing
        rendered.value = await renderText(place.value, input.page.id, text.exact(), stop.signal)
        hasFailed.value = false
      } catch {
        hasFailed.value = !stop.signal.aborted
      }
      isRunning = false
      if (isOutdated && !stop.signal.aborted) void run()
    }
    const stopText = writing.version.subscribe((version) => {
      clearTimeout(timer)
      timer = setTimeout(() => void run(), version === 0 ? 0 : PAUSE_MS)
    })
    return () => {
      stop.abort()
      stopText()
      clearTimeout(timer)
    }
  }, [writing])
  return { rendered, hasFailed }
}

/** Renders the main content's text once, for the bars. */
function useBase(writing: Writing): Signal<readonly string[] | null> {
  const digests = useSignal<readonly string[] | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    const { base, page } = writing.input
    if (base === null) digests.value = []
    else
      void renderText(writing.place.value, page.id, base, stop.signal)
        .then(({ blocks }) => (digests.value = blocks.map((one) => one.digest)))
        .catch(() => {})
    return () => stop.abort()
  }, [writing])
  return digests
}

/** Returns the bar of each block: changed if it replaces a removed block, else new. */
function marksOf(base: readonly string[] | null, blocks: readonly Block[]): string[] {
  if (base === null) return blocks.map(() => '')
  const marks: string[] = []
  let removed = 0
  const parts = diffArrays(
    [...base],
    blocks.map((one) => one.digest),
    { maxEditLength: 2_000 },
  )
  for (const part of parts ?? []) {
    if (part.removed) removed += part.value.length
    else if (part.added) for (const _ of part.value) marks.push(removed-- > 0 ? 'chg' : 'add')
    else {
      for (const _ of part.value) marks.push('')
      removed = 0
    }
    if (part.added) removed = 0
  }
  return marks
}

export function Preview({ writing, pageHref, back }: { writing: Writing; pageHref: string; back: () => void }) {
  const w = editorWords()
  const { rendered, hasFailed } = useRendering(writing)
  const base = useBase(writing)
  const [scrolls, setScrolls] = useState(true)
  const [isNarrow, setNarrow] = useState(false)
  const pane = useRef<HTMLElement>(null)
  useScrollTogether(writing, pane, scrolls)
  const blocks = rendered.value?.blocks ?? []
  const marks = useMemo(() => marksOf(base.value, blocks), [base.value, rendered.value])
  const line = writing.line.value
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable with the keyboard
    <section class="pv" aria-label={w.preview} tabIndex={0} ref={pane}>
      <div class="bar">
        <span class="h">{w.preview}</span>
        <span class="sm muted hide-m">{w.asOnSite}</span>
        <span class="grow" />
        <button
          type="button"
          class="icb"
          aria-label={w.scrollBoth}
          aria-pressed={scrolls}
          onClick={() => setScrolls(!scrolls)}
        >
          <Icon name="link" />
        </button>
        <button
          type="button"
          class="icb"
          aria-label={w.phoneWidth}
          aria-pressed={isNarrow}
          onClick={() => setNarrow(!isNarrow)}
        >
          <Icon name="phone" />
        </button>
        <button type="button" class="btn small only-s" onClick={back}>
          {w.source}
        </button>
        <a class="icb" href={pageHref} target="_blank" rel="noopener" aria-label={w.openSite}>
          <Icon name="sign-out" />
        </a>
      </div>
      <BlockIcons />
      {hasFailed.value && (
        <p class="note wait" role="status">
          <Icon name="warn" />
          <span>{w.previewFailed}</span>
        </p>
      )}
      <div class={`pvdoc ${isNarrow ? 'narrow' : ''} ${blocks.length > LONG ? 'long' : ''}`}>
        {rendered.value && blocks.length === 0 && <p class="muted">{w.previewEmpty}</p>}
        {blocks.map(({ digest, occurrence, html, lines: [from = 0, to = 0] }, at) => (
          <div
            key={`${digest} ${occurrence}`}
            class={`tx ${marks[at] ?? ''} ${line >= from && line <= to ? 'cur' : ''}`}
            data-from={from}
            data-to={to}
          >
            <BlockHtml html={html} />
          </div>
        ))}
      </div>
    </section>
  )
}
