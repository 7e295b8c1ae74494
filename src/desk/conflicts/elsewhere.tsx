/** Keeps a page or a file under another name, so that both sides stay. The change request is changed at once. */
import { useState } from 'preact/hooks'
import { ApiError } from '../api/client.js'
import { changeContent, loadFiles } from '../editor/page-api.js'
import { Field } from '../shell/fields.js'
import { attempt, toast } from '../shell/toast.js'
import type { Place } from '../space/space.js'
import { fill } from '../words/index.js'
import type { PartProps } from './controls.js'
import type { LoadedConflict } from './work.js'
import { conflictWords } from './words.js'

/** The last name of a path: its ending is kept. */
const split = (path: string): [name: string, ending: string] => {
  const [, name = '', ending = ''] = /([^/]*?)(\.[^./]+)?$/.exec(path) ?? []
  return [name, ending]
}

/** Gives the file another name: that of the change request, or a copy of main's page. Throws `ApiError`. */
async function keepAs(place: Place, { page, path, ours, theirs, form }: LoadedConflict, name: string): Promise<void> {
  if (ours && page?.in === 'change-request')
    return void (await changeContent(place, [{ operation: 'update_page', page: page.id, slug: name }]))
  if (ours) {
    const file = (await loadFiles(place)).find((one) => one.git?.path === path)
    if (!file) throw new ApiError(404, conflictWords().elsewhere.noFile)
    return void (await changeContent(place, [{ operation: 'rename_file', file: file.id, name: name + split(path)[1] }]))
  }
  const markdown = theirs?.text
  if (form !== 'page' || markdown === undefined) throw new ApiError(404, conflictWords().elsewhere.noFile)
  const title = page?.title ?? name
  await changeContent(place, [{ operation: 'insert_page', title, slug: name, document: { markdown } }])
}

/** Whether the file can be kept under another name. */
export const canKeep = ({ ours, theirs, form }: LoadedConflict): boolean =>
  ours !== undefined || (form === 'page' && theirs?.text !== undefined)

export function KeepElsewhere({ screen, stop, file }: PartProps) {
  const w = conflictWords().elsewhere
  const [name, setName] = useState(`${split(file.path)[0]}-2`)
  const [isBusy, setBusy] = useState(false)
  const { work } = screen
  const isCopy = file.ours === undefined
  const run = async (): Promise<void> => {
    if (isBusy || !screen.canEdit || name.trim() === '') return
    setBusy(true)
    const isDone = await attempt(() => keepAs({ spaceId: work.spaceId, changeRequest: work.number }, file, name.trim()))
    setBusy(false)
    if (!isDone) return
    toast(fill(isCopy ? w.copied : w.renamed, { name: name.trim() }))
    // A decision before the list is loaded would be about the change request before the copy.
    await work.list()
    if (isCopy) screen.decide(stop, 'change-request')
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
        <b class="grow">{isCopy ? w.copyTitle : w.title}</b>
      </header>
      <div class="body stack s">
        <p class="muted">{isCopy ? w.copyLead : w.lead}</p>
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
            {isCopy ? w.copy : w.rename}
          </button>
        </div>
      </div>
    </form>
  )
}
