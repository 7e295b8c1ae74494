/** A preview of everything that will be saved. */
import { Dialog } from '../shell/dialog.js'
import { Icon } from '../shell/icons.js'
import { Note } from '../shell/notes.js'
import { fill, plural, words } from '../words/index.js'
import { type Decisions, resolutionOf, isDecided, resultText } from './decisions.js'
import { fileName, iconOf, kindText, sideName } from './names.js'
import { type Block, Rendered, Source, useRenderedText } from './texts.js'
import type { ConflictScreen } from './use-conflicts.js'
import type { ConflictWork, LoadedConflict } from './work.js'
import { conflictWords } from './words.js'

/** The properties of the preview. */
export interface PreviewProps {
  screen: ConflictScreen
}

/** The preview as a dialog. */
export function Preview({ screen }: PreviewProps) {
  const { work, canMerge } = screen
  const onClose = (): void => void (screen.isPreview.value = false)
  const w = conflictWords()
  const left = work.left.value
  return (
    <Dialog
      title={w.previewTitle}
      class="wide-dlg"
      onClose={onClose}
      footer={
        <>
          <span class="grow" />
          <button type="button" class="btn" onClick={onClose}>
            {words().common.back}
          </button>
          <button type="button" class="btn primary" aria-disabled={left > 0} onClick={() => void screen.finish()}>
            <Icon name="check" />
            {canMerge ? w.finishMerge : w.finish}
          </button>
        </>
      }
    >
      <div class="stack l pb">
        {left > 0 && (
          <Note tone="wait">
            <p>{w.previewOpen}</p>
          </Note>
        )}
        {(work.state.value?.conflicts ?? []).map((conflict) => {
          const file = work.fileOf(conflict)
          return (
            <section class="stack s" key={conflict.key}>
              <h3 class="h">
                <Icon name={iconOf(conflict)} /> {fileName(conflict)} <span class="muted">{kindText(conflict)}</span>
              </h3>
              {file && <FilePreview work={work} file={file} decisions={work.decisionsOf(conflict)} />}
            </section>
          )
        })}
      </div>
    </Dialog>
  )
}

/** The result for one file: the text to save, or the chosen side. */
function FilePreview({ work, file, decisions }: { work: ConflictWork; file: LoadedConflict; decisions: Decisions }) {
  const w = conflictWords()
  const resolution = isDecided(file, decisions) ? resolutionOf(file, decisions) : null
  const taken =
    resolution && 'take' in resolution
      ? file[({ base: 'base', main: 'theirs', 'change-request': 'ours' } as const)[resolution.take]]
      : undefined
  const isWhole = resolution !== null && 'take' in resolution
  const text = isWhole
    ? taken?.text
    : resolution && 'content' in resolution
      ? resolution.content
      : textSoFar(file, decisions)
  const before = file.theirs?.text ?? ''
  const isPage = file.form === 'page' && text !== undefined
  const blocks = useRenderedText(work, file.page, isPage ? text : null).value
  const earlier = useRenderedText(work, file.page, isPage ? before : null).value
  const path = resolution && 'content' in resolution ? resolution.path : (taken?.path ?? file.path)
  return (
    <>
      <p class="sm muted">
        {isWhole &&
          (taken ? `${fill(w.previewTakes, { side: sideName(resolution.take, work.state.value?.host) })} · ` : '')}
        {isWhole && !taken ? w.previewDeleted : path}
      </p>
      {text === undefined ? null : blocks && earlier ? (
        <Changed blocks={blocks} earlier={earlier} />
      ) : (
        <Source text={text} before={file.theirs?.text} label={w.sourceResult} />
      )}
    </>
  )
}

const textSoFar = (file: LoadedConflict, decisions: Decisions): string | undefined =>
  file.chunks && file.theirs && file.ours ? resultText(file, decisions) : undefined

/** The blocks that the main content lacks. Unchanged blocks are only counted. */
function Changed({ blocks, earlier }: { blocks: readonly Block[]; earlier: readonly Block[] }) {
  const w = conflictWords()
  const known = new Set(earlier.map(({ digest }) => digest))
  const groups: { isSame: boolean; blocks: Block[] }[] = []
  for (const block of blocks) {
    const isSame = known.has(block.digest)
    const last = groups.at(-1)
    if (last?.isSame === isSame) last.blocks.push(block)
    else groups.push({ isSame, blocks: [block] })
  }
  return (
    <div class="panel places">
      {groups.map(({ isSame, blocks: own }, at) =>
        isSame ? (
          <p class="sm muted" key={at}>
            {plural(w.previewSame, own.length)}
          </p>
        ) : (
          <div class="preview-now" key={at}>
            <Rendered blocks={own} />
          </div>
        ),
      )}
    </div>
  )
}
