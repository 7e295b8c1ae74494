/** The settings of a page as a form. Each field changes one key of the front matter, through the server's YAML editor. */
import { useEffect, useId, useState } from 'preact/hooks'
import { ApiError, type Schemas } from '../api/client.js'
import { Icon } from '../shell/icons.js'
import { Switch } from '../shell/fields.js'
import { attempt, explain, toast } from '../shell/toast.js'
import { fill } from '../words/index.js'
import { commonEnd, commonStart } from './exact.js'
import { relativePath } from './targets.js'
import { changeContent, changeFrontMatter, uploadFile } from './page-api.js'
import type { Writing } from './writing.js'
import { editorWords } from './words.js'

type Attributes = Schemas['FrontMatter']['attributes']
type Keys = NonNullable<Schemas['FrontMatterInput']['set']>

/** Returns the front matter with both fences; empty if there is none. */
function headOf(text: string): string {
  const found = /^---[ \t]*\n(?:[\s\S]*?\n)?---[ \t]*(?:\n|$)/.exec(text.slice(0, 65_000))
  return found?.[0] ?? ''
}

/** Renders the form, initially collapsed. */
export function PageSettings({ writing, renamed }: { writing: Writing; renamed: (title: string) => void }) {
  const w = editorWords().settings
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="meta" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="right" class="tw" />
        <span>
          <b>{w.title}</b> · {w.keys}
        </span>
        <span class="grow" />
        <span class="muted hide-m">{w.hint}</span>
      </summary>
      {isOpen && <Form writing={writing} renamed={renamed} />}
    </details>
  )
}

function useAttributes(writing: Writing) {
  const [found, setFound] = useState<{ attributes: Attributes; isBad: boolean } | null>(null)
  const head = writing.version.value >= 0 ? headOf(writing.view.state.sliceDoc(0, 65_000)) : ''
  useEffect(() => {
    let isCurrent = true
    void changeFrontMatter(writing.place.value, { markdown: head })
      .then(({ attributes, diagnostics }) => {
        if (isCurrent) setFound({ attributes, isBad: diagnostics.length > 0 })
      })
      .catch((error) => isCurrent && toast(explain(error), { isBad: true }))
    return () => {
      isCurrent = false
    }
  }, [head])
  return found
}

/** Sets keys in the text of the editor, so that they can be undone and are saved with it. */
async function setKeys(writing: Writing, set: Keys): Promise<void> {
  const before = headOf(writing.view.state.sliceDoc(0, 65_000))
  const { markdown: after } = await changeFrontMatter(writing.place.value, { markdown: before, set })
  if (headOf(writing.view.state.sliceDoc(0, 65_000)) !== before) return setKeys(writing, set)
  const start = commonStart(before, after)
  const tail = commonEnd(before.slice(start), after.slice(start))
  if (before === after) return
  writing.view.dispatch({
    changes: { from: start, to: before.length - tail, insert: after.slice(start, after.length - tail) },
    userEvent: 'input.settings',
  })
}

function Form({ writing, renamed }: { writing: Writing; renamed: (title: string) => void }) {
  const w = editorWords().settings
  const id = useId()
  const found = useAttributes(writing)
  const attributes = found?.attributes ?? {}
  const set = (keys: Keys): void => void attempt(() => setKeys(writing, keys))
  const setText = (key: 'description' | 'icon') => (value: string) => {
    if (value !== (attributes[key] ?? '')) set({ [key]: value === '' ? null : value })
  }
  return (
    <>
      {found?.isBad && (
        <p class="note wait" role="status">
          <Icon name="warn" />
          <span>{w.invalid}</span>
        </p>
      )}
      <div class="form2">
        <label for={`${id}t`}>{w.pageTitle}</label>
        <Title id={`${id}t`} writing={writing} renamed={renamed} />
        <label for={`${id}d`}>{w.description}</label>
        <KeyField id={`${id}d`} rows={2} max={1024} value={attributes.description} set={setText('description')} />
        <label for={`${id}i`}>{w.icon}</label>
        <div class="row">
          <KeyField id={`${id}i`} max={50} hint={w.iconHelp} value={attributes.icon} set={setText('icon')} />
          {attributes.icon !== undefined && (
            <button type="button" class="btn small quiet" onClick={() => set({ icon: null })}>
              {w.remove}
            </button>
          )}
        </div>
        <Cover writing={writing} cover={attributes.cover} set={set} />
        <Tags id={`${id}g`} writing={writing} tags={attributes.tags ?? []} set={set} />
        <span class="ink2">{w.visible}</span>
        <Switch checked={attributes.hidden !== true} onChange={(on) => set({ hidden: on ? null : true })}>
          {w.visibleLabel}
        </Switch>
      </div>
    </>
  )
}

