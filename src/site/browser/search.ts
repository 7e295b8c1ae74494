/** The search dialog. It shows the same results as the search page. */
import { icon, make, onClick } from './page.js'

/** A text in pieces, alternately plain and matched, starting with a plain one. */
export type Marked = string[]

export interface Hit {
  href: string
  kind: 'page' | 'section'
  title: Marked
  place: string
  text: Marked
  dir?: string
}

/** The response of the search. */
export interface Results {
  query: string
  status: string
  scopes: { id: string; title: string }[]
  groups: { title: string; hits: Hit[] }[]
}

/** Returns the results for the query in a form, within a part of the site ('' = all). */
type Find = (form: HTMLFormElement, scope: string, signal: AbortSignal) => Promise<Results>

const PAUSE_MS = 80

/** Makes text nodes, with elements around the matches. */
const marked = (parts: Marked): (Node | string)[] =>
  parts.map((part, index) => (index % 2 === 1 ? make('mark', {}, part) : part))

class SearchDialog {
  readonly #form: HTMLFormElement
  readonly #field: HTMLInputElement
  readonly #scopes: HTMLElement
  readonly #status: HTMLElement
  readonly #list: HTMLElement
  #hits: HTMLAnchorElement[] = []
  #at = -1
  #scope = ''
  /** The query and scope of the shown results, and those that are being loaded. */
  #shown = ''
  #wanted = ''
  /** Whether the reader pressed Enter before the results arrived. */
  #opensFirst = false
  #timer = 0
  #request: AbortController | undefined

