/** An open page in the editor: its text, its saves, its location, and the state for the screen. */
import type { Extension, Transaction } from '@codemirror/state'
import type { EditorView, ViewUpdate } from '@codemirror/view'
import { type Signal, signal } from '@preact/signals'
import { ApiError, api, body, type Schemas } from '../api/client.js'
import { session } from '../api/session.js'
import type { Place } from '../space/space.js'
import { fill } from '../words/index.js'
import { createCode, editable, insertText, readOnly, tools } from './code.js'
import { EditedPage, fromServer } from './edited-page.js'
import { FirstKeys } from './first-keys.js'
import { type CopyKey, CopyKeeper, deleteCopy, type LocalCopy, secondKey } from './local-copy.js'
import { showMarks } from './marks.js'
import {
  findWayOn,
  loadFiles,
  loadPages,
  loadRevision,
  loadSource,
  renderText,
  type Source,
  saveSource,
  startChange,
  uploadFile,
  type WayOn,
} from './page-api.js'
import { Saver } from './saver.js'
import { asTarget, relativePath, type Targets } from './targets.js'
import { editorWords } from './words.js'

/** The properties with which an editor is opened. */
export interface WritingInput {
  place: Place
  page: Schemas['Page']
  source: Source
  /** The file on the main content; null = the page is new. */
  base: string | null
  /** Whether saves may go to the main content. Otherwise the first edit starts a change request. */
  isLive: boolean
  changeRequest: Schemas['ChangeRequest'] | null
  /** Whether the writer may only suggest changes. Nothing is then saved. */
  suggests: boolean
  /** Text that was not saved in the last session. */
  copy: LocalCopy | null
}

const MARKS_PAUSE_MS = 400

/** An open page. */
export class Writing {
  readonly place: Signal<Place>
  readonly changeRequest: Signal<Schemas['ChangeRequest'] | null>
  /** Counts the changes of the text. */
  readonly version = signal(0)
  /** The line of the caret, from 1. */
  readonly line = signal(1)
  /** The unsaved text in this browser. */
  readonly copy: Signal<LocalCopy | null>
  /** The name of the person whose text is in conflict. */
  readonly other = signal<string | null>(null)
  /** The other people who have the page open. */
  readonly people = signal<Schemas['Presence']['people']>([])
  /** The option of the writer after a refused save; null = no save was refused. */
  readonly wayOn: Signal<WayOn | null>
  readonly keeper = new CopyKeeper()
  view!: EditorView
  text!: EditedPage
  saver!: Saver
  onPreviewKey = (): void => {}
  onFailedUpload: (text: string) => void = () => {}
  readonly #first = new FirstKeys()
  #isLive: boolean
  #marks: ReturnType<typeof setTimeout> | undefined
  readonly #stops: (() => void)[] = []

  constructor(readonly input: WritingInput) {
    this.place = signal(input.place)
    this.changeRequest = signal(input.changeRequest)
    this.copy = signal(input.copy)
    this.wayOn = signal(input.suggests ? 'suggest' : null)
    this.#isLive = input.isLive
  }

  /** Whether edits go to the main content. */
  get isLive(): boolean {
    return this.#isLive
  }

  /** Renders the editor into an element. */
  mount(parent: HTMLElement): void {
    const { source, page } = this.input
    const w = editorWords()
    this.view = createCode(parent, source.markdown.replace(/^\ufeff/, ''), {
      first: this.#first.extension,
      label: fill(w.markdownOf, { page: page.title }),
      phrases: {},
      updated: (update) => this.#updated(update),
      save: () => this.saver.send({ type: 'now' }),
      togglePreview: () => this.onPreviewKey(),
      files: (files, at) => void this.upload(files, at),
      blurred: () => this.saver.send({ type: 'now' }),
    })
    this.text = new EditedPage(this.view, source.markdown, source.oid)
    this.saver = new Saver(this.text, {
      save: (raw, oid) => this.#save(raw, oid),
      load: () => this.#load(),
      keep: (text) => this.#keep(text),
      now: () => Date.now(),
    })
    this.#listen()
    this.#showMarks()
  }