/** The field of a key. The change is applied when the field loses focus. */
function KeyField({
  id,
  value = '',
  max,
  rows,
  hint,
  set,
}: {
  id: string
  value?: string | undefined
  max: number
  rows?: number
  hint?: string
  set: (value: string) => void
}) {
  const [typed, setTyped] = useState<string | null>(null)
  const shared = {
    class: 'in grow',
    id,
    maxLength: max,
    value: typed ?? value,
    onInput: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => setTyped(event.currentTarget.value),
    onChange: (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      set(event.currentTarget.value.trim())
      setTyped(null)
    },
  }
  return rows === undefined ? <input {...shared} placeholder={hint} /> : <textarea {...shared} rows={rows} />
}

function Title({ id, writing, renamed }: { id: string; writing: Writing; renamed: (title: string) => void }) {
  const { page } = writing.input
  const [title, setTitle] = useState(page.title)
  const rename = async (value: string): Promise<void> => {
    if (value === '' || value === title) return
    if (writing.place.value.changeRequest === undefined && !writing.isLive) await writing.startChange()
    await writing.settled()
    await changeContent(writing.place.value, [{ operation: 'update_page', page: page.id, title: value }])
    await writing.refresh()
    setTitle(value)
    renamed(value)
  }
  return (
    <input
      class="in"
      id={id}
      maxLength={255}
      title={editorWords().settings.titleHelp}
      value={title}
      onChange={(event) => void attempt(() => rename(event.currentTarget.value.trim()))}
    />
  )
}

function Cover({ writing, cover, set }: { writing: Writing; cover: string | undefined; set: (keys: Keys) => void }) {
  const w = editorWords().settings
  const id = useId()
  const choose = async (file: File | undefined): Promise<void> => {
    if (!file) return
    if (writing.place.value.changeRequest === undefined && !writing.isLive) await writing.startChange()
    const path = await uploadFile(writing.place.value, file, file.name)
    if (path === '') throw new ApiError(0, '')
    set({ cover: relativePath(writing.input.source.path, path) })
  }
  return (
    <>
      <label for={id}>{w.cover}</label>
      <div class="row wrap">
        {cover !== undefined && <code class="sm">{cover}</code>}
        <label class="btn small">
          <Icon name="image" />
          {w.choosePicture}
          <input
            id={id}
            class="vh"
            type="file"
            accept="image/*"
            onChange={(event) => void attempt(() => choose(event.currentTarget.files?.[0]))}
          />
        </label>
        {cover !== undefined && (
          <button type="button" class="btn small quiet" onClick={() => set({ cover: null })}>
            {w.remove}
          </button>
        )}
      </div>
    </>
  )
}

function Tags({
  id,
  writing,
  tags,
  set,
}: {
  id: string
  writing: Writing
  tags: readonly string[]
  set: (keys: Keys) => void
}) {
  const w = editorWords().settings
  const [known, setKnown] = useState<Schemas['Revision']['tags']>([])
  useEffect(() => {
    let isShown = true
    writing.targets.revision().then(
      (revision) => isShown && setKnown(revision.tags),
      () => {},
    )
    return () => {
      isShown = false
    }
  }, [writing])
  const add = (field: HTMLInputElement): void => {
    const tag = field.value.trim()
    field.value = ''
    if (tag !== '' && !tags.includes(tag)) set({ tags: [...tags, tag] })
  }
  return (
    <>
      <label for={id}>{w.tags}</label>
      <div class="row wrap">
        {tags.map((tag) => (
          <span class="chip on" key={tag}>
            {tag}
            <button
              type="button"
              class="chip-x"
              aria-label={fill(w.removeTag, { tag })}
              onClick={() => set({ tags: tags.filter((one) => one !== tag) })}
            >
              <Icon name="x" />
            </button>
          </span>
        ))}
        <input
          class="in grow"
          id={id}
          maxLength={100}
          placeholder={w.addTag}
          list={`${id}l`}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.isComposing) return
            event.preventDefault()
            add(event.currentTarget)
          }}
          onChange={(event) => add(event.currentTarget)}
        />
        <datalist id={`${id}l`}>
          {known
            .filter(({ slug }) => !tags.includes(slug))
            .map(({ slug, label }) => (
              <option key={slug} value={slug}>
                {label}
              </option>
            ))}
        </datalist>
      </div>
    </>
  )
}
