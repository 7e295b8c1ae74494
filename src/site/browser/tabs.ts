/** Turns groups of titled panels into tabs. Groups that have a tab with the same title switch together. */
import { isRightToLeft, store, stored } from './page.js'

interface TabGroup {
  tabs: HTMLElement[]
  panels: HTMLElement[]
  titles: string[]
}

const KEY = 'tabs'
const MAX_REMEMBERED = 20
const groups: TabGroup[] = []

function remembered(): string[] {
  try {
    const titles: unknown = JSON.parse(stored('localStorage', KEY) ?? '[]')
    return Array.isArray(titles) ? titles.filter((one) => typeof one === 'string') : []
  } catch {
    return []
  }
}

function show({ tabs, panels }: TabGroup, index: number): void {
  for (const [at, tab] of tabs.entries()) {
    const isOn = at === index
    tab.setAttribute('aria-selected', String(isOn))
    tab.tabIndex = isOn ? 0 : -1
    // Hidden panels are found by the browser's search, which then selects their tab.
    if (isOn) panels[at]?.removeAttribute('hidden')
    else panels[at]?.setAttribute('hidden', 'until-found')
  }
}

/**
 * Selects a tab that the reader chose, and tabs of the same title in other groups. The chosen tab keeps its position on
 * the screen.
 */
function choose(group: TabGroup, index: number): void {
  const tab = group.tabs[index]
  const title = group.titles[index]
  if (!tab || title === undefined) return
  const before = tab.getBoundingClientRect().top
  show(group, index)
  for (const other of groups) {
    const same = other === group ? -1 : other.titles.indexOf(title)
    if (same >= 0) show(other, same)
  }
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
  const rest = remembered().filter((one) => one !== title)
  store('localStorage', KEY, JSON.stringify([title, ...rest].slice(0, MAX_REMEMBERED)))
}

function onKey(group: TabGroup, event: KeyboardEvent): void {
  const at = group.tabs.indexOf(event.target as HTMLElement)
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return
  const last = group.tabs.length - 1
  const forward = isRightToLeft(event.target as Element) ? 'ArrowLeft' : 'ArrowRight'
  const backward = forward === 'ArrowRight' ? 'ArrowLeft' : 'ArrowRight'
  const to = { [forward]: at === last ? 0 : at + 1, [backward]: at === 0 ? last : at - 1, Home: 0, End: last }[
    event.key
  ]
  if (to === undefined) return
  event.preventDefault()
  choose(group, to)
  group.tabs[to]?.focus()
}

function setUp(frame: Element, number: number): TabGroup | null {
  const list = frame.querySelector<HTMLElement>(':scope > .tablist')
  const tabs = [...(list?.querySelectorAll<HTMLElement>(':scope > button') ?? [])]
  const panels = [...frame.querySelectorAll<HTMLElement>(':scope > .tab')]
  if (!list || tabs.length === 0 || tabs.length !== panels.length) return null
  const group = { tabs, panels, titles: panels.map((panel) => panel.dataset.title ?? '') }
  list.setAttribute('role', 'tablist')
  for (const [at, tab] of tabs.entries()) {
    const panel = panels[at] as HTMLElement
    tab.id = `ui~t${number}-${at}`
    panel.id ||= `ui~p${number}-${at}`
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-controls', panel.id)
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', tab.id)
    tab.addEventListener('click', () => choose(group, at))
    panel.addEventListener('beforematch', () => show(group, at))
  }
  list.addEventListener('keydown', (event) => onKey(group, event))
  return group
}

/** Returns the element that the address refers to. */
function target(): HTMLElement | null {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)))
  } catch {
    // Not an address of a heading.
    return null
  }
}

/** Returns the panel that contains the target of the address, if there is one. */
const targeted = ({ panels }: TabGroup): number => panels.findIndex((panel) => panel.contains(target() ?? document))

/** Opens the expandable section that the address refers to. */
function openTarget(): void {
  const found = target()
  if (found instanceof HTMLDetailsElement) found.open = true
}

export function startTabs(): void {
  const recent = remembered()
  for (const [number, frame] of document.querySelectorAll('.tabs').entries()) {
    const group = setUp(frame, number)
    if (!group) continue
    groups.push(group)
    const known = recent.map((title) => group.titles.indexOf(title)).find((at) => at >= 0)
    const at = targeted(group)
    show(group, at >= 0 ? at : (known ?? 0))
    if (at >= 0) target()?.scrollIntoView()
  }
  openTarget()
  addEventListener('hashchange', openTarget)
}