  /** Ends the editor. An unsaved text is sent once more, and is stored in this browser until the server confirms it. */
  destroy(): void {
    this.saver.send({ type: 'now' })
    void this.keeper.flush()
    this.saver.stop()
    clearTimeout(this.#marks)
    for (const stop of this.#stops) stop()
    this.view.destroy()
  }

  /** Adds the tools that typing does not need. The function gets the edits until now. */
  addTools(make: (edits: readonly Transaction[]) => Extension): void {
    this.view.dispatch({ effects: tools.reconfigure(make(this.#first.edits)) })
    this.#first.press(this.view)
  }

  /** Makes the text read-only or editable. */
  setReadOnly(isReadOnly: boolean): void {
    if (this.view.state.readOnly !== isReadOnly)
      this.view.dispatch({ effects: editable.reconfigure(isReadOnly ? readOnly : []) })
  }

  #listen(): void {
    const on = (target: EventTarget, name: string, run: () => void): void => {
      target.addEventListener(name, run)
      this.#stops.push(() => target.removeEventListener(name, run))
    }
    on(window, 'online', () => this.saver.send({ type: 'online' }))
    on(document, 'visibilitychange', () => {
      if (document.visibilityState !== 'hidden') return
      void this.keeper.flush()
      this.saver.send({ type: 'now' })
    })
    on(window, 'beforeunload', (event = new Event('beforeunload')) => {
      if (this.saver.isUnsaved && !this.keeper.works) event.preventDefault()
    })
    this.#stops.push(
      // A new sign-in replaces the session.
      session.subscribe((value) => void (value && this.saver.send({ type: 'signed-in' }))),
      this.saver.state.subscribe(({ phase }) => void this.#refused(phase === 'forbidden')),
    )
  }

  /** After a refused save, the text can be changed further if it can be suggested. */
  async #refused(isRefused: boolean): Promise<void> {
    const isSuggested = this.wayOn.value === 'suggest'
    this.setReadOnly(isRefused && !isSuggested)
    if (!isRefused) this.wayOn.value = this.input.suggests ? 'suggest' : null
    if (!isRefused || this.wayOn.value !== null) return
    const found = await findWayOn(this.place.value)
    if (this.saver.state.value.phase !== 'forbidden') return
    this.wayOn.value = found
    if (found === 'suggest') this.setReadOnly(false)
  }

  /** Forgets the text that the server does not have. */
  async forget(): Promise<void> {
    this.#keep(null)
    await this.keeper.flush()
  }

  #updated(update: ViewUpdate): void {
    const { state, docChanged, selectionSet } = update
    if (selectionSet || docChanged) this.line.value = state.doc.lineAt(state.selection.main.head).number
    if (!docChanged) return
    for (const transaction of update.transactions) this.text.follow(transaction)
    this.version.value++
    this.#showMarks()
    if (update.transactions.some((one) => one.docChanged && one.annotation(fromServer) !== true)) this.saver.edited()
  }

  #showMarks(): void {
    clearTimeout(this.#marks)
    this.#marks = setTimeout(() => {
      const base = (this.input.base ?? '').replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
      showMarks(this.view, base, this.text.pending?.conflicts ?? [])
    }, MARKS_PAUSE_MS)
  }

  get #key(): CopyKey {
    const { spaceId, changeRequest = '' } = this.place.value
    const key = { user: session.peek()?.user.id ?? '', spaceId, changeRequest, pageId: this.input.page.id }
    // An unsaved text from an earlier session is kept until its writer decides about it.
    return this.copy.peek() ? secondKey(key) : key
  }

  #keep(text: (() => string) | null): void {
    const { base, oid, sent } = this.text
    const make = text && ((): LocalCopy => ({ text: text(), base, oid, sent, at: Date.now() }))
    this.keeper.keep(this.#key, make, this.view.state.doc.length)
  }

  async #save(raw: string, oid: string): Promise<string> {
    const { page, suggests } = this.input
    if (suggests) throw new ApiError(403, editorWords().refused.suggestLead)
    if (this.place.value.changeRequest === undefined && !this.#isLive) await this.startChange()
    try {
      return await saveSource(this.place.value, page.id, raw, oid)
    } catch (error) {
      // The rules of the space forbid edits of the main content.
      const isRefused = error instanceof ApiError && error.status === 409
      if (!isRefused || this.place.value.changeRequest !== undefined) throw error
      await this.startChange()
      return saveSource(this.place.value, page.id, raw, oid)
    }
  }

