/** Helpers for all parts of the script: words and icons of the page, storage, and elements. */

/** The words that the page passes to the script, in the language of the interface. */
interface ScriptWords {
  copied: string
  close: string
  failed: string
  thanks: string
  ask: string
  send: string
}

const given = document.querySelector<HTMLElement>('[data-words]')?.dataset.words
export const words: Partial<ScriptWords> = JSON.parse(given ?? '{}')

/** Starts the parts of a script. One that fails does not stop the others. */
export function startAll(parts: readonly (() => void)[]): void {
  for (const start of parts) {
    try {
      start()
    } catch (error) {
      console.error(error)
    }
  }
}

/** Returns a stored value; null if there is none or the browser forbids storage. */
export function stored(storage: 'localStorage' | 'sessionStorage', key: string): string | null {
  try {
    return window[storage].getItem(key)
  } catch {
    return null
  }
}

/** Stores a value. If the browser forbids storage, it lasts until the next page. */
export function store(storage: 'localStorage' | 'sessionStorage', key: string, value: string): void {
  try {
    window[storage].setItem(key, value)
  } catch {
    // Storage is full or forbidden.
  }
}

/** Creates an element. Text becomes text nodes, never HTML. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  element.append(...children)
  return element
}

/** Creates an icon that the document contains as a symbol. */
export function icon(name: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use')
  svg.setAttribute('class', 'i')
  svg.setAttribute('viewBox', '0 0 20 20')
  svg.setAttribute('aria-hidden', 'true')
  use.setAttribute('href', `#i-${name}`)
  svg.append(use)
  return svg
}

/** Calls `work` for clicks on elements that match. Clicks that open a new tab or window keep their meaning. */
export function onClick<E extends Element>(selector: string, work: (element: E, event: MouseEvent) => void): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const element = event.target instanceof Element ? event.target.closest<E>(selector) : null
    if (element) work(element, event)
  })
}

let live: HTMLElement | undefined

/** Announces a text to screen readers. */
export function announce(text: string): void {
  if (!live) {
    live = make('p', { class: 'vh', role: 'status' })
    document.body.append(live)
  }
  live.textContent = ''
  requestAnimationFrame(() => {
    if (live) live.textContent = text
  })
}

export const isRightToLeft = (element: Element): boolean => getComputedStyle(element).direction === 'rtl'
