/**
 * The text of a page in the editor: the server's version, the writer's version, and the edits between them. Returns
 * the exact bytes to save, and merges texts that others saved.
 */
import { Annotation, ChangeSet, type Text, Transaction } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { exactText, type Original, originalOf } from './exact.js'
import type { LocalCopy } from './local-copy.js'
import { type BlockConflict, mergeBlocks, type TextEdit } from './merge.js'
import type { MergeResult } from './saving.js'

/** Marks a transaction with text from the server, so it does not count as an edit by the writer. */
export const fromServer = Annotation.define<boolean>()

/** Text of another writer that waits for decisions about blocks. */
export interface PendingText {
  original: Original
  oid: string
  conflicts: BlockConflict[]
}

/** A text that was sent, and the edits since. */
interface Attempt {
  raw: string
  changes: ChangeSet
}

/** Maximum number of sent texts without a response that are remembered. */
const MAX_ATTEMPTS = 4

/** The text of a page, connected with its view. */
export class EditedPage {
  #original: Original
  #oid: string
  /** The edits from the original text to the text in the editor. */
  #changes: ChangeSet
  /** The texts that were sent since the last response. The running save sent the last one. */
  #attempts: Attempt[] = []
  /** Blocks in conflict. Their positions move with the text. */
  pending: PendingText | null = null

  constructor(
    readonly view: EditorView,
    raw: string,
    oid: string,
  ) {
    this.#original = originalOf(raw)
    this.#oid = oid
    this.#changes = ChangeSet.empty(view.state.doc.length)
  }

  get oid(): string {
    return this.#oid
  }
  /** The file that the edits are based on. */
  get base(): string {
    return this.#original.raw
  }

  /** Follows a transaction of the view. */
  follow({ changes, docChanged }: Pick<Transaction, 'changes' | 'docChanged'>): void {
    if (!docChanged) return
    this.#changes = this.#changes.compose(changes)
    for (const attempt of this.#attempts) attempt.changes = attempt.changes.compose(changes)
    if (this.pending)
      this.pending.conflicts = this.pending.conflicts.map((one) => ({
        ...one,
        from: changes.mapPos(one.from, -1),
        to: changes.mapPos(one.to, 1),
      }))
  }

  /** The file as it would be saved now. */
  exact(): string {
    return exactText(this.#original, this.#changes, this.view.state.doc)
  }

  /** Returns the file to save, and remembers it until the response. */
  send(): { raw: string; oid: string } {
    const raw = this.exact()
    const others = this.#attempts.filter((one) => one.raw !== raw).slice(1 - MAX_ATTEMPTS)
    this.#attempts = [...others, { raw, changes: ChangeSet.empty(this.view.state.doc.length) }]
    return { raw, oid: this.#oid }
  }

  /** The server has the text that was sent last. */
  confirm(oid: string): void {
    const last = this.#attempts.at(-1)
    if (last) this.#confirm(last, oid)
  }

  #confirm({ raw, changes }: Attempt, oid: string): void {
    this.#original = originalOf(raw)
    this.#changes = changes
    this.#oid = oid
    this.#attempts = []
  }

  /**
   * Merges the server's current text. Blocks that only one side changed are merged immediately. `same`: it is
   * what was sent last. `own`: it is what was sent earlier, and that response was lost.
   */
  receive(raw: string, oid: string): MergeResult {
    const attempt = this.#attempts.findLast((one) => one.raw === raw)
    if (attempt) {
      const isLast = attempt === this.#attempts.at(-1)
      this.#confirm(attempt, oid)
      return isLast ? 'same' : 'own'
    }
    const theirs = originalOf(raw)
    const mine = this.view.state.doc.toString()
    const { edits, conflicts } = mergeBlocks(this.#original.text, mine, theirs.text)
    if (conflicts.length > 0) this.pending = { original: theirs, oid, conflicts }
    this.#insert(edits)
    if (conflicts.length === 0) this.#rebase(theirs, oid)
    return conflicts.length > 0 ? 'conflict' : 'combined'
  }

  /** Decides about the blocks in conflict, and makes the other side's text the base. */
  decide(choices: readonly ('mine' | 'theirs' | 'both')[]): void {
    const { pending } = this
    if (!pending) return
    const edits = pending.conflicts.flatMap(({ from, to, theirs }, at): TextEdit[] => {
      const choice = choices[at] ?? 'mine'
      const own = this.view.state.sliceDoc(from, to)
      if (choice === 'mine') return []
      return [{ from, to, insert: choice === 'theirs' ? theirs : joined(own, theirs) }]
    })
    this.pending = null
    if (edits.length > 0) this.view.dispatch({ changes: edits, userEvent: 'input.resolve' })
    this.#rebase(pending.original, pending.oid)
  }

  /**
   * Starts from another base: a text that was stored in the browser, with the file that it is based on, and with the files
   * that were sent without a response. One of them may be what the server has now.
   */
  restore({ base, oid, text, sent = [] }: Pick<LocalCopy, 'base' | 'oid' | 'text' | 'sent'>): void {
    const doc = this.view.state.doc.toString()
    const kept = originalOf(text).text
    this.#insert(mergeBlocks(doc, doc, kept).edits, 'input.restore')
    this.#rebase(originalOf(base), oid)
    this.#attempts = sent.map((raw) => ({ raw, changes: this.#since(originalOf(raw)) }))
  }

  /** The files that were sent since the last response. */
  get sent(): readonly string[] {
    return this.#attempts.map(({ raw }) => raw)
  }

  /** The edits from another text to the one in the editor. */
  #since({ text }: Original): ChangeSet {
    const doc: Text = this.view.state.doc
    return ChangeSet.of(mergeBlocks(text, text, doc.toString()).edits, text.length)
  }

  /** Makes another file the base of the text. */
  #rebase(original: Original, oid: string): void {
    this.#original = original
    this.#oid = oid
    this.#changes = this.#since(original)
  }

  #insert(edits: readonly TextEdit[], userEvent?: string): void {
    if (edits.length === 0) return
    this.view.dispatch({
      changes: [...edits],
      // Undo reverts only the writer's edits, not those of others.
      annotations: [fromServer.of(true), Transaction.addToHistory.of(userEvent !== undefined)],
      ...(userEvent === undefined ? {} : { userEvent }),
    })
  }
}

const joined = (own: string, theirs: string): string => `${own}${own.endsWith('\n\n') ? '' : '\n'}${theirs}`