  async #load(): Promise<Source> {
    const source = await loadSource(this.place.value, this.input.page.id)
    this.other.value = await this.#authorOf().catch(() => null)
    return source
  }

  /** Returns the name of the person who changed the page last. */
  async #authorOf(): Promise<string | null> {
    const [present, ...more] = new Set(this.people.value.map(({ user }) => user.displayName))
    if (present !== undefined && more.length === 0) return present
    const { spaceId, changeRequest } = this.place.value
    const path = { spaceId, pageId: this.input.page.id }
    if (changeRequest !== undefined) return null
    const { items } = await body(
      api.GET('/v1/spaces/{spaceId}/content/page/{pageId}/contributors', { params: { path } }),
    )
    const others = items.filter((user) => 'id' in user && user.id !== session.peek()?.user.id)
    return others.length === 1 ? (others[0]?.displayName ?? null) : null
  }

  /** Continues in a change request: the writer's draft that touches the page, or a new one. Throws `ApiError`. */
  async startChange(): Promise<void> {
    const before = this.#key
    const { page } = this.input
    const subject = fill(editorWords().subject, { page: page.title }).slice(0, 100)
    const made = await startChange(before.spaceId, page.id, before.user, subject)
    await this.#moveTo(made)
  }

  /** Continues with suggestions in a change request of others. Throws `ApiError` if it does not have the page. */
  async suggestIn(changeRequest: Schemas['ChangeRequest']): Promise<void> {
    await loadSource({ ...this.place.value, changeRequest: String(changeRequest.number) }, this.input.page.id)
    await this.#moveTo(changeRequest)
    this.wayOn.value = 'suggest'
    this.setReadOnly(false)
  }

  async #moveTo(changeRequest: Schemas['ChangeRequest']): Promise<void> {
    const before = this.#key
    this.#isLive = false
    this.changeRequest.value = changeRequest
    this.place.value = { spaceId: before.spaceId, changeRequest: String(changeRequest.number) }
    // The screen does not change. A reload opens the change request.
    history.replaceState(null, '', `/s/${before.spaceId}/c/${changeRequest.number}/p/${this.input.page.id}`)
    if (this.saver.isUnsaved) this.#keep(() => this.text.exact())
    await this.keeper.flush()
    await deleteCopy(before)
  }

  /** The targets of links and blocks. Lists are loaded once. */
  readonly targets: Targets = (() => {
    const once = <T>(load: () => Promise<T>): (() => Promise<T>) => {
      let loaded: Promise<T> | null = null
      return () =>
        (loaded ??= load().catch((error) => {
          loaded = null
          throw error
        }))
    }
    const writing = this
    return {
      get path() {
        return writing.input.source.path
      },
      pages: once(() => loadPages(this.place.value)),
      files: once(() => loadFiles(this.place.value)),
      revision: once(() => loadRevision(this.place.value)),
      headings: async (page) => {
        const text = page ? (await loadSource(this.place.value, page.id)).markdown : this.view.state.doc.toString()
        return (await renderText(this.place.value, (page ?? this.input.page).id, text, new AbortController().signal))
          .headings
      },
    }
  })()

  /** Uploads files. Each link replaces the placeholder of its upload. */
  async upload(files: readonly File[], at: number): Promise<void> {
    const w = editorWords()
    if (this.place.value.changeRequest === undefined && !this.#isLive) await this.startChange()
    let place = at
    for (const file of files) {
      try {
        const path = await uploadFile(this.place.value, file, file.name || `image-${Date.now()}.png`)
        const target = asTarget(relativePath(this.input.source.path, path))
        const name = file.name.replace(/\.[^.]*$/, '')
        const text = file.type.startsWith('image/') ? `![${name}](${target})` : `[${file.name}](${target})`
        insertText(this.view, text, Math.min(place, this.view.state.doc.length))
        place = this.view.state.selection.main.head
      } catch (error) {
        this.onFailedUpload(
          fill(w.uploadFailed, { name: file.name, reason: error instanceof Error ? error.message : '' }),
        )
      }
    }
  }

  /** Restores the stored text from this browser, as unsaved text. */
  restoreCopy(): void {
    const copy = this.copy.value
    if (!copy) return
    this.#forgetCopy()
    this.text.restore(copy)
    this.saver.edited()
    this.saver.send({ type: 'now' })
  }

  /** Deletes the stored text in this browser. */
  discardCopy(): void {
    if (this.copy.value) this.#forgetCopy()
  }

  #forgetCopy(): void {
    const second = this.#key
    this.copy.value = null
    void deleteCopy(this.#key).then(() => this.saver.isUnsaved && this.#keep(() => this.text.exact()))
    void deleteCopy(second)
  }

  /** Ends a conflict and saves the result. */
  decide(choices: readonly ('mine' | 'theirs' | 'both')[]): void {
    this.text.decide(choices)
    this.saver.send({ type: 'resolved' })
  }

  /** Resolves when the server has the text. Rejects if it cannot be saved now. */
  settled(): Promise<void> {
    this.saver.send({ type: 'now' })
    return new Promise((resolve, reject) => {
      const stop = this.saver.state.subscribe(({ phase, reason }) => {
        if (phase === 'waiting' || phase === 'saving' || phase === 'merging') return
        queueMicrotask(() => stop())
        if (phase === 'clean') resolve()
        else reject(new Error(reason === '' ? editorWords().save.notSaved : reason))
      })
    })
  }

  /** Applies changes that the server made to the file, for example to its first heading. */
  async refresh(): Promise<void> {
    const { markdown, oid } = await loadSource(this.place.value, this.input.page.id)
    this.text.send()
    if (this.text.receive(markdown, oid) === 'conflict') this.saver.send({ type: 'edited' })
  }
}
