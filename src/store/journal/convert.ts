// Moves documents of earlier releases into journals.
import type { Journal } from '../../kernel/documents.js'
import type { Database } from '../database.js'
import { frozenJson } from '../json.js'
import type { Log, Operation } from '../log.js'

/** Number of documents that are moved with one append. */
const AT_ONCE = 1_000

/**
 * Moves documents of earlier releases into the journal that now contains them as records, in order and in batches.
 * After an interrupted start, the next one continues. Calls `moved` after each append with its operations.
 */
export async function convert<T extends object>(
  database: Database,
  log: Log,
  to: Journal<T>,
  moved: (ops: readonly Operation[]) => Promise<void>,
): Promise<void> {
  const { formerly, name } = to
  if (!formerly) return
  for (;;) {
    const raw = database.takeRaw(formerly.table, AT_ONCE, (document) => formerly.by(document as unknown as T))
    if (raw.length === 0) return
    const ops: Operation[] = []
    const fresh = new Map<string, [string, string]>()
    for (const { document, owner } of raw) {
      const { version: _, ...rest } = document
      const record = frozenJson(rest) as T
      const group = to.group(record)
      const position = Math.max(database.journals.group(name, group).stagedNext, formerly.position?.(record) ?? 0)
      if (!database.journals.hasGroup(name, group)) fresh.set(group, [name, group])
      const added = { position, at: to.at(record), record }
      database.journals.stage(name, group, added)
      ops.push(
        { c: formerly.table, o: owner, remove: document.id },
        { c: name, o: group, n: position, t: added.at, add: added.record },
      )
    }
    await log.append([JSON.stringify({ ops })], [...fresh.values()])
    for (const op of ops) {
      const group = 'add' in op ? database.journals.group(name, op.o) : null
      const [first] = group?.staged ?? []
      if (first) group?.settle(first)
    }
    database.seq = log.lastSeq
    await moved(ops)
  }
}
