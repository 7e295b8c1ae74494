/**
 * The open editors of pages. They are in the memory of each process and are forgotten after half a minute. Nodes tell
 * each other what they note. A message that is lost is repeated by the next call of the editor.
 */
import type { Clock } from '../../kernel/clock.js'

/** An open editor. */
export interface PresentEditor {
  editor: string
  user: string
  line: number | null
  /** Milliseconds since 1970. */
  seenAt: number
}

const SHOWN_MS = 30_000
const MAX_PER_PAGE = 20
const MAX_PAGES = 10_000

/** The message of an editor: its line, or that it leaves. */
interface EditorNote extends Omit<PresentEditor, 'seenAt'> {
  leaves: boolean
}

/** Tracks the open editors of each page. */
export class Presence {
  // bound: MAX_PAGES, the least recently used page is dropped first
  readonly #pages = new Map<string, Map<string, PresentEditor>>()

  /** @param tell sends a message to the other nodes, which call `hear` with it; it may be lost */
  constructor(
    private readonly clock: Clock,
    private readonly tell: (message: string) => void = () => {},
  ) {}

  /** Records that an editor is open or was closed, and returns the other editors of the page. */
  note(page: string, note: EditorNote): PresentEditor[] {
    this.tell(JSON.stringify([page, note]))
    return this.#note(page, note)
  }

  /** Records the message of an editor to another node. */
  hear(message: string): void {
    const [page, note]: [string, EditorNote] = JSON.parse(message)
    this.#note(page, note)
  }

  #note(page: string, { editor, user, line, leaves }: EditorNote): PresentEditor[] {
    const now = this.clock.now().getTime()
    const editors = this.#pages.get(page) ?? new Map<string, PresentEditor>()
    for (const [name, { seenAt }] of editors) if (now - seenAt > SHOWN_MS) editors.delete(name)
    // A name belongs to the user who used it first.
    const known = editors.get(editor)
    const isOwn = known === undefined || known.user === user
    if (isOwn) editors.delete(editor)
    if (isOwn && !leaves && editors.size < MAX_PER_PAGE) editors.set(editor, { editor, user, line, seenAt: now })
    this.#pages.delete(page)
    if (editors.size > 0) this.#pages.set(page, editors)
    const [oldest] = this.#pages.keys()
    if (this.#pages.size > MAX_PAGES && oldest !== undefined) this.#pages.delete(oldest)
    return [...editors.values()].filter((one) => one.editor !== editor)
  }
}
