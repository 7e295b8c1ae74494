/**
 * Keyboard shortcuts. Single keys work only while the reader has them switched on (WCAG 2.1.4), and never in fields,
 * during text composition or with a modifier. Keys are matched by the typed character, not by their position.
 */
import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { openPanel } from './shell/panels.js'
import { open } from './route.js'

/** Whether single-key shortcuts are on. */
export const singleKeys = signal(true)

type Handler = (event: KeyboardEvent) => void
/** The active shortcuts. The latest one for a key takes precedence. */
const shortcuts = new Map<string, Handler[]>()

/**
 * Runs a function when a key (`e`) or a sequence (`g h`) is typed while a component is mounted. The function of the
 * latest render is called.
 */
export function useKey(key: string, run: Handler | null): void {
  const latest = useRef(run)
  latest.current = run
  const isActive = run !== null
  useLayoutEffect(() => {
    if (!isActive) return
    const handler: Handler = (event) => latest.current?.(event)
    shortcuts.set(key, [handler, ...(shortcuts.get(key) ?? [])])
    return () =>
      void shortcuts.set(
        key,
        (shortcuts.get(key) ?? []).filter((one) => one !== handler),
      )
  }, [key, isActive])
}

const SEQUENCE_MS = 1_500
let first: { key: string; at: number } | null = null

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select'))

/** Moves the focus to the next region of the screen: header, context, side, content, rail. */
function focusRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('.top, .ribbon, .side, #main, .rail')].filter((one) =>
    one.checkVisibility(),
  )
  const at = regions.findLastIndex((one) => one.contains(document.activeElement))
  const next = regions[(at + step + regions.length) % regions.length]
  const controls = [...(next?.querySelectorAll<HTMLElement>('a[href], button, input') ?? [])]
  const first = next?.id === 'main' ? next : controls.find((one) => one.checkVisibility())
  first?.focus()
}

function onKey(event: KeyboardEvent): void {
  if (event.isComposing) return
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
    event.preventDefault()
    openPanel('palette')
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (event.key === 'F6' && !document.querySelector('dialog[open]')) {
    event.preventDefault()
    focusRegion(event.shiftKey ? -1 : 1)
    return
  }
  if (isField(event.target) || !singleKeys.value || document.querySelector('dialog[open]')) return
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  const sequence = first && Date.now() - first.at < SEQUENCE_MS ? `${first.key} ${key}` : null
  first = key === 'g' ? { key, at: Date.now() } : null
  const handler = (sequence === null ? undefined : shortcuts.get(sequence)?.[0]) ?? shortcuts.get(key)?.[0]
  if (!handler) return
  event.preventDefault()
  handler(event)
}

/** Listens to the keyboard. Call once. */
export function listenToKeys(): void {
  document.addEventListener('keydown', onKey)
  shortcuts.set('?', [() => openPanel('shortcuts')])
  shortcuts.set('g h', [() => open('/')])
  shortcuts.set('g w', [() => open('/#waiting')])
}
