/** One conflict on the screen: its heading, its three sides, and the result that will be saved. */
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../shell/icons.js'
import { Chip, Failed, Shape } from '../shell/notes.js'
import { ApiError } from '../api/client.js'
import { fill } from '../words/index.js'
import { ChunkPart } from './chunk.js'
import { type PartProps, Take } from './controls.js'
import { partsOf } from './decisions.js'
import { WholePart } from './whole.js'
import { choiceName, fileName, headingAbove, kindText, sideName } from './names.js'
import { type ConflictScreen, domId } from './use-conflicts.js'
import type { LoadedConflict, Stop } from './work.js'
import { conflictWords } from './words.js'

/** Renders a conflict. */
export function ConflictSection({ screen, at, stop }: { screen: ConflictScreen; at: number; stop: Stop }) {
  const { work, host } = screen
  const isCurrent = screen.current.value === at
  const onCurrent = (): void => screen.setCurrent(at)
  const w = conflictWords()
  const { conflict, part } = stop
  const loaded = work.files.value[conflict.key]
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    if (loaded !== undefined || !element.current) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) void work.loadFile(conflict.key)
      },
      { rootMargin: '600px' },
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [loaded, conflict.key])
  const file = work.fileOf(conflict)
  const choice = part === null ? undefined : work.decisionsOf(conflict)[part.id]
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard moves between conflicts with J and K
    <section
      ref={element}
      class={`stack cf ${isCurrent ? 'at' : ''}`}
      id={domId(at)}
      tabIndex={-1}
      aria-labelledby={`${domId(at)}-h`}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={onCurrent}
      onFocusIn={onCurrent}
    >
      <div class="row wrap">
        <h2 class="h grow" id={`${domId(at)}-h`}>
          <Heading stop={stop} file={file} />
        </h2>
        {isCurrent && <Moves screen={screen} />}
        {choice === undefined ? (
          <Chip tone="wait" icon="warn">
            {w.toDecide}
          </Chip>
        ) : (
          <Chip tone="good" icon="check">
            {choiceName(choice, host)}
          </Chip>
        )}
      </div>
      {loaded instanceof ApiError ? (
        <Failed error={loaded} retry={() => void work.retry(conflict.key)} />
      ) : file && part ? (
        <Part screen={screen} stop={stop} file={file} choice={choice} />
      ) : (
        <Shape lines={3} />
      )}
    </section>
  )
}

function Part(props: PartProps) {
  const { screen, stop, file, choice } = props
  const w = conflictWords()
  if (stop.part?.type === 'chunk') return <ChunkPart {...props} at={stop.part.at} />
  if (stop.part?.type !== 'place') return <WholePart {...props} />
  return (
    <div class="panel places">
      <p class="muted">{w.movedLead}</p>
      <div class="row wrap">
        {(['main', 'change-request'] as const).map((side, index) => (
          <Take
            key={side}
            label={file[side === 'main' ? 'theirs' : 'ours']?.path ?? ''}
            hint={`${index + 1}`}
            isTaken={choice === side}
            isOff={!screen.canEdit}
            onTake={() => screen.decide(stop, side)}
          >
            <span class="muted">{sideName(side, screen.host)}</span>
          </Take>
        ))}
      </div>
    </div>
  )
}

const Moves = ({ screen }: { screen: ConflictScreen }) => {
  const w = conflictWords()
  return (
    <>
      <button type="button" class="btn small quiet" aria-keyshortcuts="K" onClick={() => screen.go(-1)}>
        <Icon name="arrow-up" />
        {w.previous} <kbd>K</kbd>
      </button>
      <button type="button" class="btn small quiet" aria-keyshortcuts="J" onClick={() => screen.go(1)}>
        <Icon name="arrow-down" />
        {w.next} <kbd>J</kbd>
      </button>
    </>
  )
}

function Heading({ stop: { conflict, part }, file }: { stop: Stop; file: LoadedConflict | null }) {
  const w = conflictWords()
  const name = fileName(conflict)
  if (part?.type === 'place')
    return (
      <>
        {name} <span class="muted">{w.moved}</span>
      </>
    )
  if (part?.type !== 'chunk' || !file)
    return (
      <>
        {name} <span class="muted">{kindText(conflict)}</span>
      </>
    )
  const chunks = partsOf(file).filter(({ type }) => type === 'chunk')
  const heading = conflict.form === 'page' ? headingAbove(file.theirs?.text ?? '', lineOfChunk(file, part.at)) : null
  return (
    <>
      {name}
      {chunks.length > 1 &&
        ` · ${fill(w.conflictOf, { at: chunks.findIndex(({ id }) => id === part.id) + 1, all: chunks.length })}`}{' '}
      <span class="muted">
        {heading === null ? (conflict.page ? conflict.path : kindText(conflict)) : fill(w.under, { heading })}
      </span>
    </>
  )
}

/** The number of lines of the main content before a chunk. */
const lineOfChunk = ({ chunks = [] }: LoadedConflict, at: number): number =>
  chunks.slice(0, at).reduce((sum, { theirs }) => sum + theirs, 0)
