/** Shares the writer's position with others, and shows theirs. Presence locks nothing. */
import { showCarets } from './carets.js'
import { notePresence } from './page-api.js'
import type { Writing } from './writing.js'

const POLL_MS = 10_000
const MIN_PAUSE_MS = 2_000

/** Starts sharing the position. Returns a function that stops it. */
export function startPresence(writing: Writing): () => void {
  const editor = `e-${crypto.randomUUID()}`
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = 0
  let isRunning = false
  const tell = async (): Promise<void> => {
    clearTimeout(timer)
    timer = setTimeout(() => void tell(), POLL_MS)
    if (isRunning || document.visibilityState === 'hidden') return
    isRunning = true
    last = Date.now()
    try {
      const { people } = await notePresence(writing.place.value, writing.input.page.id, {
        editor,
        line: writing.line.peek(),
      })
      writing.people.value = people
      showCarets(
        writing.view,
        people.flatMap(({ user, line }) => (line === null ? [] : [{ name: user.displayName, line }])),
      )
    } catch {
      writing.people.value = []
    } finally {
      isRunning = false
    }
  }
  const stopLine = writing.line.subscribe(() => {
    clearTimeout(timer)
    timer = setTimeout(() => void tell(), Math.max(0, last + MIN_PAUSE_MS - Date.now()))
  })
  const leave = (): void =>
    void notePresence(writing.place.value, writing.input.page.id, { editor, leaves: true }).catch(() => {})
  addEventListener('pagehide', leave)
  return () => {
    clearTimeout(timer)
    stopLine()
    removeEventListener('pagehide', leave)
    leave()
  }
}