  constructor(
    private readonly dialog: HTMLDialogElement,
    private readonly find: Find,
  ) {
    const part = <E extends Element>(selector: string): E => dialog.querySelector(selector) as E
    this.#form = part('form')
    this.#field = part('input[name=q]')
    this.#scopes = part('.finder-scope')
    this.#status = part('output')
    this.#list = part('.finder-list')
    this.#field.addEventListener('input', (event) => {
      // Text of an input method is incomplete until the composition ends.
      if (!(event as InputEvent).isComposing) this.#ask()
    })
    this.#field.addEventListener('compositionend', () => this.#ask())
    this.#field.addEventListener('keydown', (event) => this.#onKey(event))
    // The field keeps the focus.
    for (const element of [this.#list, this.#scopes])
      element.addEventListener('mousedown', (event) => event.preventDefault())
    this.#list.addEventListener('click', () => dialog.close())
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close()
    })
    dialog.addEventListener('close', () => {
      this.#opensFirst = false
    })
  }

  open(): void {
    if (!this.dialog.open) this.dialog.showModal()
    this.#field.focus()
    this.#field.select()
  }

  #onKey(event: KeyboardEvent): void {
    // Enter and Escape of an input method end the composition and nothing else. Safari reports key code 229.
    if (event.isComposing || event.keyCode === 229) {
      if (event.key === 'Escape') event.preventDefault()
      return
    }
    if (event.altKey || event.shiftKey) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const count = this.#hits.length
      const step = event.key === 'ArrowDown' ? 1 : -1
      if (count > 0) this.#select((this.#at + step + count) % count)
    } else if (event.key === 'Enter') this.#enter(event)
  }

  #enter(event: KeyboardEvent): void {
    const hit = this.#hits[this.#at]
    const isCurrent = this.#key() === this.#shown
    // Without a result, the form opens the search page. In a bundle there is none.
    if (isCurrent && !hit && this.#form.hasAttribute('action')) return
    event.preventDefault()
    if (!isCurrent) this.#opensFirst = true
    else if (hit && (event.ctrlKey || event.metaKey)) window.open(hit.href)
    else hit?.click()
  }

  #select(index: number): void {
    this.#hits[this.#at]?.setAttribute('aria-selected', 'false')
    this.#at = index
    const hit = this.#hits[index]
    if (!hit) {
      this.#field.removeAttribute('aria-activedescendant')
      return
    }
    hit.setAttribute('aria-selected', 'true')
    hit.scrollIntoView({ block: 'nearest' })
    this.#field.setAttribute('aria-activedescendant', hit.id)
  }

  #key(): string {
    const query = this.#field.value.trim()
    return query === '' ? '' : `${this.#scope} ${query}`
  }

  /** Requests results after a typing pause. */
  #ask(): void {
    const key = this.#key()
    if (key === this.#wanted) return
    clearTimeout(this.#timer)
    this.#opensFirst = false
    this.#wanted = key
    this.#request?.abort()
    if (key === '') this.#show({ query: '', status: '', scopes: [], groups: [] }, '')
    else this.#timer = setTimeout(() => void this.#load(key), PAUSE_MS)
  }

  async #load(key: string): Promise<void> {
    const request = new AbortController()
    this.#request = request
    try {
      const results = await this.find(this.#form, this.#scope, request.signal)
      if (key === this.#wanted) this.#show(results, key)
    } catch {
      if (request.signal.aborted) return
      const { failed = '' } = this.dialog.dataset
      this.#show({ query: '', status: failed, scopes: [], groups: [] }, key)
    }
  }

  #show({ status, scopes, groups }: Results, key: string): void {
    this.#shown = key
    this.#hits = []
    this.#list.replaceChildren(...groups.map(({ title, hits }, index) => this.#group(title, hits, index)))
    this.#list.hidden = this.#hits.length === 0
    this.#field.setAttribute('aria-expanded', String(this.#hits.length > 0))
    this.#showScopes(scopes)
    this.#status.textContent = status
    this.#scopes.hidden = key === ''
    this.#list.scrollTop = 0
    this.#select(this.#hits.length > 0 ? 0 : -1)
    if (this.#opensFirst) this.#hits[0]?.click()
    this.#opensFirst = false
  }

  #group(title: string, hits: readonly Hit[], index: number): HTMLElement {
    const name = make('p', { class: 'finder-group', id: `ui~g${index}` }, title)
    return make('div', { role: 'group', 'aria-labelledby': name.id }, name, ...hits.map((hit) => this.#hit(hit)))
  }

  #hit({ href, kind, title, place, text, dir = 'auto' }: Hit): HTMLElement {
    const { open = '' } = this.dialog.dataset
    const hit = make(
      'a',
      { class: kind === 'section' ? 'hit sub' : 'hit', role: 'option', id: `ui~o${this.#hits.length}` },
      icon(kind === 'section' ? 'hash' : 'file'),
      make(
        'span',
        {},
        make('b', { dir: 'auto' }, ...marked(title)),
        make('span', { class: 'where', dir: 'auto' }, place),
      ),
      make('span', { class: 'go' }, `${open} ↵`),
    )
    if (text.join('') !== '') hit.append(make('p', { dir }, ...marked(text)))
    hit.href = href
    hit.tabIndex = -1
    hit.setAttribute('aria-selected', 'false')
    this.#hits.push(hit)
    return hit
  }

  #showScopes(scopes: Results['scopes']): void {
    for (const chip of this.#scopes.querySelectorAll('.chip')) chip.remove()
    const chips = scopes.map(({ id, title }) => {
      const chip = make('button', { class: 'chip', type: 'button', 'aria-pressed': String(id === this.#scope) }, title)
      chip.addEventListener('click', () => {
        this.#scope = id
        this.#field.focus()
        this.#ask()
      })
      return chip
    })
    this.#status.before(...chips)
  }
}

/** Sends the query to the server. */
export async function askServer(form: HTMLFormElement, scope: string, signal: AbortSignal): Promise<Results> {
  const url = new URL(form.action)
  for (const [name, value] of new FormData(form)) url.searchParams.set(name, String(value))
  if (scope !== '') url.searchParams.set('in', scope)
  url.searchParams.set('format', 'json')
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}

export function startSearch(find: Find): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog.finder')
  if (!dialog) return
  const search = new SearchDialog(dialog, find)
  onClick('[data-open-search]', (_link, event) => {
    event.preventDefault()
    search.open()
  })
  document.addEventListener('keydown', (event) => {
    const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
    if (!isShortcut || event.isComposing || event.key.toLowerCase() !== 'k') return
    event.preventDefault()
    search.open()
  })
  if (/Mac|iPhone|iPad/.test(navigator.platform))
    for (const keys of document.querySelectorAll('[data-open-search] kbd')) keys.textContent = '⌘ K'
}
