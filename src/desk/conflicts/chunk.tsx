/** A chunk of a text that both sides changed: the three sides, and the result. */
import { useMemo } from 'preact/hooks'
import { Chip } from '../shell/notes.js'
import { fill } from '../words/index.js'
import { ContentsResult, ContentsSide } from './contents.js'
import { chunkResult, chunkTexts, linesOf, resultByChunk } from './decisions.js'
import { changeOf, SIDES, sideName } from './names.js'
import { EditButtons, type PartProps, Take, Writing } from './controls.js'
import { blocksAt, Rendered, Source, useRenderedText } from './texts.js'
import { conflictWords } from './words.js'

/** Renders a chunk. */
export function ChunkPart(props: PartProps & { at: number }) {
  const { screen, file, at, choice, stop } = props
  const { work, view, host, canEdit } = screen
  const w = conflictWords()
  const chunks = useMemo(() => chunkTexts(file), [file])
  const texts = chunks[at]
  const isRendered = view === 'rendered' && file.form === 'page'
  const base = useRenderedText(work, file.page, isRendered ? (file.base?.text ?? null) : null).value
  const theirs = useRenderedText(work, file.page, isRendered ? (file.theirs?.text ?? null) : null).value
  const ours = useRenderedText(work, file.page, isRendered ? (file.ours?.text ?? null) : null).value
  if (!texts) return null
  const rendered = { base, theirs, ours }
  const blocksOf = (member: 'base' | 'theirs' | 'ours') => {
    const blocks = rendered[member]
    return blocks && blocksAt(blocks, texts.from[member], linesOf(texts[member]).length)
  }
  const before = blocksOf('base')
  const isContents = file.form === 'table-of-contents' && view === 'rendered'
  return (
    <div>
      <div class="sides">
        {SIDES.map(({ choice: side, member, key }) => {
          const id = `${file.key}-${at}-${side}`
          const name = sideName(side, host)
          const blocks = blocksOf(member)
          const earlier = member === 'base' ? undefined : texts.base
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend, which would be inside of the header
            <div key={side} role="group" aria-labelledby={id} class={choice === side ? 'taken' : ''}>
              <header>
                <b id={id}>
                  {name}
                  {choice === side && (
                    <Chip tone="on" icon="check">
                      {w.taken}
                    </Chip>
                  )}
                </b>
                <span class="muted">{changeOf(file, member)}</span>
              </header>
              <div class="body">
                {isContents ? (
                  <ContentsSide text={texts[member]} base={texts.base} />
                ) : isRendered && blocks !== undefined && (blocks.length > 0 || texts[member].trim() === '') ? (
                  <Rendered blocks={blocks} before={member === 'base' ? undefined : before} />
                ) : (
                  <Source
                    text={texts[member]}
                    before={earlier}
                    from={texts.from[member]}
                    label={fill(w.sourceOf, { side: name })}
                  />
                )}
              </div>
              <footer>
                <Take
                  isFull
                  label={side === 'base' ? w.keepBefore : w.take}
                  hint={key}
                  describedBy={id}
                  isTaken={choice === side}
                  isOff={!canEdit}
                  onTake={() => screen.decide(stop, side)}
                />
              </footer>
            </div>
          )
        })}
      </div>
      {isContents ? <ContentsResult {...props} texts={texts} /> : <Result {...props} isRendered={isRendered} />}
    </div>
  )
}

/** The result with its buttons. */
function Result({ isRendered, ...props }: PartProps & { at: number; isRendered: boolean }) {
  const { screen, file, at, stop, choice } = props
  const { work, canEdit } = screen
  const isEditing = screen.isEditing(stop)
  const w = conflictWords()
  const decisions = work.decisionsOf(stop.conflict)
  const parts = useMemo(() => resultByChunk(file, decisions), [file, decisions])
  const blocks = useRenderedText(
    work,
    file.page,
    isRendered && choice !== undefined && !isEditing ? parts.join('') : null,
  ).value
  const texts = chunkTexts(file)[at]
  if (!texts) return null
  const text = parts[at] ?? ''
  const from = parts.slice(0, at).reduce((sum, one) => sum + linesOf(one).length, 1)
  const shown = blocks && blocksAt(blocks, from, linesOf(text).length)
  return (
    <div class="result">
      <header>
        <b class="grow">{isEditing ? w.writing : w.result}</b>
        <Take
          label={w.keepBoth}
          hint="3"
          isTaken={choice === 'both'}
          isOff={!canEdit}
          onTake={() => screen.decide(stop, 'both')}
        />
        <EditButtons {...props} />
      </header>
      <div class="body">
        {isEditing ? (
          <Writing
            text={chunkResult(file, texts, choice ?? 'both')}
            before={texts.base}
            onText={(written) => screen.decide(stop, { text: written })}
            onDone={() => screen.edit(null)}
          />
        ) : choice === undefined ? (
          <p class="muted">{w.resultNone}</p>
        ) : text === '' ? (
          <p class="muted">{w.nothingLeft}</p>
        ) : isRendered && shown !== undefined && shown.length > 0 ? (
          <Rendered blocks={shown} />
        ) : (
          <Source text={text} from={from} label={w.sourceResult} />
        )}
      </div>
    </div>
  )
}
