/** Gives the file or folder of the change request another name, so that both sides stay. It is changed at once. */
import { useState } from 'preact/hooks'
import { changeContent } from '../editor/page-api.js'
import { Field } from '../shell/fields.js'
import { attempt, toast } from '../shell/toast.js'
import type { Place } from '../space/space.js'
import { fill } from '../words/index.js'
import type { PartProps } from './controls.js'
import { isFolder } from './decisions.js'
import type { LoadedConflict } from './work.js'
import { conflictWords } from './words.js'

/** The last name of a path: the ending of a file is kept. */
const split = (path: string): [name: string, ending: string] => {
  const [, name = '', ending = ''] = /([^/]*?)(\.[^./]+)?$/.exec(path) ?? []
  return [name, ending]
}

/** The path of the change request, and whether it is a folder. Main has a file, if the change request has no entry. */
const ownOf = ({ path, ours }: LoadedConflict): { path: string; isFolder: boolean } =>
  ours ? { path: ours.path, isFolder: isFolder(ours) } : { path, isFolder: true }

/** Suggests a name: the one of main's folder, so that two folders become one, or a new one. */
function suggested(file: LoadedConflict): string {
  const own = ownOf(file)
  const [name, ending] = split(own.path)
  if (!own.isFolder) return `${name}-2`
  return joins(file) ? split(file.theirs?.path ?? '').join('') : `${name}${ending}-2`
}

/** Whether both sides have a folder. */
const joins = ({ ours, theirs }: LoadedConflict): boolean =>
  ours !== undefined && theirs !== undefined && isFolder(ours) && isFolder(theirs)

/** Renames the file or folder of the change request. Throws `ApiError`. */
async function rename(place: Place, file: LoadedConflict, name: string): Promise<void> {
  const { page } = file
  const { path, isFolder } = ownOf(file)
  await changeContent(place, [
    isFolder
      ? { operation: 'rename_folder', folder: path, name }
      : page?.in === 'change-request'
        ? { operation: 'update_page', page: page.id, slug: name }
        : { operation: 'rename_file', file: path, name: name + split(path)[1] },
  ])
}

export function KeepElsewhere({ screen, file }: PartProps) {
  const w = conflictWords().elsewhere
  const [name, setName] = useState(suggested(file))
  const [isBusy, setBusy] = useState(false)
  const { work } = screen
  const own = ownOf(file)
  const run = async (): Promise<void> => {
    if (isBusy || !screen.canEdit || name.trim() === '') return
    setBusy(true)
    const isDone = await attempt(() => rename({ spaceId: work.spaceId, changeRequest: work.number }, file, name.trim()))
    setBusy(false)
    if (!isDone) return
    toast(fill(own.isFolder ? w.folderRenamed : w.renamed, { name: name.trim() }))
    await work.list()
  }
  return (
    <form
      class="result"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <header>
        <b class="grow">{w.title}</b>
      </header>
      <div class="body stack s">
        <p class="muted">{joins(file) ? w.joinLead : own.isFolder ? w.folderLead : w.lead}</p>
        <Field label={w.name}>
          {(attributes) => (
            <input
              class="in"
              {...attributes}
              maxLength={100}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
              onKeyDown={(event) => event.stopPropagation()}
            />
          )}
        </Field>
        <div class="row">
          <button type="submit" class="btn small primary" aria-disabled={isBusy || !screen.canEdit}>
            {w.rename}
          </button>
        </div>
      </div>
    </form>
  )
}
