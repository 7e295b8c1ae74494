// Suggestions: the reader chooses a part of the page, changes its source in place and sends it. Loaded when they start.
import type { SuggestData } from '../suggest/data.js'
import { announce, icon, make } from './page.js'

type Block = SuggestData['blocks'][number]

/** The dialog of one page. */
interface Dialog extends SuggestData {
  /** The address for the data and for suggestions, and the path of the page. */
  action: string
  page: string
  /** Removes everything that was added to the page, and focuses the link that started the dialog. */
  close(): void
}

/** Returns the element that shows a block. The title of a page is above its text. */
function elementOf({ number }: Block): HTMLElement | null {
  const found = document.querySelector<HTMLElement>(`.prose [data-b="${number}"]`)
  return found ?? (number === 0 ? document.querySelector<HTMLElement>('.head h1') : null)
}

/** Returns what can be put next to a block: an item if the block is one of a list. */
const asSibling = (element: HTMLElement, content: HTMLElement): HTMLElement =>
  element.tagName === 'LI' ? make('li', { class: 'sg-item' }, content) : content

function form({ words, guests }: SuggestData, source: string): HTMLFormElement {
  const rows = Math.min(20, Math.max(3, source.split('\n').length + Math.ceil(source.length / 80)))
  const text = make('textarea', { class: 'sg-text', name: 'text', rows: String(rows), dir: 'auto', required: '' })
  text.value = source
  const field = (label: string, attributes: Readonly<Record<string, string>>): HTMLElement =>
    make('label', {}, label, make('input', { required: '', ...attributes }))
  const guest = make(
    'fieldset',
    {},
    make('legend', {}, words.guest),
    field(words.name, { name: 'name', autocomplete: 'name', maxlength: '100' }),
    field(words.mail, { name: 'email', type: 'email', autocomplete: 'email', maxlength: '254' }),
    make('p', {}, words.privacy),
    make('button', { class: 'btn', name: 'as', value: 'guest' }, words.send),
  )
  return make(
    'form',
    { class: 'sg-form', 'aria-label': words.action },
    make('label', {}, words.text, text),
    make(
      'div',
      { class: 'sg-ends' },
      make('button', { class: 'btn primary', name: 'as', value: 'member', formnovalidate: '' }, words.asMember),
      make('button', { class: 'btn', type: 'button' }, words.cancel),
    ),
    make('p', {}, words.memberNote),
    ...(guests ? [guest] : []),
  )
}

/** Sends a form. Returns the address of the app for members; '' for guests. Throws with a message for the reader. */
async function send({ action, page, words }: Dialog, block: Block, data: FormData): Promise<string> {
  const body = new URLSearchParams({ page, block: block.id })
  for (const [name, value] of data) body.append(name, String(value))
  let answer: { to?: string; message?: string }
  try {
    const response = await fetch(action, { method: 'POST', body, headers: { Accept: 'application/json' } })
    answer = await response.json()
    if (response.ok) return answer.to ?? ''
  } catch {
    throw new Error(words.notSent)
  }
  throw new Error(answer.message ?? words.notSent)
}

/** Shows the form for a block in its place. */
function edit(dialog: Dialog, block: Block, element: HTMLElement): void {
  const { words } = dialog
  const editor = form(dialog, block.source)
  const fault = make('p', { class: 'sg-fault', role: 'alert', hidden: '' })
  editor.prepend(fault)
  element.classList.add('sg-hidden')
  const shown = asSibling(element, editor)
  element.after(shown)
  const cancel = (): void => {
    shown.remove()
    element.classList.remove('sg-hidden')
    dialog.close()
  }
  editor.querySelector('button[type=button]')?.addEventListener('click', cancel)
  editor.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.isComposing) cancel()
  })
  editor.addEventListener('submit', (event) => {
    event.preventDefault()
    const buttons = editor.querySelectorAll('button')
    const data = new FormData(editor, event.submitter)
    for (const button of buttons) button.disabled = true
    send(dialog, block, data).then(
      (to) => {
        if (to !== '') return location.assign(to)
        editor.replaceChildren(make('h2', { tabindex: '-1' }, words.sent), make('p', {}, words.sentNote))
        editor.querySelector('h2')?.focus()
      },
      (error: Error) => {
        for (const button of buttons) button.disabled = false
        fault.textContent = error.message
        fault.hidden = false
        fault.scrollIntoView({ block: 'nearest' })
      },
    )
  })
  editor.querySelector('textarea')?.focus()
}

/** Marks the blocks that can be changed. Each gets a button for the keyboard, and can be pressed itself. */
function offer(dialog: Dialog): void {
  const { blocks, words } = dialog
  const added: HTMLElement[] = []
  const marked: HTMLElement[] = []
  const stop = new AbortController()
  const clear = (): void => {
    stop.abort()
    for (const one of added) one.remove()
    for (const one of marked) one.classList.remove('sg-able')
  }
  for (const block of blocks) {
    const element = elementOf(block)
    if (!element) continue
    const excerpt = block.source.replace(/\s+/g, ' ').slice(0, 60)
    const button = make('button', { type: 'button', 'aria-label': `${words.action}: ${excerpt}` }, icon('edit'))
    const choose = (): void => {
      clear()
      edit(dialog, block, element)
    }
    button.addEventListener('click', choose)
    element.addEventListener(
      'click',
      (event) => {
        if (event.target instanceof Element && event.target.closest('button, summary, input, label')) return
        event.preventDefault()
        choose()
      },
      { signal: stop.signal },
    )
    const place = asSibling(element, make('div', { class: 'sg-at' }, button))
    element.before(place)
    // The button is at the edge of the block, which may have a margin.
    const gap = element.getBoundingClientRect().top - place.getBoundingClientRect().top
    button.style.insetBlockStart = `calc(${gap}px - 1.25rem)`
    element.classList.add('sg-able')
    added.push(place)
    marked.push(element)
  }
  const cancel = make('button', { type: 'button', class: 'btn' }, words.cancel)
  const text = marked.length > 0 ? words.choose : words.none
  const bar = make('div', { class: 'sg-bar', role: 'group', 'aria-label': words.action }, make('p', {}, text), cancel)
  cancel.addEventListener('click', () => {
    clear()
    dialog.close()
  })
  document.querySelector('article')?.append(bar)
  added.push(bar)
  announce(text)
  // The title is seldom the part that a reader wants to change.
  const first = document.querySelector<HTMLElement>('.prose .sg-at button') ?? cancel
  first.focus({ preventScroll: true })
}

function loadSheet(href: string): Promise<unknown> {
  const sheet = make('link', { rel: 'stylesheet', href })
  const loaded = new Promise((resolve) => {
    sheet.addEventListener('load', resolve)
    sheet.addEventListener('error', resolve)
  })
  document.head.append(sheet)
  return loaded
}

let isOpen = false

/** Starts the dialog of a page. Throws if its data cannot be loaded; the link then opens the form without script. */
export async function startSuggestion(link: HTMLAnchorElement): Promise<void> {
  if (isOpen) return
  isOpen = true
  try {
    const { origin, pathname, searchParams } = new URL(link.href)
    const [response] = await Promise.all([
      fetch(link.href, { headers: { Accept: 'application/json' } }),
      loadSheet(link.dataset.sheet ?? ''),
    ])
    if (!response.ok) throw new Error(String(response.status))
    const data: SuggestData = await response.json()
    offer({
      ...data,
      action: origin + pathname,
      page: searchParams.get('page') ?? '/',
      close() {
        isOpen = false
        link.focus()
      },
    })
  } catch (error) {
    isOpen = false
    throw error
  }
}
