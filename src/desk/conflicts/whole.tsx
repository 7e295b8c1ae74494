/**
 * A file that is taken as a whole: pictures and other binary files, deleted files, links, folders, texts that can be
 * combined.
 */
import { Chip } from '../shell/notes.js'
import { fill } from '../words/index.js'
import { hasTwoNames, isFolder, isWritable, optionsOf, resultText } from './decisions.js'
import { KeepElsewhere } from './elsewhere.js'
import { changeOf, isPicture, SIDES, sideName } from './names.js'
import { EditButtons, type PartProps, Take, Writing } from './controls.js'
import { Source } from './texts.js'
import { conflictWords } from './words.js'

type Member = 'base' | 'ours' | 'theirs'

/** Renders the versions of a file with a button for each. */
export function WholePart(props: PartProps) {
  const { screen, file, stop, choice } = props
  const { host, canEdit } = screen
  const isEditing = screen.isEditing(stop)
  const w = conflictWords()
  const part = stop.part
  if (!part) return null
  const options = optionsOf(file, part)
  const canWrite = isWritable(file, part)
  const written = typeof choice === 'object' ? choice.text : null
  const combined = options.includes('both')
  const keepsBoth = hasTwoNames(file)
  return (
    <div>
      {file.problem !== undefined && <p class="note wait">{file.problem}</p>}
      {combined && <p class="muted pb">{w.clean}</p>}
      <div class={`sides ${combined || canWrite || keepsBoth ? '' : 'alone'}`}>
        {SIDES.map(({ choice: side, member, key }) => {
          const id = `${file.key}-${side}`
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset has a legend, which would be inside of the header
            <div key={side} role="group" aria-labelledby={id} class={choice === side ? 'taken' : ''}>
              <header>
                <b id={id}>
                  {sideName(side, host)}
                  {choice === side && (
                    <Chip tone="on" icon="check">
                      {w.taken}
                    </Chip>
                  )}
                </b>
                <span class="muted">{changeOf(file, member)}</span>
              </header>
              <div class="body">
                <Version {...props} member={member} name={sideName(side, host)} />
              </div>
              {options.length > 0 && (
                <footer>
                  {options.includes(side) && (
                    <Take
                      isFull
                      label={labelOf(file, member)}
                      hint={key}
                      describedBy={id}
                      isTaken={choice === side}
                      isOff={!canEdit}
                      onTake={() => screen.decide(stop, side)}
                    />
                  )}
                </footer>
              )}
            </div>
          )
        })}
      </div>
      {keepsBoth && <KeepElsewhere {...props} />}
      {(combined || canWrite) && (
        <div class="result">
          <header>
            <b class="grow">{isEditing ? w.writing : w.result}</b>
            {combined && (
              <Take
                label={w.combine}
                hint="3"
                isTaken={choice === 'both'}
                isOff={!canEdit}
                onTake={() => screen.decide(stop, 'both')}
              />
            )}
            <EditButtons {...props} />
          </header>
          <div class="body">
            {isEditing ? (
              <Writing
                text={written ?? file.theirs?.text ?? file.ours?.text ?? ''}
                before={file.base?.text ?? ''}
                onText={(text) => screen.decide(stop, { text })}
                onDone={() => screen.edit(null)}
              />
            ) : written !== null || choice === 'both' ? (
              <Source text={written ?? resultText(file, {})} before={file.base?.text} label={w.sourceResult} />
            ) : (
              <p class="muted">
                {choice === undefined
                  ? w.resultNone
                  : fill(w.previewTakes, {
                      side: sideName(choice === 'base' || choice === 'main' ? choice : 'change-request', host),
                    })}
              </p>
            )}
          </div>
        </div>
      )}
    </div>
  )
}

function labelOf(file: PartProps['file'], member: Member): string {
  const w = conflictWords()
  if (member === 'base') return w.keepBefore
  if (file.kind === 'file/directory') return w.take
  if (!file[member]) return w.delete
  return file.kind === 'modify/delete' ? w.keepEdit : w.take
}

/** One version of the file. */
function Version({ file, member, name }: PartProps & { member: Member; name: string }) {
  const w = conflictWords()
  const version = file[member]
  if (!version) {
    if (file.kind === 'file/directory') return <p class="muted">{member === 'base' ? w.noEntry : w.folder}</p>
    if (file.kind === 'name') return <p class="muted">{w.noEntry}</p>
    return <p class="muted">{member === 'base' ? w.noEntry : w.deletedHere}</p>
  }
  if (file.form === 'submodule') return <p class="muted">{fill(w.submodule, { revision: version.oid.slice(0, 12) })}</p>
  const path = version.path === file.path && file.kind !== 'name' ? null : <p class="sm muted">{version.path}</p>
  if (isFolder(version))
    return (
      <>
        {path}
        <p class="muted">{w.folder}</p>
      </>
    )
  if (version.text === undefined || (file.kind === 'binary' && isPicture(file)))
    return (
      <figure class="pic">
        {isPicture(version) && version.downloadURL !== undefined && <img src={version.downloadURL} alt={name} />}
        {path}
        <figcaption class="sm muted">{fill(w.size, { size: Math.max(1, Math.round(version.size / 1024)) })}</figcaption>
      </figure>
    )
  return (
    <>
      {version.mode === '120000' && <p class="muted">{w.link}</p>}
      {path}
      <Source
        text={version.text}
        before={member === 'base' ? undefined : file.base?.text}
        label={fill(w.sourceOf, { side: name })}
      />
    </>
  )
}
