// Migrates the events that earlier releases stored.
import type { MigrationView } from '../../store/index.js'

/** Maximum number of IDs in one document. */
const MAX_IDS = 1_000

interface Stream {
  first: number
  ids: string[]
}

/**
 * Migrates event streams that an earlier release stored as documents; the store moves the events themselves. Their IDs
 * do not contain the sequence, so this lists the IDs by sequence. It removes the stored next sequence of a stream,
 * unless the stream has lost its last events and no longer implies it.
 */
export function listEarlierEvents(view: MigrationView): void {
  const streams = new Map<string, { sequence: number; id: string }[]>()
  for (const { id, organization, sequence } of view.documents('events')) {
    const stream = streams.get(String(organization)) ?? []
    stream.push({ sequence: Number(sequence), id })
    streams.set(String(organization), stream)
  }
  for (const [organization, stream] of streams) {
    stream.sort((a, b) => a.sequence - b.sequence)
    for (const { first, ids } of listsOf(stream))
      view.put('earlier-events', { id: `${organization}/${first}`, organization, first, ids })
  }
  for (const { id, next } of view.documents('event-streams')) {
    if ((streams.get(id)?.at(-1)?.sequence ?? 0) + 1 >= Number(next)) view.remove('event-streams', id)
  }
}

/** Splits a stream into runs of IDs with consecutive sequences. */
function listsOf(stream: readonly { sequence: number; id: string }[]): Stream[] {
  const lists: Stream[] = []
  for (const { sequence, id } of stream) {
    const last = lists.at(-1)
    if (last && last.ids.length < MAX_IDS && last.first + last.ids.length === sequence) last.ids.push(id)
    else lists.push({ first: sequence, ids: [id] })
  }
  return lists
}
