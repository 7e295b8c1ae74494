/** Chunks of a table of contents, as trees. */
import { useState } from 'preact/hooks'
import { Icon } from '../shell/icons.js'
import { fill } from '../words/index.js'
import { chunkResult, type ChunkTexts, linesOf } from './decisions.js'
import { sideName } from './names.js'
import { EditButtons, type PartProps, Take, Writing } from './controls.js'
import { conflictWords } from './words.js'

interface Entry {
  /** The line with its line feed. */
  line: string
  title: string
  /** Levels of indentation, at most 2. */
  depth: number
  isGroup: boolean
}

/** Reads the lines of a table of contents. Blank lines stay with the line before them. */
function entriesOf(text: string): Entry[] {
  const entries: Entry[] = []
  for (const line of linesOf(text)) {
    const last = entries.at(-1)
    if (line.trim() === '' && last) last.line += line
    else {
      const [, indent = '', title = line] = /^(\s*)[*+-]\s+(.*?)\s*$/s.exec(line) ?? []
      const group = /^#{1,6}\s+(.*?)\s*$/s.exec(line)?.[1]
      const shown = (group ?? title).replace(/\[((?:[^\]\\]|\\.)*)\]\([^)]*\)/g, '$1').trim()
      const depth = Math.min(2, Math.ceil(indent.replaceAll('\t', '  ').length / 2))
      entries.push({ line, title: shown, depth, isGroup: group !== undefined })
    }
  }
  return entries
}

const DEPTHS = ['', 'in1', 'in2']

/** The entries of one side. Those that the base does not have are marked. */
export function ContentsSide({ text, base }: { text: string; base: string }) {
  const known = new Set(linesOf(base).map((line) => line.trimEnd()))
  const entries = entriesOf(text)
  if (entries.length === 0) return <p class="muted">{conflictWords().nothing}</p>
  return (
    <ul class="struct flat">
      {entries.map(({ title, depth, isGroup, line }, at) => (
        <li key={at} class={DEPTHS[depth]}>
          <Icon name={isGroup ? 'folder' : 'page'} />
          {known.has(line.trimEnd()) || text === base ? (
            <span class="grow">{title}</span>
          ) : (
            <span class="grow">
              <ins>{title}</ins>
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The entries that will be saved, which can be moved up and down. */
export function ContentsResult(props: PartProps & { texts: ChunkTexts }) {
  const { screen, texts, file, stop, choice } = props
  const { host, canEdit } = screen
  const isEditing = screen.isEditing(stop)
  const w = conflictWords()
  const [moved, setMoved] = useState('')
  const text = chunkResult(file, texts, choice ?? 'both')
  const entries = entriesOf(text)
  const [mine, other] = [texts.theirs, texts.ours].map((one) => new Set(linesOf(one).map((line) => line.trimEnd())))
  const move = (at: number, by: 1 | -1): void => {
    const to = at + by
    const list = entries.map(({ line }) => (line.endsWith('\n') ? line : `${line}\n`))
    const [one] = list.splice(at, 1)
    if (one === undefined || to < 0 || to > list.length) return
    list.splice(to, 0, one)
    const joined = list.join('')
    screen.decide(stop, { text: text.endsWith('\n') ? joined : joined.replace(/\n$/, '') })
    setMoved(fill(w.movedTo, { title: entries[at]?.title ?? '', at: to + 1, all: entries.length }))
    requestAnimationFrame(() => document.getElementById(`${file.key}-${stop.part?.id}-${to}`)?.focus())
  }
  return (
    <div class="result">
      <header>
        <b class="grow">{isEditing ? w.writing : w.result}</b>
        <Take
          label={choice === undefined ? w.keepOrder : w.keepBoth}
          hint="3"
          isTaken={choice === 'both'}
          isOff={!canEdit}
          onTake={() => screen.decide(stop, 'both')}
        />
        <EditButtons {...props} />
      </header>
      <span class="vh" role="status">
        {moved}
      </span>
      <div class="body">
        {isEditing ? (
          <Writing
            text={text}
            before={texts.base}
            onText={(written) => screen.decide(stop, { text: written })}
            onDone={() => screen.edit(null)}
          />
        ) : entries.length === 0 ? (
          <p class="muted">{w.nothingLeft}</p>
        ) : (
          <ul class="struct">
            {entries.map(({ title, depth, line }, at) => {
              const key = line.trimEnd()
              const [isMain, isRequest] = [mine?.has(key) === true, other?.has(key) === true]
              const from = isMain === isRequest ? null : sideName(isMain ? 'main' : 'change-request', host)
              return (
                <li
                  key={`${at} ${title}`}
                  id={`${file.key}-${stop.part?.id}-${at}`}
                  class={DEPTHS[depth]}
                  tabIndex={-1}
                  onKeyDown={(event) => {
                    if (!event.altKey || !canEdit || !/^Arrow(?:Up|Down)$/.test(event.key)) return
                    event.preventDefault()
                    move(at, event.key === 'ArrowUp' ? -1 : 1)
                  }}
                >
                  {from === null ? (
                    <Icon name="page" />
                  ) : (
                    <span class={`mk ${isMain ? 'n' : 'e'}`} aria-hidden="true">
                      {isMain ? 1 : 2}
                    </span>
                  )}
                  <span class="grow">{title}</span>
                  {from !== null && <span class="sm muted hide-s">{fill(w.addedIn, { side: from })}</span>}
                  <button
                    type="button"
                    class="icb s"
                    aria-label={fill(w.moveUp, { title })}
                    aria-keyshortcuts="Alt+ArrowUp"
                    aria-disabled={at === 0 || !canEdit}
                    onClick={() => at > 0 && canEdit && move(at, -1)}
                  >
                    <Icon name="arrow-up" />
                  </button>
                  <button
                    type="button"
                    class="icb s"
                    aria-label={fill(w.moveDown, { title })}
                    aria-keyshortcuts="Alt+ArrowDown"
                    aria-disabled={at === entries.length - 1 || !canEdit}
                    onClick={() => at < entries.length - 1 && canEdit && move(at, 1)}
                  >
                    <Icon name="arrow-down" />
                  </button>
                </li>
              )
            })}
          </ul>
        )}
      </div>
    </div>
  )
}
